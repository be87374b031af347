# SPDX-License-Identifier: BSD-3-Clause
# Builds the programs of this folder and of the folders in it, with the installed gshmem: `make`, or
# `make OUT=/tmp/programs` where this folder may not be written. Then `mpirun -n 4 ./NAME`.

GSHMEMCC := @GSHMEMCC@
OUT      := .
CFLAGS   := -O2
SOURCES  := $(wildcard *.c *.hip */*.c */*.hip)
PROGRAMS := $(addprefix $(OUT)/,$(basename $(SOURCES)))

ifneq ($(MAKECMDGOALS),clean)
ifneq ($(shell mkdir -p $(OUT) && test -w $(OUT) && echo yes),yes)
$(error $(abspath $(OUT)) may not be written: name another folder, such as make OUT=$(or $(TMPDIR),/tmp)/gshmem)
endif
endif

all: $(PROGRAMS)
$(OUT)/%: %.hip $(wildcard */*.h)
	@mkdir -p $(@D)
	$(GSHMEMCC) $(CFLAGS) -o $@ $<
$(OUT)/%: %.c
	@mkdir -p $(@D)
	$(GSHMEMCC) $(CFLAGS) -o $@ $<
clean:
	rm -f $(PROGRAMS)
.PHONY: all clean
