#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/plot.sh draws a curve through the rows of one operation. Tables of two operations, with the scopes and
# PEs that the benches print, go to a gnuplot of this test, which keeps what it is told to draw.
#
#   tests/plot.sh [DIRECTORY]   with DIRECTORY: of the tables there

cd "$(dirname "$0")/.." || exit
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tables"

fail() {
	echo "tests/plot.sh: $*"
	exit 1
}

# The commands, and the points of each file that they name: "FILE N X Y", for point N.
cat >"$work/bin/gnuplot" <<END
#!/bin/bash
commands=\$(cat)
for file in \$(echo "\$commands" | sed -n '/^plot /,\$p' | grep -o "'/[^']*'" | tr -d \'); do
	case \$file in *bars | *fused) continue ;; esac
	awk -v file="\${file##*/}" '{ print file, NR, \$0 }' "\$file"
done >>"$work/points"
END
chmod +x "$work/bin/gnuplot"

# rows OP SCOPE PES FIRST: three rows of a table; their medians begin at FIRST, raw's at 100 more.
rows() {
	local bytes us=$4
	for bytes in 8 64 512; do
		printf '%s\t%s\t%d\t%d\t10\t1\t%d\t1\t%d\t%d\t%d\t1.0\n' "$1" "$2" $bytes "$3" $us $us \
			$((us + 100)) $((us + 100))
		us=$((us + 1))
	done
}
tables=${1:-$work/tables}
if [ $# -eq 0 ]; then
	for bench in put_bw get_bw put_lat get_lat; do
		{
			echo "# a machine"
			printf 'op\tscope\tbytes\tpes\treps\tmin_us\tmedian_us\tmax_us\tGB_s\traw_us\traw_GB_s\tratio\n'
			rows ${bench%_*}_meet_${bench#*_} wg 1 500
			for scope in thread wave wg host; do
				rows $bench $scope 1 1
				rows $bench $scope 2 11
			done
			rows ${bench%_*}_meet_${bench#*_} wg 1 600
			rows ${bench%_*}_meet_${bench#*_} thread 2 700
		} >"$work/tables/$bench.n2.tsv"
	done
fi

PATH=$work/bin:$PATH bench/plot.sh "$tables" >"$work/out" || fail "bench/plot.sh: exit $?"
[ -s "$work/points" ] || fail "nothing is drawn: $(cat "$work/out")"
awk '$2 > 1 && $3 + 0 <= x + 0; { x = $3 }' "$work/points" >"$work/back"
[ ! -s "$work/back" ] || fail "a curve goes back (curve, point, bytes, figure): $(head -n 1 "$work/back")"
[ $# -eq 0 ] || exit 0
[ "$(grep -c png "$work/out")" -eq 8 ] || fail "expected 8 pictures: $(cat "$work/out")"
# 4 tables and 2 numbers of PEs, each with 4 scopes and raw, by 3 sizes.
[ "$(wc -l <"$work/points")" -eq 120 ] || fail "expected 120 points: $(wc -l <"$work/points")"
awk '$4 >= ($1 == "raw" ? 200 : 100)' "$work/points" >"$work/other"
[ ! -s "$work/other" ] || fail "a point is another operation's: $(head -n 1 "$work/other")"
