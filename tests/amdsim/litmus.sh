#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# tests/amdsim/litmus.sh [GPU] [SEEDS] [LAUNCHES] - litmus tests of the simulator's late memory.
# Needs $SIM/libamdhip64.so.5, by default that of build/amdsim.
#
# Intact, litmus.hip's kernels never show a forbidden outcome. Then each wait, cache control and cache bit of
# each pattern is removed from the assembly, one at a time. One of SEEDS, or of the seeds after them, must
# show it, by a forbidden outcome or by a read of a register that no wait has filled.
#
# redundant: says why a removal cannot show. The first shell pattern that matches
# GPU:KERNEL:POSITION:BIT INSTRUCTION counts, and such removals are not run. POSITION is ROLE.N, where N
# counts the memory and wait instructions of the role's part; BIT is - for the whole instruction.
# "GFX942" and so on are sections of AMDGPUUsage.
redundant() {
	case $1 in
	*_group:*:s[cl]*) echo "GFX942: a group's waves share an L1, as threadgroup split is off";;
	*:mp_*:s[cl]*global_*|*:mp_*:glc*load*) echo "without it y is seen later; x is ordered by the fences";;
	*:iriw_*:2.*:s[cl]*load*|*:iriw_*:2.*:glc*load*) echo "first load: seen later; second: the first's invalidate serves";;
	*:[si]*:*buffer_wbl2*) echo "the release has no store before it to write back";;
	*:[si]*:*buffer_inv*|*:[si]*:*buffer_wbinvl1*|*:[si]*:*buffer_invl2*|*:[si]*:*buffer_gl?_inv*)
		echo "the loads that follow pass the caches by their own bits";;
	gfx90a:mp_add_system:*:*buffer_*l2*) echo "GFX90A: atomics of several devices need fine memory, which L2 does not keep";;
	gfx1100:mp_*:0.2:"- s_waitcnt vmcnt(0)") echo "GFX10-GFX11: nothing is loaded before, and stores count in vscnt";;
	gfx1100:[si]*_[as]*:?.1:"- s_waitcnt_vscnt"*) echo "nothing is stored before";;
	*) return 1;;
	esac
}

set -eu
cd "$(dirname "$0")/../.."
gpu=${1:-${AMDSIM_GPUS:-gfx942}} seeds=${2:-"3 2 5 7 4 9 11 13"} launches=${3:-10}
build=${SIM:-build/amdsim}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export AMDSIM_GPU="$gpu" AMDSIM_DEVICES=2 LD_LIBRARY_PATH="$build:${LD_LIBRARY_PATH:-}"
cc -std=c11 -O1 -D_GNU_SOURCE -D__HIP_PLATFORM_AMD__=1 -o "$dir/litmus" tests/amdsim/litmus.c -L"$build" -l:libamdhip64.so.5
clang-19 -x hip --offload-device-only --offload-arch="$gpu" -nogpulib -nogpuinc -O2 -S -o "$dir/intact.s" tests/amdsim/litmus.hip
assemble() {
	clang-19 --target=amdgcn-amd-amdhsa -mcpu="$gpu" -o "${1%.s}.co" "$1"
}
# Whether CODE_OBJECT shows something for KERNELS with some seed; $dir/out says what.
# 134: the simulator ended it.
shows() {
	co=$1 n=$launches
	shift
	case $* in
	*_system*) ;;
	*) n=$((launches * 8));; # one device: fast
	esac
	for seed in $seeds; do
		status=0
		AMDSIM_LATE=$seed AMDSIM_SCHEDULE=$seed timeout 300 "$dir/litmus" "$co" "$n" "$@" >"$dir/out" 2>&1 || status=$?
		case $status in
		0) ;;
		1|134) return 0;;
		*) echo "litmus $gpu: exit status $status: $(tail -1 "$dir/out")" >&2; exit 1;;
		esac
	done
	return 1
}

npassed=0 nfailed=0 nredundant=0
passes() {
	npassed=$((npassed + 1))
}
fails() {
	nfailed=$((nfailed + 1))
	echo "litmus $gpu: FAIL: $*"
}

assemble "$dir/intact.s"
for kernel in $(sed -n 's/^\([a-z_]*\): *; @.*/\1/p' "$dir/intact.s"); do
	if shows "$dir/intact.co" "$kernel"; then fails "intact: $(grep -v ' 0$' "$dir/out")"; else passes; fi
done
seeds="$seeds $(seq -s ' ' 17 48)" # the machine's load also decides how devices meet, so it may take more seeds
# One line for each removal: KERNEL LINE POSITION BIT INSTRUCTION.
awk '
	/^[a-z_]*: *; @/ { kernel = $1; sub(":", "", kernel) }
	/; litmus begin/ { inside = 1; role = $NF; position = 0 }
	/; litmus end/ { inside = 0 }
	!inside || $1 !~ /^(s_waitcnt|buffer_|global_)/ { next }
	{ position++ }
	$1 ~ /^(s_waitcnt|buffer_)/ { print kernel, NR, role "." position, "-", $0 }
	{ for (k = 2; k <= NF; k++) if ($k ~ /^(sc0|sc1|glc)$/ && !($1 ~ /atomic/ && $k != "sc1")) print kernel, NR, role "." position, $k, $0 }
' "$dir/intact.s" >"$dir/removals"
while read -r kernel line position bit instruction; do
	instruction=$(echo "$instruction" | sed 's/ *;.*//' | tr '\t' ' ')
	if redundant "$gpu:$kernel:$position:$bit $instruction" >/dev/null; then
		nredundant=$((nredundant + 1))
		continue
	fi
	if [ "$bit" = - ]; then edit="${line}d"; else edit="${line}s/ $bit\\b//"; fi
	sed "$edit" "$dir/intact.s" >"$dir/removed.s"
	assemble "$dir/removed.s"
	if shows "$dir/removed.co" "$kernel" </dev/null; then passes; else fails "not seen: $kernel, line $line: $bit $instruction"; fi
done <"$dir/removals"
echo "litmus $gpu: $nredundant removals are redundant by the memory model"
echo "$npassed passed, $nfailed failed"
[ "$nfailed" = 0 ]
