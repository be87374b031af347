#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# bench/plot.sh draws a curve through the rows of one operation. Tables of two operations, with the scopes and
# PEs that the benches print, go to a gnuplot of this test, which keeps what it is told to draw. Then a real
# gnuplot draws: each picture is there as PNG and as SVG, says its machine, PEs and commit, names what gshmem is
# compared with, and has colours that are seen on white and on black. So do the figures in docs/results.
#
#   tests/plot.sh [DIRECTORY]   with DIRECTORY: the first part, of the tables there

cd "$(dirname "$0")/.." || exit
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tables"

fail() {
	echo "tests/plot.sh: $*"
	exit 1
}

# It draws nothing, and keeps the commands, and the points of each file that they name: "FILE N X Y", for point
# N. It fails for what NO_PICTURE names.
cat >"$work/bin/gnuplot" <<END
#!/bin/bash
commands=\$(cat)
[ -z "\${NO_PICTURE-}" ] || [[ \$commands != *"\$NO_PICTURE"* ]] || exit 1
output=\$(echo "\$commands" | sed -n "s/^set output '\(.*\)'/\1/p")
printf '<svg \n>\n<title>Gnuplot</title>\n</svg>\n' >"\$output"
[[ \$commands == *'set terminal svg '* ]] || exit 0
echo "\$commands" >>"$work/commands"
for file in \$(echo "\$commands" | sed -n '/^plot /,\$p' | grep -o "'/[^']*'" | tr -d \'); do
	case \$file in */small* | */fused) continue ;; esac
	awk -v file="\${file##*/}" '{ print file, NR, \$0 }' "\$file"
done >>"$work/points"
END
chmod +x "$work/bin/gnuplot"

head_line() {
	echo "# $1, 9 alternations of 1000 us, PE i and its raw process on core i mod 2"
	printf 'op\tscope\tbytes\tpes\treps\tmin_us\tmedian_us\tmax_us\tGB_s\traw_us\traw_GB_s\tratio\n'
}

# rows OP SCOPE PES FIRST: three rows of a table; their medians begin at FIRST, raw's at 100 more.
rows() {
	local bytes us=$4
	for bytes in 8 64 512; do
		printf '%s\t%s\t%d\t%d\t10\t1\t%d\t1\t%d\t%d\t%d\t1.0\n' "$1" "$2" $bytes "$3" "$us" "$us" \
			$((us + 100)) $((us + 100))
		us=$((us + 1))
	done
}

