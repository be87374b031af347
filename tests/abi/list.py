#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the list of a release for tests/abi.sh: tests/abi/list.py build/cpu/lib v0.2.0 >tests/abi/0.2.0

The second argument names the release's commit, which tests/abidiff.sh builds.
Names that differ in a type or a size alone are one name with a % and share a line with these types.
"""

import collections
import re
import subprocess
import sys
import textwrap

LIBRARIES = ("libgshmem.so", "libgshmem_shmem.so")
WORDS = (
    "8 16 32 64 128 float double longdouble char schar short int long longlong uchar ushort uint ulong "
    "ulonglong int8 int16 int32 int64 uint8 uint16 uint32 uint64 size ptrdiff complexf complexd half bfloat16"
).split()
WORD = re.compile(r"(?:(?<=_)|(?<=put)|(?<=get))(%s)(?=_|$)" % "|".join(sorted(WORDS, key=len, reverse=True)))
WIDTH = 103  # and a tab


def versions(path):
    """Returns pairs of a version and its names; without the names for the library of the same build."""
    out = subprocess.run(["nm", "-D", "--defined-only", path], stdout=subprocess.PIPE, text=True, check=True)
    found = collections.defaultdict(set)
    for line in out.stdout.splitlines():
        _, kind, symbol = line.split()
        if kind != "A":
            name, version = re.split("@+", symbol)
            found[version].add(name)
    found.pop("GSHMEM_PRIVATE", None)
    return sorted(found.items())


def families(names):
    """Returns pairs of words and the names, with % for a word, that exist with just these words."""
    words_of = collections.defaultdict(list)
    for name in names:
        match = WORD.search(name)
        pattern = name[: match.start()] + "%" + name[match.end() :] if match else name
        words_of[pattern].append(match.group(1) if match else "")
    found = collections.defaultdict(list)
    for pattern, words in words_of.items():
        if len(words) == 1:
            found[()].append(pattern.replace("%", words[0]))
        else:
            found[tuple(sorted(words, key=WORDS.index))].append(pattern)
    return sorted(found.items(), key=lambda item: (len(item[0]) > 0, -len(item[1]), item[0]))


def fill(words, indent=""):
    """Returns the words in lines, each with the indent in front."""
    text = textwrap.fill(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
    return textwrap.indent(text, indent)


def main():
    """Prints the list of the libraries in a folder."""
    with open("include/gshmem/state/state.h", encoding="utf-8") as header:
        abi = re.search(r"^#define GSHMEMI_ABI +(\d+)", header.read(), re.M).group(1)
    print("# SPDX-License-Identifier: BSD-3-Clause")
    print("# What the libraries of a release export: made by tests/abi/list.py, compared by tests/abi.sh.")
    print("# library LIBRARY VERSION; with p also each name with a p in front; of WORDS: what % stands for.")
    print(f"commit {sys.argv[2]}\nabi {abi}")
    for library in LIBRARIES:
        for version, names in versions(f"{sys.argv[1]}/{library}"):
            plain = {name for name in names if not name.startswith("p")}
            is_double = names == plain | {"p" + name for name in plain}
            print(f"library {library} {version}{' p' if is_double else ''}")
            for words, patterns in families(plain if is_double else names):
                print(("of " + fill(words)).strip().replace("\n", "\nof+ "))
                print(fill(sorted(patterns), "\t"))


main()
