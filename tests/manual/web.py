#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
tests/manual/web.py FOLDER NAMES - check the web pages below FOLDER: each is well-formed HTML, no link is dead,
nothing comes from another place, the contents show where the reader is, a picture leads to itself, no option is
broken after its hyphens, and each name in the file NAMES is in the index of the search, with a page
that exists. tests/manual/web.sh calls this.
"""

import html.parser
import json
import os
import re
import sys
import urllib.parse

VOID = {"br", "hr", "img", "input", "link", "meta", "source", "wbr", "col"}


class Page(html.parser.HTMLParser):
	"""The links and anchors of a page; errors has what is not well-formed."""

	def __init__(self, path):
		super().__init__()
		self.open, self.anchors, self.links, self.loaded, self.errors, self.title = [], set(), [], [], [], ""
		self.current = 0  # lines of the contents that are marked
		with open(path, encoding="utf-8") as file:
			text = file.read()
		if not text.startswith("<!DOCTYPE html>\n<html lang=\"en\">\n"):
			self.errors.append("does not begin as HTML")
		self.feed(text)
		self.close()
		if self.open:
			self.errors.append(f"leaves open: {self.open}")

	def handle_starttag(self, tag, attributes):
		found = dict(attributes)
		if len(found) != len(attributes):
			self.errors.append(f"<{tag}> has an attribute twice")
		if tag not in VOID:
			self.open.append(tag)
		if "id" in found:
			if found["id"] in self.anchors:
				self.errors.append(f"id {found['id']} is there twice")
			self.anchors.add(found["id"])
		if tag == "a" and "a" in self.open[:-1]:
			self.errors.append("a link in a link")
		if "aria-current" in found:
			self.current += 1
		if tag == "img" and (self.open[-1:] != ["a"] or self.links[-1] != found.get("src")):
			self.errors.append(f"the picture {found.get('src')} does not lead to itself")
		for key in ("href", "src", "srcset", "action"):
			if key in found:
				(self.links if tag == "a" else self.loaded).append(found[key])

	def handle_startendtag(self, tag, attributes):
		self.handle_starttag(tag, attributes)
		if tag not in VOID:
			self.errors.append(f"<{tag}/> is no empty element")

	def handle_endtag(self, tag):
		if not self.open or self.open[-1] != tag:
			self.errors.append(f"line {self.getpos()[0]}: </{tag}> closes {self.open[-1:]}")
		else:
			self.open.pop()

	def handle_data(self, data):
		if self.open[-1:] == ["title"]:
			self.title += data
		if self.open[-1:] == ["code"] and "pre" not in self.open and re.search(r"(?<![\w-])-+\w", data):
			self.errors.append(f"a line may end after the hyphen of {data}")


def check(folder, names):
	pages, errors = {}, []
	for where, _, files in os.walk(folder):
		for name in files:
			if name.endswith(".html"):
				path = os.path.join(where, name)
				pages[os.path.relpath(path, folder)] = Page(path)

	def check_link(page, link):
		target, _, fragment = link.partition("#")
		target = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(target))) if target else page
		if not os.path.isfile(os.path.join(folder, target)):
			errors.append(f"{page}: dead link: {link}")
		elif fragment and urllib.parse.unquote(fragment) not in pages[target].anchors:
			errors.append(f"{page}: dead link: {link}: no such place in the page")

	titles = {}
	for name, page in sorted(pages.items()):
		if page.current > 1 or page.current == 0 and name.startswith("calls/"):
			errors.append(f"{name}: {page.current} lines of the contents are marked")
		errors += [f"{name}: {error}" for error in page.errors]
		if titles.setdefault(page.title, name) != name and "README" not in name:
			errors.append(f"{name}: has the title of {titles[page.title]}: {page.title}")
		for link in page.loaded:
			if re.match(r"[a-z]+:|//", link):
				errors.append(f"{name}: loads {link}")
			else:
				check_link(name, link)
		for link in page.links:
			if not link:
				errors.append(f"{name}: an empty link")
			elif not re.match(r"https?://", link):
				check_link(name, link)

	with open(os.path.join(folder, "index.js"), encoding="utf-8") as file:
		index = json.loads(file.read().partition("const manual = ")[2].rstrip().rstrip(";"))
	found = {}
	for url, title, kind, _, its_names in index:
		check_link("search.html", url)
		for name in its_names.split() or [title]:
			found.setdefault(name, (url, kind))
	with open(names, encoding="utf-8") as file:
		wanted = file.read().split()
	errors += [f"the search does not find {name}" for name in wanted if found.get(name, "--")[1] not in ("call", "variable")]
	for title in ("Tutorial", "Environment variables", "gshmemcc(1)", "examples/02_ring.hip", "GSHMEM_HEAP_SIZE"):
		if not any(entry[1].startswith(title) for entry in index):
			errors.append(f"the search does not find {title}")
	return pages, wanted, errors


def main():
	pages, wanted, errors = check(*sys.argv[1:])
	for error in errors[:20]:
		print(error)
	if len(pages) < 150 or len(wanted) < 6000:
		sys.exit(f"only {len(pages)} pages, {len(wanted)} names")
	sys.exit(1 if errors else 0)


main()
