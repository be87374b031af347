#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tests/amdsim/rate.sh [GPU] - print how many wave instructions the simulator executes per second of CPU time
# in copy loops, and how many cycles each takes; the best of five runs.
set -eu
cd "$(dirname "$0")/../.."
export AMDSIM_GPU="${1:-gfx942}" LD_LIBRARY_PATH="${SIM:-build/amdsim}"
paths=${AMD_PATHS:---rocm-path=/usr --rocm-device-lib-path=build/amd/devlib-clang++-19}
rate=$LD_LIBRARY_PATH/rate.$AMDSIM_GPU
clang++-19 -x hip $paths --offload-arch="$AMDSIM_GPU" -O2 -D__HIP_PLATFORM_AMD__=1 -o "$rate" tests/amdsim/rate.hip \
	-L"$LD_LIBRARY_PATH" -l:libamdhip64.so.5
count() {
	AMDSIM_TRACE=1 "$rate" "$1" "$2" 2>&1 | grep -c ' exec '
}
for kernel in "words 300" "vectors 1500"; do
	set -- $kernel
	n=$(($(count "$1" 2) - $(count "$1" 1)))
	for _ in 1 2 3 4 5; do "$rate" "$1" "$2"; done | awk -v name="$1" -v n=$((n * $2)) '
		!best || $1 * $2 < best { best = $1 * $2; seconds = $1; clock = $2 }
		END { printf "%s: %.1f million wave-instructions a second, %.0f cycles each, at %.2f GHz\n",
			name, n / seconds / 1e6, best / n, clock / 1e9 }'
done
