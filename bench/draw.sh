# SPDX-License-Identifier: BSD-3-Clause
#
# bench/draw.sh - what plot.sh and results.sh share: pictures by gnuplot. For `.`, not to run; for any sh.
# shellcheck shell=sh

# Colours with a contrast of 3 or more on white, and on the dark background below.
# shellcheck disable=SC2034 # for those who read this file
plain="'#8c8c8c'" by_thread="'#0072b2'" by_wave="'#009e73'" by_wg="'#c8660a'" by_host="'#c2408f'"
# shellcheck disable=SC2034
other="'#c8660a'"

# described PES TABLE...: "MACHINE, N cores, platform P, PES PEs, commit C" of the tables' comments, without
# the characters that gnuplot interprets.
described() {
	pes=$1
	shift
	awk -v pes="$pes" '
	/^# / && match($0, / x [0-9]+, platform [a-z]+, commit /) {
		n = split(substr($0, RSTART + 3, RLENGTH - 3), word, /[ ,]+/)
		machine = substr($0, 3, RSTART - 3) ", " word[1] " core" (word[1] == 1 ? "" : "s") ", platform " word[3]
		commit = substr($0, RSTART + RLENGTH)
		sub(/,.*/, "", commit)
		if (!seen[machine]++) machines = machines (machines ? "; " : "") machine
		if (!seen["commit " commit]++) { commits = commits (commits ? ", " : "") commit; ncommits++ }
	}
	/^# .* take turns on one GPU/ { turns = " in turns on one GPU" }
	END {
		printf "%s, %s PE%s%s, commit%s %s\n", (machines ? machines : "unknown machine"), pes,
			(pes == "1" ? "" : "s"), turns, (ncommits > 1 ? "s" : ""), (commits ? commits : "unknown")
	}' "$@" | tr -d '\\"`'"'"
}

# on_lines TEXT: for a title in gnuplot's double quotes, a long text of described in two lines.
on_lines() {
	if [ ${#1} -gt 100 ]; then
		echo "$1" | sed 's/, platform /,\\nplatform /'
	else
		echo "$1"
	fi
}

# draw BASE WIDTH HEIGHT TITLE FORMAT...: the commands on stdin, drawn as BASE.png and BASE.svg. TITLE is the
# SVG's title, which a browser shows and a screen reader reads. The SVG is light or dark, as its reader's pages.
# Uses the folder $data. Without a locale of UTF-8 gnuplot complains of a character.
# shellcheck disable=SC2154 # data
draw() {
	base=$1 width=$2 height=$3 title=$4
	shift 4
	rm -f "$data/picture"
	cat >"$data/commands"
	for format; do
		font="sans,11" terminal=pngcairo
		[ "$format" = png ] || { font=sans-serif,13 terminal=svg; }
		if ! {
			echo "set encoding utf8"
			echo "set terminal $terminal size $width,$height font '$font' background '#ffffff' noenhanced"
			echo "set output '$data/picture'"
			cat "$data/commands"
		} | LC_ALL=C.UTF-8 gnuplot || [ ! -s "$data/picture" ]; then
			echo "draw.sh: gnuplot does not draw $base.$format" >&2
			return 1
		fi
		if [ "$format" = svg ]; then
			title=$title awk '
			BEGIN {
				title = ENVIRON["title"]
				gsub(/&/, "\\&amp;", title); gsub(/</, "\\&lt;", title); gsub(/>/, "\\&gt;", title)
			}
			NR == 2 { print "<!-- SPDX-License-Identifier: BSD-3-Clause -->" }
			/^<svg/ && !named { sub(/^<svg */, "<svg role=\"img\" ") }
			/<title>/ && !named++ {
				print "<title>" title "</title>"
				print "<style>"
				print "@media (prefers-color-scheme: dark) {"
				print "\tsvg { background: #0d1117 }"
				print "\t[fill=\"#ffffff\"] { fill: #0d1117 }"
				print "\t[fill=\"black\"] { fill: #e6edf3 }"
				print "\t[stroke=\"black\"] { stroke: #e6edf3 }"
				print "\t[color=\"black\"] { color: #e6edf3 }"
				print "}"
				print "</style>"
				next
			}
			{ sub(/[ \t]+$/, ""); print }' "$data/picture" >"$data/titled" && mv "$data/titled" "$data/picture"
		fi
		mv "$data/picture" "$base.$format" || return 1
	done
}
