#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The files of the tree are text that somebody wrote: none is binary, none is what a compiler leaves behind,
# and each names its license. A folder of src/ has at most 12 files. Without git, in an unpacked archive, these
# are all files but build/.

cd "$(dirname "$0")/.." || exit
status=0
complain() {
	echo "tree: $1: $2" >&2
	status=1
}

while IFS= read -r -d '' file; do
	file=${file#./}
	[ -f "$file" ] || continue # removed, and not committed yet
	case $file in
	*.o | *.a | *.so | *.d | *.gch | *.bc | *.cubin | *.hsaco | *.ptx | *.sass | *.log | *.orig | *.rej | core)
		complain "$file" "a build or an editor left it" ;;
	esac
	[ ! -s "$file" ] || grep -qI . "$file" || complain "$file" "it is not text"
	case $file in
	LICENSE | .gitignore | *.tsv | *.svg | *.typed | debian/changelog | debian/source/format) ;;
	*) head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' ||
		complain "$file" "its first lines lack SPDX-License-Identifier: BSD-3-Clause" ;;
	esac
done < <(git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0)
for folder in src/*/; do
	set -- "$folder"*
	[ $# -le 12 ] || complain "$folder" "$# files, more than 12"
done
exit $status
