#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2400
#
# A rehearsal of a visit to a machine with a GPU: tools/gpu-pack packs a few programs of the cpu platform, and
# tools/gpu-report runs them in a root that has no MPI, no compiler, no git and no network. One run goes through
# all parts; five are killed at different moments, and what each leaves must be whole. B names the build, and
# LOCK is a command that keeps other tests from running make in this tree.

set -u
: "${B:=build/cpu}" "${MAKE:=make}"
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL MPIRUN PREFIX LIBDIR DESTDIR
export B PLATFORM=cpu MAKE="${LOCK-} $MAKE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "tests/install: $*"
	exit 1
}

programs="tests/ptr tests/signal_put tests/kernel_outside tests/platform/launch
	bench/p_quiet_lat bench/put_signal_lat bench/raw/store bench/raw/pingpong bench/fused
	examples/01_hello examples/02_ring"
# What the root has, with all that it depends on.
# A machine may have more than one awk: the one that it uses is copied.
packages="bash coreutils dash findutils grep gzip hostname iproute2 libc-bin libgcc-s1 libstdc++6 mount sed tar
	util-linux xz-utils $(basename "$(readlink -f "$(command -v awk)")")"

# closure PACKAGE...: print the installed packages that they need.
closure() {
	dpkg-query -W -f '${Package}\t${Pre-Depends}, ${Depends}\n' | awk -F '\t' -v todo="$*" '
		{ needs[$1] = $2 }
		END {
			n = split(todo, queue, " ")
			for (i = 1; i <= n; i++) {
				if (queue[i] in seen || !(queue[i] in needs))
					continue
				seen[queue[i]] = 1
				print queue[i]
				m = split(needs[queue[i]], words, /[,|]/)
				for (j = 1; j <= m; j++) {
					sub(/^ +/, "", words[j])
					sub(/[ :(].*$/, "", words[j])
					queue[++n] = words[j]
				}
			}
		}'
}

# make_root: copies their files from this machine. Debian's folders may be links into /usr.
make_root() {
	local folder file
	for folder in bin sbin lib lib32 lib64 libx32; do
		[ -h "/$folder" ] || continue
		mkdir -p "$root/usr/$folder"
		ln -s "usr/$folder" "$root/$folder"
	done
	# shellcheck disable=SC2046,SC2086 # lists of words
	dpkg -L $(closure $packages) | grep -vE '^/usr/share/(doc|man|locale|info)/' | while read -r file; do
		if [ -h "$file" ] || [ -f "$file" ]; then echo "${file#/}"; fi
	done >"$work/files"
	printf '%s\n' etc/passwd usr/bin/awk etc/alternatives/awk >>"$work/files"
	tar cf - -C / --no-recursion -T "$work/files" | tar xf - -C "$root"
	mkdir -p "$root"/{proc,sys,dev,tmp,pack,out}
}

# in_root NAME COMMAND...: in namespaces of its own, with the loopback down. /out is $work/NAME.
in_root() {
	mkdir -p "$work/$1"
	# shellcheck disable=SC2016,SC2086 # the inner bash expands it; words
	ROOT=$root OUT=$work/$1 PACK=$work/pack exec unshare $namespaces bash -c '
		set -e
		mount -t proc proc "$ROOT/proc" && mount -t sysfs -o ro sysfs "$ROOT/sys"
		mount -t tmpfs tmpfs "$ROOT/dev" && mount -t tmpfs tmpfs "$ROOT/tmp" && mkdir "$ROOT/dev/shm"
		mount -t tmpfs tmpfs "$ROOT/dev/shm" && ln -s /proc/self/fd "$ROOT/dev/fd"
		mknod -m 666 "$ROOT/dev/null" c 1 3 && mknod -m 666 "$ROOT/dev/zero" c 1 5
		mknod -m 666 "$ROOT/dev/urandom" c 1 9 && mknod -m 666 "$ROOT/dev/tty" c 5 0
		mount --bind "$PACK" "$ROOT/pack" && mount -o remount,bind,ro "$ROOT/pack"
		mount --bind "$OUT" "$ROOT/out"
		hostname a-machine-with-no-name
		shift
		exec chroot "$ROOT" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp "$@"' in_root "$@"
}

# whole NAME: the page and the log of a run are whole.
whole() {
	local page=$work/$1/report.md row='^[^	]+	[^	]+	[0-9]+	(pass|FAIL|skip|no time)	[0-9]+	'
	[ "$(tail -n 1 "$page")" = '<!-- the page is whole -->' ] || fail "$1: the page is not whole"
	[ "$(grep -cE '^## (What ran|What failed|How fast)' "$page")" = 3 ] || fail "$1: the page lacks a section"
	tar tzf "$work/$1/log.tar.gz" >"$work/names" || fail "$1: the log is not whole"
	grep -q '^state/rows.tsv$' "$work/names" || fail "$1: the log has no rows"
	! grep -vE "$row" "$work/$1/rows.tsv" || fail "$1: these rows are not whole"
}

# has NAME TEXT: so the page of a run says.
has() {
	grep -q -e "$2" "$work/$1/report.md" || {
		cat "$work/$1/report.md"
		fail "$1: the page does not say: $2"
	}
}

command -v dpkg-query >/dev/null || { echo "no packages of Debian to make a root of"; exit 77; }
namespaces="--mount --pid --fork --net --uts --ipc --kill-child"
# shellcheck disable=SC2086 # words
if ! why=$(unshare $namespaces mount -t tmpfs tmpfs "$work" 2>&1); then
	echo "no namespaces: $why"
	exit 77
fi

# ---- the pack and the root ----

XZ_OPT=-0 tools/gpu-pack --only "$programs" "$work/pack" >"$work/log" 2>&1 || {
	cat "$work/log"
	fail "gpu-pack fails"
}
if tools/gpu-pack --built --no-mpi --only "$programs" --limit 0 "$work/small" >"$work/log" 2>&1 ||
	! grep -q 'more than 0 MiB' "$work/log"; then
	cat "$work/log"
	fail "gpu-pack does not say that it packs more than it may"
fi
rm -r "$work/small"
root=$work/root
make_root
found=$(in_root none sh -c 'command -v mpirun || command -v gcc || command -v git || echo none' 2>&1)
[ "$found" = none ] || fail "a root without compilers, MPI and git has: $found"

# ---- to the end ----

(in_root end /pack/tools/gpu-report --rehearse --total 2400 --every 5 --out /out) >"$work/log" 2>&1 || {
	status=$?
	cat "$work/log" "$work/end/report.md"
	fail "the whole visit: exit $status"
}
whole end
has end ': ended'
! grep 'not begun' "$work/end/report.md" || fail "parts have not begun"
! grep '	no time	' "$work/end/rows.tsv" || fail "these were not run"
for part in $(tools/gpu-report --plan | cut -d' ' -f 1); do
	has end "^| $part | [0-9]"
done
has end '| mps .* for NVIDIA GPUs alone'
has end '| put_signal, half a round trip, µs | [0-9.e+]* | [0-9.e+]* | [0-9.]* |'
has end '^| stencil_'
has end '^Beside a kernel that fills the GPU these calls wait: '
has end 'loopback interface was down, and was brought up'
for one in 'smoke	01_hello	2' 'smoke	without_mpi	2' 'smoke	platform/launch	1' 'tests2	ptr	2' \
	'tests4	ptr	4' 'faults	kernel_outside	1' 'limits	beside	2' 'figures	p_quiet_lat	2'; do
	grep -q "^$one	pass" "$work/end/rows.tsv" && continue
	cat "$work/end/rows.tsv"
	fail "did not pass: $one"
done

# ---- as if for an NVIDIA GPU, with failures, and without MPI ----

# NVIDIA's commands as they look from outside: a GPU is listed, and a daemon of MPS starts and stops.
cat >"$root/usr/bin/nvidia-smi" <<'END'
#!/bin/sh
case "$*" in *compute_cap*) echo 9.0 ;; *) echo "Pretended GPU" ;; esac
END
cat >"$root/usr/bin/nvidia-cuda-mps-control" <<'END'
#!/bin/sh
[ "${1-}" = -d ] || read -r word
[ -d "$CUDA_MPS_PIPE_DIRECTORY" ] && echo "${1-$word}" >>/out/mps
END
cat >"$root/usr/bin/compute-sanitizer" <<'END'
#!/bin/sh
echo "===== $*"
exit 9
END
chmod +x "$root"/usr/bin/nvidia-* "$root/usr/bin/compute-sanitizer"
if (in_root fails env PLATFORM=nvidia GSHMEM_HEAP_KIND=none MPIRUN=/tmp/gshmem-visit/tools/report/launch \
	/pack/tools/gpu-report --total 2400 --out /out mps tests2 figures sanitizer retry) \
	>"$work/log" 2>&1; then
	fail "a visit whose tests fail succeeds"
