#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# HIP's calls on the simulator and on AMD's HIP have the same answers, but for those that are listed.
# timeout: 120
SIM=$(dirname "${SIM:-build/amdsim/rocm}") exec "$(dirname "$0")/hip_calls.sh" rocm
