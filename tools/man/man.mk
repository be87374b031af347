# SPDX-License-Identifier: BSD-3-Clause
#
# The manual, which the Makefile includes: manual pages in build/man, web pages in build/html. It is the same
# for all platforms.

MAN  := build/man
HTML := build/html

$(MAN)/calls: $(addprefix tools/man/,pages names calls) \
	$(wildcard include/*.h include/gshmem/*/*.h platform/cpu/hip/*.h)
	$(call Q,MAN)CC='$(CC)' CXX='$(USER_CXX)' tools/man/pages calls $(@D)
$(MAN)/made: $(MAN)/calls $(addprefix tools/man/,pages page chapter) $(wildcard docs/man/*.md) \
	docs/env.md Makefile
	$(call Q,MAN)tools/man/pages write $(@D) $(VERSION) && touch $@
$(HTML)/index.html: $(MAN)/calls $(addprefix tools/man/,html manual.css search.js) Makefile \
	$(wildcard *.md docs/* docs/*/* examples/* examples/*/* apps/* apps/*/* bench/*.md include/gshmem/*.md)
	$(call Q,HTML)tools/man/html $(@D) $(MAN)/calls $(VERSION)

# install_docs,FOLDER: what make install puts into share/doc/gshmem. The web pages are made if their tools are
# there; if not, those that make docs-html has made before are taken. They have all files that they link to.
define install_docs
	install -d $(1) && install -m 644 LICENSE $(wildcard *.md) $(1)
	for f in $$(find docs examples apps bench/README.md -type f ! -name '.*' ! -name '*.pyc'); do \
		install -D -m 644 $$f $(1)/$$f || exit 1; done
	tools/man/links $(1) $(call quoted,$(DOCDIR)) $(call quoted,$(INCDIR))
	for folder in examples apps; do \
		sed 's|@GSHMEMCC@|$(PREFIX)/bin/gshmemcc|' tools/examples.mk >$(1)/$$folder/Makefile || exit 1; done
	+if CC='$(CC)' tools/setup -n docs >/dev/null 2>&1; then \
		$(MAKE) $(if $(V),,-s) $(SUB) $(HTML)/index.html || exit; fi; \
	if [ -e $(HTML)/index.html ]; then cp -R $(HTML) $(1)/html; else \
		echo "  without web pages, which need python3 and cmark-gfm: make docs-html, then make install"; fi
endef