fi
whole fails
has fails '^# Pretended GPU'
has fails '^| tests2 | ptr | 2 | FAIL | FAIL | `exit 1: .*GSHMEM_HEAP_KIND'
has fails '^| retry | [0-9]* | 0 | [*]*4[*]* |'
has fails 'MPS does not work here'
has fails 'left out: the benches call MPI'
has fails '===== --tool memcheck --error-exitcode 9 .*tests/signal_put'
[ "$(tr '\n' ' ' <"$work/fails/mps")" = '-d quit ' ] || fail "the daemon of MPS got $(cat "$work/fails/mps")"

# ---- killed at five moments ----

# reached NAME PART: a run's page says that it is at this part, or past it.
reached() {
	local now
	now=$(sed -n 's/^Written by .* of 2400: \([a-z0-9]*\).*/\1/p' "$work/$1/report.md" 2>/dev/null)
	[ -e "$work/$1/log.tar.gz" ] && tools/gpu-report --plan | awk -v now="${now:-begins}" -v part="$2" '
		$1 == part { seen = 1 }
		$1 == now { found = 1; exit !seen }
		END { exit !(now == "ended" || (found && seen)) }'
}

# They run side by side, each in a root of its own.
pids=()
parts=('' facts smoke tests2 figures tests8)
for k in 1 2 3 4 5; do
	(in_root "kill$k" /pack/tools/gpu-report --rehearse --total 2400 --every 1 --out /out) >/dev/null 2>&1 &
	pids[k]=$!
done
trap 'kill -9 "${pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT
for k in 1 2 3 4 5; do
	until reached "kill$k" "${parts[k]}"; do
		kill -0 "${pids[k]}" 2>/dev/null || reached "kill$k" "${parts[k]}" ||
			fail "kill$k: ended too early"
		sleep 0.2
	done
	kill -9 "${pids[k]}" 2>/dev/null
	wait "${pids[k]}" 2>/dev/null
	whole "kill$k"
	[ -z "${V-}" ] || sed -n '/^Written/p' "$work/kill$k/report.md"
done
exit 0
