#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/plot.sh DIRECTORY - draw the benches' tables in DIRECTORY as curves, and print where the files are.
# Points are medians; the grey line is the raw limit of the same run. Needs gnuplot.

dir=${1:-build/cpu/bench}
command -v gnuplot >/dev/null || { echo "plot.sh: no plots: gnuplot is missing (Debian: gnuplot-nox)" >&2; exit 0; }
data=$(mktemp -d) || exit 1
trap 'rm -rf "$data"' EXIT

# curves NAME COLUMN RAW-COLUMN YLABEL: a column over bytes, one curve per scope, one file per number of active
# PEs. A table also has rows of other operations (put_meet_lat in that of put_lat), which no curve shows.
curves() {
	tsv=$dir/$1.n2.tsv
	[ -f "$tsv" ] || return 0
	for pes in 1 2; do
		plots='' at=0
		for scope in thread wave wg host; do
			at=$((at + 1))
			awk -F '\t' -v op="$1" -v s=$scope -v p=$pes -v c="$2" \
				'$1 == op && $2 == s && $4 == p { print $3, $c }' "$tsv" >"$data/$scope"
			[ -s "$data/$scope" ] && plots="$plots${plots:+, }'$data/$scope' with linespoints lw 2 pt $((at * 2 + 3)) ps 0.8 title '$scope'"
		done
		[ -n "$plots" ] || continue
		# The raw limit of the thread's rows; if there are none, of any row.
		awk -F '\t' -v op="$1" -v p=$pes -v c="$3" '
			$1 == op && $4 == p && $c + 0 > 0 && !($3 in seen) { seen[$3]; print $3, $c }' "$tsv" >"$data/raw"
		[ -s "$data/raw" ] && plots="'$data/raw' with lines lw 6 lc rgb '#c0c0c0' title 'raw limit', $plots"
		both=$([ $pes = 2 ] && echo ', both PEs at once' || echo ', one direction')
		png=$dir/$1$([ $pes = 2 ] && echo _both).png
		gnuplot <<-END && echo "$png"
			set terminal pngcairo size 900,560 font 'sans,11' noenhanced
			set output '$png'
			set title '$1$both'
			set logscale x 2
			set logscale y 10
			set xtics ('8' 8, '64' 64, '512' 512, '4K' 4096, '32K' 32768, '256K' 262144, '2M' 2097152, '16M' 16777216, '64M' 67108864)
			set xrange [7:8e7]
			set xlabel 'bytes'
			set ylabel '$4'
			set grid
			set key $([ "$2" = 9 ] && echo 'bottom right' || echo 'top left')
			plot $plots
		END
	done
}

# Bars: the small operations, ours beside raw.
bars() {
	for f in p_quiet_lat.n2 p_rate.n2 g_lat.n2 amo_lat.n2 amo_rate.n2 put_signal_lat.n2 barrier_lat.n2 barrier_lat.n4 launch_lat.n2; do
		[ -f "$dir/$f.tsv" ] || continue
		awk -F '\t' '/^#/ || $1 == "op" { next }
			($2 == "thread" || $2 == "host") && $10 != "-" { printf "\"%s, %s, %d PE%s\" %s %s\n", $1, $2, $4, ($4 > 1 ? "s" : ""), $7 * 1000, $10 * 1000 }' "$dir/$f.tsv"
	done >"$data/bars"
	[ -s "$data/bars" ] || return 0
	png=$dir/small.png
	gnuplot <<-END && echo "$png"
		set terminal pngcairo size 1200,640 font 'sans,11' noenhanced
		set output '$png'
		set title 'Operations of 8 bytes, barriers and launches: time of one'
		set logscale y 10
		set ylabel 'ns'
		set style data histograms
		set style histogram clustered gap 1
		set style fill solid 0.9 noborder
		set xtics rotate by 45 right
		set bmargin 12
		set lmargin 14
		set grid y
		set key top left
		plot '$data/bars' using 2:xtic(1) lc rgb '#3060c0' title 'gshmem', '' using 3 lc rgb '#c0c0c0' title 'raw limit'
	END
}

# The fused kernel against the split one.
fused() {
	[ -f "$dir/fused.n2.tsv" ] || return 0
	awk -F '\t' '$1 ~ /^stencil/ { sub("stencil_", "", $1); printf "\"%s\" %s %s %s\n", $1, $7, $10, $12 }' "$dir/fused.n2.tsv" >"$data/fused"
	[ -s "$data/fused" ] || return 0
	png=$dir/fused.png
	gnuplot <<-END && echo "$png"
		set terminal pngcairo size 900,560 font 'sans,11' noenhanced
		set output '$png'
		set title 'Stencil with halo exchange, 2 PEs: one fused kernel against kernel + CPU communication + kernel'
		set logscale y 10
		set xlabel 'grid per PE'
		set ylabel 'us per iteration'
		set style data histograms
		set style histogram clustered gap 1
		set style fill solid 0.9 noborder
		set grid y
		set key top left
		set tmargin 4
		plot '$data/fused' using 2:xtic(1) lc rgb '#3060c0' title 'fused', '' using 3 lc rgb '#e08030' title 'split', \
			'' using 0:(\$2 > \$3 ? \$2 : \$3):(sprintf('%.1f x', \$3 / \$2)) with labels offset 0,0.8 notitle
	END
}

echo "plots:"
curves put_bw 9 11 'GB/s of each PE'
curves get_bw 9 11 'GB/s of each PE'
curves put_lat 7 10 'us'
curves get_lat 7 10 'us'
bars
fused
