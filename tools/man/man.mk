# SPDX-License-Identifier: BSD-3-Clause
#
# The manual, which the Makefile includes: manual pages in build/man. It is the same for all platforms.

MAN := build/man

$(MAN)/calls: $(addprefix tools/man/,pages names calls) \
	$(wildcard include/*.h include/gshmem/*/*.h platform/cpu/hip/*.h)
	$(call Q,MAN)CC='$(CC)' CXX='$(USER_CXX)' tools/man/pages calls $(@D)
$(MAN)/made: $(MAN)/calls $(addprefix tools/man/,pages page chapter) $(wildcard docs/man/*.md) \
	docs/env.md Makefile
	$(call Q,MAN)tools/man/pages write $(@D) $(VERSION) && touch $@
