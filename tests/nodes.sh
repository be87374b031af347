#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/nodes.sh - pretend several nodes on one machine: network namespaces that a bridge connects, and that
# share no memory, processes or host name.
#
#   tests/nodes.sh 2x2 [T=... VARIABLE=...]   make check-nodes on 2 nodes of 2 PEs: the tests of T=, or all
#   tests/nodes.sh 2x2 -- COMMAND...          COMMAND, which finds their launcher in $MPIRUN
#   MPIRUN=mpirun.openmpi tests/nodes.sh ...   by another launcher than MPICH's
#   tests/nodes.sh -p                         test whether this machine allows that; if not, say why
#
# In COMMAND, these act on its nodes:
#
#   tests/nodes.sh exec node1 COMMAND...      COMMAND on a node
#   tests/nodes.sh link node1 down|up         its network
#   tests/nodes.sh kill node1                 all of its processes, and the node
#
# The hosts are called node0, node1 ... A job's PEs fill them in order, up to the PEs of a node; more PEs than
# fit are spread evenly. Their network has no other host. Nothing is left when the script ends or is killed:
# each node holds an end of a pipe, and ends when the other end is closed. The script needs root for
# namespaces and veth devices.

set -u
self=$(realpath "$0")
fail() { echo "nodes.sh: $*" >&2; exit 1; }

# in_switch COMMAND...: run it where the bridge and mpirun are.
in_switch() { nsenter -t "$(<"$NODES/switch")" -n -- "$@"; }

# in_node NODE COMMAND...
in_node() {
	local node=$1
	shift
	[ -e "$NODES/$node" ] || fail "$node is no node"
	exec nsenter -t "$(<"$NODES/$node")" -n -m -i -u -p --wd="$PWD" -- "$@"
}

# hosts NPES: print the host list for mpirun.
hosts() {
	local each=$((($1 + NNODES - 1) / NNODES)) list='' i
	[ $each -ge "$PPN" ] || each=$PPN
	for ((i = 0; i < NNODES; i++)); do list=$list${list:+,}node$i:$each; done
	echo "$list"
}

# launch ARGUMENTS...: run mpirun with these arguments.
launch() {
	local npes=$((NNODES * PPN)) i list
	for ((i = 1; i <= $#; i++)); do
		case ${!i} in
		-n | -np) i=$((i + 1)) npes=${!i} ;;
		-host | --host | -hosts | -f | -hostfile | -machinefile) npes=0 ;;
		--mca) i=$((i + 2)) ;;
		[!-]*) break ;;
		esac
	done
	list=$(hosts "$npes")
	case $NODES_KIND in
	openmpi)
		in_switch $NODES_MPIRUN --mca plm_rsh_agent "$NODES/ssh" --mca oob_tcp_if_include 10.77.0.0/24 \
			--mca btl_tcp_if_include 10.77.0.0/24 $([ "$npes" = 0 ] || echo "--host $list") "$@" ;;
	*)
		in_switch $NODES_MPIRUN -iface br0 -launcher ssh -launcher-exec "$NODES/ssh" \
			$([ "$npes" = 0 ] || echo "-hosts $list") "$@" ;;
	esac
}

# A node's first process: reaps orphans until nobody holds the other end of its pipe.
hold() {
	hostname "$1" && mount -t tmpfs none /dev/shm && mount --bind "$NODES/etc-hosts" /etc/hosts && ip link set lo up &&
		: >"$NODES/$1.ready"
	while read -r _ || [ $? -gt 128 ]; do :; done
	exit 0
}

# wait_for FILE
wait_for() {
	local i
	for ((i = 0; i < 500; i++)); do
		[ ! -e "$1" ] || return 0
		sleep 0.02
	done
	fail "${1##*/} has not come up"
}

up_node() {
	local node=node$1 outer inner
	unshare --net --mount --ipc --uts --pid --fork --kill-child --mount-proc "$self" hold "$node" <"$NODES/pipe" {pipe}>&- &
	outer=$!
	wait_for "$NODES/$node.ready"
	inner=$(<"/proc/$outer/task/$outer/children")
	echo ${inner} >"$NODES/$node"
	in_switch ip link add "v$1" type veth peer name eth0 netns ${inner} &&
		in_switch ip link set "v$1" master br0 up &&
		nsenter -t ${inner} -n -- ip addr add "10.77.0.$(($1 + 1))/24" dev eth0 &&
		nsenter -t ${inner} -n -- ip link set eth0 up || fail "$node has no network"
}

up() {
	local i
	printf '127.0.0.1 localhost\n' >"$NODES/etc-hosts"
	[ -e /etc/hosts ] || cp "$NODES/etc-hosts" /etc/hosts # a bare root has none, and nodes mount their own over it
	for ((i = 0; i < NNODES; i++)); do echo "10.77.0.$((i + 1)) node$i"; done >>"$NODES/etc-hosts"
	echo "10.77.0.254 $(hostname)" >>"$NODES/etc-hosts"
	for i in ssh mpirun; do ln -s "$self" "$NODES/$i"; done
	mkfifo "$NODES/pipe" && exec {pipe}<>"$NODES/pipe"
	unshare --net cat <"$NODES/pipe" >/dev/null {pipe}>&- &
	echo $! >"$NODES/switch"
	while [ "$(readlink "/proc/$!/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
	in_switch sh -c 'ip link set lo up && ip link add br0 type bridge && ip addr add 10.77.0.254/24 dev br0 && ip link set br0 up' ||
		fail "no bridge"
	for ((i = 0; i < NNODES; i++)); do up_node $i; done
}

down() {
	exec {pipe}>&- # the nodes and the switch end
	wait
	rm -rf "$NODES"
}

# Prints what is missing, if anything is.
probe() {
	local why
	why=$(unshare --net --mount --ipc --uts --pid --fork --kill-child --mount-proc ip link add v0 type veth peer name v1 2>&1) || {
		echo "nodes cannot be pretended here: ${why:-no namespaces}"
		return 1
	}
}

case ${0##*/} in
ssh) # in ssh's place: [-x] HOST WORDS...
	while [ "${1#-}" != "$1" ]; do shift; done
	node=$1
	shift
	in_node "$node" sh -c "$*" ;;
mpirun)
	launch "$@"
	exit ;;
esac
case ${1-} in
hold) hold "$2" ;;
-p) probe; exit ;;
exec) shift; in_node "$@" ;;
link) in_switch ip link set "v${2#node}" "$3"; exit ;;
kill) kill -9 "$(<"$NODES/$2")"; exit ;;
[1-9]*x[1-9]*) ;;
*) fail "usage: nodes.sh NODESxPES [T=... | -- COMMAND...]" ;;
esac

NNODES=${1%x*} PPN=${1#*x}
shift
why=$(probe) || fail "$why"
NODES=$(mktemp -d) || exit 1
# within nodes, NODES_MPIRUN is set, and MPIRUN theirs
: "${NODES_MPIRUN:=${MPIRUN:-$(realpath "$(command -v mpirun.mpich || command -v mpiexec.mpich || command -v mpirun)")}}"
NODES_KIND=$(MPIRUN=$NODES_MPIRUN tests/run.sh -k)
export NODES NNODES PPN NODES_MPIRUN NODES_KIND MPIRUN=$NODES/mpirun
pipe=''
trap down EXIT
trap 'kill $command 2>/dev/null; exit 130' INT TERM
command=''
up
if [ "${1-}" = -- ]; then
	shift
else
	set -- make -C "$(dirname "$self")/.." check-nodes "$@"
fi
"$@" {pipe}>&- <&0 & # bash handles signals while it waits, but not while a foreground command runs
command=$!
wait $command
