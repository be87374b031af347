# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# For tests that need a Debian 12 of their own, which source this file:
#
#   debian_root_needs             skip the test (exit 77) where no root can be made
#   debian_root_make ROOT WORD... make one below the folder ROOT; WORDs go to debootstrap. Returns debootstrap's
#                                 status, and prints its output if it fails
#   debian_root_run ROOT COMMAND  run a line of bash in it, as root, in ~, with nothing of this environment
#
# apt uses the same mirror in the root as here.

debian_root_skip() {
	echo "$*"
	exit 77
}

debian_root_needs() {
	[ "$(id -u)" -eq 0 ] || debian_root_skip "needs root, to make a root of its own"
	unshare --mount --pid --fork true 2>/dev/null || debian_root_skip "needs namespaces of mounts and processes"
	command -v apt-get >/dev/null || debian_root_skip "needs apt, whose mirror it asks for Debian 12"
	# apt's own mirror of Debian.
	debian_root_mirror=$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(RELEASE) $(REPO_URI)' \
		'Created-By: Packages' | awk '$1 == "Debian" && $2 == "main" && $3 !~ /-/ { print $4; exit }')
	[ -n "$debian_root_mirror" ] || debian_root_skip "needs apt to have a mirror of Debian"
	command -v debootstrap >/dev/null && return
	export DEBIAN_FRONTEND=noninteractive
	{ # update fails beside another update, whose lists install then takes
		apt-get update
		apt-get install -y -o DPkg::Lock::Timeout=300 --no-install-recommends debootstrap
	} >/dev/null 2>&1 </dev/null ||
		debian_root_skip "needs debootstrap, which apt-get does not install"
}

debian_root_make() {
	local root=$1
	shift
	# In a namespace: debootstrap mounts /proc there.
	unshare --mount debootstrap --variant=minbase "$@" bookworm "$root" "$debian_root_mirror" \
		>"$root.log" 2>&1 </dev/null || {
		tail -n 20 "$root.log"
		return 1
	}
	apt-config dump | grep -iE '^Acquire::(https?|Check-[a-z-]*)[: ]' >"$root/etc/apt/apt.conf.d/90host"
	cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null
	return 0
}

# All mounts are the namespace's, and all processes end with its first one. pivot_root makes the new root that
# of the namespace, so that tests/nodes.sh, which enters namespaces by nsenter, stays in it.
debian_root_run() {
	unshare --mount --pid --fork --kill-child -- bash -c '
		mount --bind "$1" "$1" && cd "$1" && mount -t proc proc proc && mount -t sysfs sysfs sys &&
			mount --rbind /dev dev && pivot_root . mnt || exit
		exec chroot . env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			TERM=dumb DEBIAN_FRONTEND=noninteractive bash -c "umount -l /mnt && cd ~ && $2"' - "$1" "$2" </dev/null
}
