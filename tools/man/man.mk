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

# install_docs,FOLDER: what make install puts into share/doc/gshmem.
define install_docs
	install -d $(1) && install -m 644 LICENSE $(wildcard *.md) $(1)
	for f in $$(find docs examples apps bench/README.md -type f ! -name '.*' ! -name '*.pyc'); do \
		install -D -m 644 $$f $(1)/$$f || exit 1; done
	for folder in examples apps; do \
		sed 's|@GSHMEMCC@|$(PREFIX)/bin/gshmemcc|' tools/examples.mk >$(1)/$$folder/Makefile || exit 1; done
endef
