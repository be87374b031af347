#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 120
#
# HIP 5.2 answers the question for native atomics on a peer by the type of the link: 4 is XGMI, 2 PCIe. PEs
# whose devices PCIe links put directly, and send their atomics. make check-rocm runs this: it needs the tools
# for gfx90a, in build/amd-gfx90a.
set -eu
cd "$(dirname "$0")/../.."
sim=${SIM:-build/amdsim/rocm} info=build/amd-gfx90a/bin/gshmem-info

# expect XGMI ACCESS REACH: what gshmem-info says of two PEs on two devices.
expect() {
	# shellcheck disable=SC2046 # the launcher and its flags
	report=$(AMDSIM_XGMI=$1 AMDSIM_DEVICES=2 AMDSIM_GPU=gfx90a AMDSIM_JOB=$$ \
		LD_LIBRARY_PATH="$sim:${LD_LIBRARY_PATH:-}" timeout 60 $(tests/run.sh -l) -n 2 $info 2>&1)
	echo "$report" | awk -v access="$2" -v reach="$3" '
		$1 == "peer_access" { nseen += $2 == access || $3 == access }
		$1 == "reaches" { nseen += $2 == reach || $3 == reach }
		END { exit nseen != 4 }' || {
		echo "$report"
		echo "links: AMDSIM_XGMI=$1: access is not $2, or PEs do not reach each other as $3"
		exit 1
	}
}
expect 1 atomics direct
expect 0 memory no-atomics
echo "links: passed"