# make_tables DIRECTORY MACHINE SCOPE...: of all benches that plot.sh draws; MACHINE is a table's first line.
make_tables() {
	local bench scope folder=$1 machine=$2
	shift 2
	mkdir -p "$folder"
	for bench in put_bw get_bw put_lat get_lat; do
		{
			head_line "$machine"
			rows ${bench%_*}_meet_${bench#*_} wg 1 500
			for scope; do
				rows $bench "$scope" 1 1
				rows $bench "$scope" 2 11
			done
			rows ${bench%_*}_meet_${bench#*_} wg 1 600
			rows ${bench%_*}_meet_${bench#*_} thread 2 700
		} >"$folder/$bench.n2.tsv"
	done
}

# make_small DIRECTORY MACHINE: tables of small operations, and of the fused kernel.
make_small() {
	{
		head_line "$2"
		printf 'p_rate\tthread\t8\t1\t9\t1\t0.002\t1\t4\t0.001\t8\t0.5\n'
		printf 'p_rate\thost\t8\t1\t9\t1\t0.004\t1\t2\t-\t-\t-\n'
	} >"$1/p_rate.n2.tsv"
	{
		head_line "$2"
		printf 'barrier_lat\thost\t0\t4\t9\t1\t3\t1\t-\t4\t-\t0.75\n'
		printf 'barrier_lat\twg\t0\t4\t9\t1\t30\t1\t-\t4\t-\t7.5\n'
	} >"$1/barrier_lat.n4.tsv"
	{
		head_line "$2"
		printf 'stencil_32x32\twg\t256\t2\t9\t1\t10\t1\t1\t20\t1\t0.5\n'
		printf 'stencil_64x64\twg\t512\t2\t9\t1\t40\t1\t1\t30\t1\t1.3\n'
	} >"$1/fused.n2.tsv"
}
# A name that a shell, gnuplot and XML would each take for something else.
export RAN=$work/ran # no part of the text, whose length decides whether a title has two lines
machine="A&B <\"\`touch \$RAN\`\" 'CPU'\\n x 2, platform cpu, commit 1a2b3c4-dirty, bench -t 5"
tables=${1:-$work/tables}
if [ $# -eq 0 ]; then
	make_tables "$tables" "$machine" thread wave wg host
fi
pictures=$work/pictures
cp -r "$tables" "$pictures"

PATH=$work/bin:$PATH bench/plot.sh "$pictures" >"$work/out" || fail "bench/plot.sh: exit $?"
[ -s "$work/points" ] || fail "nothing is drawn: $(cat "$work/out")"
awk '$2 > 1 && $3 + 0 <= x + 0; { x = $3 }' "$work/points" >"$work/back"
[ ! -s "$work/back" ] || fail "a curve goes back (curve, point, bytes, figure): $(head -n 1 "$work/back")"
[ $# -eq 0 ] || exit 0
for format in png svg; do
	[ "$(grep -c "\.$format\$" "$work/out")" -eq 8 ] || fail "expected 8 pictures, .$format: $(cat "$work/out")"
done
# 4 tables and 2 numbers of PEs, each with 4 scopes and what is plain, by 3 sizes.
[ "$(wc -l <"$work/points")" -eq 120 ] || fail "expected 120 points: $(wc -l <"$work/points")"
awk '$4 >= ($1 == "plain" ? 200 : 100)' "$work/points" >"$work/other"
[ ! -s "$work/other" ] || fail "a point is another operation's: $(head -n 1 "$work/other")"
[ ! -e "$work/ran" ] || fail "the machine's name ran as a command"

# commands_are N PATTERN: that many pictures have it in their commands.
commands_are() {
	[ "$(grep -c -- "$2" "$work/commands")" -eq "$1" ] ||
		fail "$(grep -c -- "$2" "$work/commands") pictures, not $1, are told: $2"
}

# What stands beside is named; the fibers are spoken of where there are some.
commands_are 4 "title 'memcpy'"
commands_are 2 "title 'memcpy and a fence'"
commands_are 2 "title 'memcpy and a read'"
commands_are 8 'fibers of one CPU thread'
commands_are 4 'At 8 bytes: 1 µs by a wave, 1 µs by a work-group, 1 µs by one thread'
rm "$work/commands"
make_tables "$work/thread" "$machine" thread
PATH=$work/bin:$PATH bench/plot.sh "$work/thread" >/dev/null || fail "a thread's tables: exit $?"
commands_are 0 fibers
rm "$work/commands"
# A long name takes two lines.
gpu="A GPU with a name of its own, a CPU that has a long name, too"
make_tables "$work/gpu" "$gpu x 8, platform amd, commit 1a2b3c4, bench" wg host
sed -i '1a # 2 PEs take turns on one GPU: where pes is not 1, time slices are measured' "$work"/gpu/*.tsv
PATH=$work/bin:$PATH bench/plot.sh "$work/gpu" >/dev/null || fail "a GPU's tables: exit $?"
commands_are 0 fibers
commands_are 0 memcpy
commands_are 8 "title 'copy by a plain kernel of a work-group'"
commands_are 8 "\\\\n$gpu, 8 cores,\\\\nplatform amd, 2 PEs in turns on one GPU, commit 1a2b3c4\"\$"
commands_are 4 'this shows time slices'
rm "$work/commands"

# What cannot be drawn is an error, and leaves the others and an older picture.
echo old >"$pictures/get_lat.svg"
if NO_PICTURE='get_lat, one' PATH=$work/bin:$PATH bench/plot.sh "$pictures" >"$work/out" 2>"$work/error"; then
	fail "gnuplot fails, and bench/plot.sh does not"
fi
grep -q "does not draw .*get_lat.png" "$work/error" || fail "no word of the picture: $(cat "$work/error")"
[ "$(cat "$pictures/get_lat.svg")" = old ] || fail "the older picture is gone"
[ "$(grep -c '\.svg$' "$work/out")" -eq 7 ] || fail "one failure takes others along: $(cat "$work/out")"

# check_svg FILE TITLE: it is XML, says TITLE first and on the picture, and speaks of µs and not of a limit; on
# white and on the dark background each colour of a curve has a contrast of 3 or more.
check_svg() {
	local text
	! command -v python3 >/dev/null || python3 -c 'import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
first = root[0]
sys.exit(not (first.tag.endswith("}title") and root.get("role") == "img"))' "$1" ||
		fail "$1: no XML, or no <title> of its own"
	text=$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' "$1" | sed 1q)
	[[ $text == *"; $2" ]] || fail "$1: its title is \"$text\", not of \"$2\""
	grep -qF "$2" <(grep '<text>' "$1") || fail "$1: the picture does not say \"$2\""
	! grep -iE 'raw|[^a-z]us[^a-z]|Gnuplot</title>' <(grep -E '<text>|<title>' "$1") ||
		fail "$1: the line above"
	grep -q '@media (prefers-color-scheme: dark)' "$1" || fail "$1: nothing for dark pages"
	grep -q 'svg { background: #0d1117 }' "$1" || fail "$1: alone in a dark window it is on white"
	grep -oE "rgb\( *[0-9]+, *[0-9]+, *[0-9]+\)" "$1" | sort -u | tr -cs '0-9\n' ' ' >"$work/colours"
	[ -s "$work/colours" ] || fail "$1: no curve has a colour"
	awk '
	function part(c) { c /= 255; return c <= 0.03928 ? c / 12.92 : exp(2.4 * log((c + 0.055) / 1.055)) }
	function light(r, g, b) { return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b) + 0.05 }
	light(255, 255, 255) / light($1, $2, $3) < 3 || light($1, $2, $3) / light(13, 17, 23) < 3' \
		"$work/colours" >"$work/faint"
	[ ! -s "$work/faint" ] || fail "$1: hardly seen on white or on a dark page: rgb $(sed 1q "$work/faint")"
}

. bench/draw.sh
for svg in docs/results/*.svg; do
	where=$(described 2 "${svg%.svg}.tsv")
	check_svg "$svg" "$where"
	[[ $where =~ ,\ [0-9]+\ cores?,\ platform\ cpu,\ 2\ PEs,\ commit\ [0-9a-f]+ ]] || fail "$svg: $where"
done

if ! command -v gnuplot >/dev/null; then
	echo "needs gnuplot (Debian: gnuplot-nox) to draw; what does not has passed"
	exit 77
fi
rm -rf "$pictures"
cp -r "$tables" "$pictures"
make_small "$pictures" "$machine"
bench/plot.sh "$pictures" >"$work/out" 2>&1 || fail "gnuplot: $(cat "$work/out")"
[ "$(wc -l <"$work/out")" -eq 21 ] || fail "expected 20 pictures and no message: $(cat "$work/out")"
for svg in "$pictures"/*.svg; do
	pes=2
	[ "${svg##*/}" != small.svg ] || pes='2 and 4'
	check_svg "$svg" "A&amp;B &lt;touch \$RAN CPUn, 2 cores, platform cpu, $pes PEs, commit 1a2b3c4-dirty"
	[ "$(head -c 4 "${svg%.svg}.png" | tail -c 3)" = PNG ] || fail "${svg%.svg}.png is no PNG"
done
[ ! -e "$work/ran" ] || fail "the machine's name ran as a command"
grep -qF 'fibers of one CPU thread' "$pictures/put_lat.svg" || fail "put_lat.svg: no word of fibers"
for text in 'a store' 'flags or a counter' '0.75' '2.00'; do
	grep -qF "<text>$text</text>" "$pictures/small.svg" || fail "small.svg does not say: $text"
done
# Some benches alone, or with nothing plain beside them.
for case in p_rate.n2:thread: p_rate.n2:host:- barrier_lat.n4:: barrier_lat.n4::-; do
	IFS=: read -r bench scope none <<<"$case"
	rm -rf "$pictures" "$work/alone"
	mkdir "$pictures" "$work/alone"
	make_small "$pictures" "$machine"
	awk -F '\t' -v OFS='\t' -v scope="$scope" -v none="$none" '
		/^#/ || $1 == "op" { print; next }
		none { $10 = $11 = $12 = none }
		!scope || $2 == scope' "$pictures/$bench.tsv" >"$work/alone/$bench.tsv"
	bench/plot.sh "$work/alone" >"$work/out" 2>&1 || fail "$case: $(cat "$work/out")"
	[ "$(wc -l <"$work/out")" -eq 3 ] || fail "$case: expected 2 pictures and no message: $(cat "$work/out")"
	check_svg "$work/alone/small.svg" \
		"A&amp;B &lt;touch \$RAN CPUn, 2 cores, platform cpu, ${bench#*.n} PEs, commit 1a2b3c4-dirty"
done

mkdir "$work/results"
cp docs/results/*.tsv docs/results/*.md "$work/results"
bench/results.sh -d "$work/results" >"$work/out" 2>&1 || fail "bench/results.sh -d: $(cat "$work/out")"
for svg in docs/results/*.svg; do
	again=$work/results/${svg##*/}
	check_svg "$again" "$(sed -n 's/.*<title>.*; \(.*\)<\/title>.*/\1/p' "$svg" | sed 1q)"
	# The words; where they stand depends on the fonts.
	diff <(grep -o '<text>.*\|<title>.*' "$svg") <(grep -o '<text>.*\|<title>.*' "$again") >"$work/diff" ||
		fail "$svg is not what bench/results.sh -d draws of its table: $(sed 1,5q "$work/diff")"
done
rm "$work"/results/*.tsv
! bench/results.sh -d "$work/results" >"$work/out" 2>&1 || fail "bench/results.sh -d draws no table"

# A whole run, in which the committed table is what the PEs print.
mkdir -p "$work/build/bench/results"
cat >"$work/bin/mpirun" <<'END'
#!/bin/bash
case $1 in --version) echo "    Version:                                 4.0.2" ;; *) shift 2; exec "$@" ;; esac
END
printf '#!/bin/sh\necho "mpirun (Open MPI) 9.8.7"\n' >"$work/bin/oshrun"
printf '#!/bin/sh\ntail -n +2 "%s/docs/results/cpu-amd-epyc-2-cores.tsv"\n' "$PWD" >"$work/build/bench/results/put"
chmod +x "$work/bin/mpirun" "$work/bin/oshrun" "$work/build/bench/results/put"
B=$work/build MPIRUN=$work/bin/mpirun OSHRUN=$work/bin/oshrun bench/results.sh "$work/page" >"$work/out" 2>&1 ||
	fail "bench/results.sh: $(cat "$work/out")"
page=$(echo "$work"/page/*.md)
cmp -s docs/results/cpu-amd-epyc-2-cores.tsv "${page%.md}.tsv" || fail "bench/results.sh keeps another table"
check_svg "${page%.md}.svg" "$(described 2 docs/results/cpu-amd-epyc-2-cores.tsv)"
diff <(sed -n '/^PE 0 puts/,$p' docs/results/cpu-amd-epyc-2-cores.md) <(sed -n '/^PE 0 puts/,$p' "$page") \
	>"$work/diff" || fail "bench/results.sh writes another page: $(sed 1,5q "$work/diff")"
grep -qF 'Open MPI 9.8.7' "$page" || fail "the page does not say what it compares with"
grep -qF 'Open MPI 9.8.7, OpenSHMEM</text>' "${page%.md}.svg" || fail "nor does the figure"
