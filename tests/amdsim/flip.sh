#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Flips a bit of the result of each opcode in turn: tests/amdsim/instructions.c must notice.
# timeout: 180
exec "$(dirname "$0")/instructions.sh" -f
