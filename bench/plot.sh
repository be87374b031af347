#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/plot.sh DIRECTORY - draw the benches' tables in DIRECTORY as curves, each as PNG and as SVG, and print
# where the files are. Points are medians; grey is what the machine does without gshmem, in the same run. Needs
# gnuplot.

dir=${1:-build/cpu/bench}
command -v gnuplot >/dev/null || { echo "plot.sh: no plots: gnuplot is missing (Debian: gnuplot-nox)" >&2; exit 0; }
# shellcheck source=bench/draw.sh
. "$(dirname "$0")/draw.sh" || exit 1
data=$(mktemp -d) || exit 1
trap 'rm -rf "$data"' EXIT

ratios="('0.06' 0.0625, '0.12' 0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)"

# picture BASE WIDTH HEIGHT TITLE: the commands on stdin, in both formats. A failure leaves the other pictures.
picture() {
	if draw "$1" "$2" "$3" "$4" png svg; then
		printf '%s\n' "$1.png" "$1.svg"
	else
		status=1
	fi
}

# on_cpu TABLE
on_cpu() {
	grep -q '^# .*, platform cpu, ' "$1"
}

# plain_name OP SCOPE TABLE: what a call of this scope is compared with in a table of copies.
plain_name() {
	if on_cpu "$3"; then
		case $1 in
		put_lat) echo "memcpy and a fence" ;;
		get_lat) echo "memcpy and a read" ;;
		*) echo memcpy ;;
		esac
	else
		case $2 in
		host) echo hipMemcpyAsync ;;
		thread) echo "copy by a plain kernel of one thread" ;;
		wave) echo "copy by a plain kernel of a wave" ;;
		*) echo "copy by a plain kernel of a work-group" ;;
		esac
	fi
}

# note OP PES TABLE: commands for two lines below the curves, if something has to be said about them.
note() {
	if on_cpu "$3"; then
		awk -F '\t' -v op="$1" -v pes="$2" '
		$1 == op && $4 == pes && (!(($2) in us) || $3 + 0 < bytes[$2]) { us[$2] = $7; bytes[$2] = $3 + 0 }
		END {
			if (!("wave" in us) && !("wg" in us)) exit
			name["wave"] = "a wave"; name["wg"] = "a work-group"; name["thread"] = "one thread"
			for (i = split("wave wg thread", scopes, " "); i; i--)
				if (scopes[i] in us) {
					what = sprintf("%.3g µs by %s", us[scopes[i]], name[scopes[i]])
					list = list ? what ", " list : what
					smallest = bytes[scopes[i]]
				}
			print "set bmargin 6.5"
			print "set label 1 \"Wave, work-group: the cpu platform runs their threads as fibers of one CPU thread. A call stops and resumes\" at screen 0.02, character 2.1"
			printf "set label 2 \"each, whatever its bytes. At %d bytes: %s.\" at screen 0.02, character 0.9\n", smallest, list
		}' "$3"
	elif [ "$2" != 1 ] && grep -q '^# .* take turns on one GPU' "$3"; then
		echo "set bmargin 6.5"
		echo "set label 1 'The PEs take turns on one GPU: this shows time slices.' at screen 0.02, character 0.9"
	fi
}

# curves NAME COLUMN PLAIN-COLUMN YLABEL WHAT: a column over bytes, one curve per scope, one picture per number
# of active PEs. A table also has rows of other operations (put_meet_lat in that of put_lat), which no curve
# shows.
curves() {
	tsv=$dir/$1.n2.tsv
	[ -f "$tsv" ] || return 0
	for active in 1 2; do
		plots='' at=0 compared=''
		for scope in thread wave wg host; do
			at=$((at + 1))
			awk -F '\t' -v op="$1" -v s=$scope -v p=$active -v c="$2" \
				'$1 == op && $2 == s && $4 == p { print $3, $c }' "$tsv" >"$data/$scope"
			case $scope in
			thread) color=$by_thread label='one thread of a kernel' ;;
			wave) color=$by_wave label='a wave' ;;
			wg) color=$by_wg label='a work-group (wg) of 256' ;;
			host) color=$by_host label='the host' ;;
			esac
			[ -s "$data/$scope" ] && plots="$plots${plots:+, }'$data/$scope' with linespoints lw 2 lc rgb $color pt $((at * 2 + 3)) ps 0.8 title '$label'"
			# The neighbour of the thread's rows; if they have none, of the next scope's.
			[ -n "$compared" ] || {
				awk -F '\t' -v op="$1" -v s=$scope -v p=$active -v c="$3" \
					'$1 == op && $2 == s && $4 == p && $c + 0 > 0 { print $3, $c }' "$tsv" >"$data/plain"
				[ ! -s "$data/plain" ] || compared=$scope
			}
		done
		[ -n "$plots" ] || continue
		[ -z "$compared" ] || plots="'$data/plain' with lines lw 6 lc rgb $plain title '$(plain_name "$1" $compared "$tsv")', $plots"
		[ $active = 2 ] && ways='both PEs at once' || ways='one direction'
		where=$(described 2 "$tsv")
		picture "$dir/$1$([ $active = 2 ] && echo _both)" 900 600 "$1, $ways: $5; $where" <<-END
			set title "$1, $ways: $5\n$(on_lines "$where")"
			set logscale x 2
			set logscale y 10
			set format y '%g'
			set xtics ('8' 8, '64' 64, '512' 512, '4K' 4096, '32K' 32768, '256K' 262144, '2M' 2097152, '16M' 16777216, '64M' 67108864)
			set xrange [7:8e7]
			set xlabel 'bytes'
			set ylabel '$4'
			set grid
			set key Left reverse samplen 2.5 $([ "$2" = 9 ] && echo 'bottom right' || echo 'top left')
			$(note "$1" $active "$tsv")
			plot $plots
		END
	done
}

# around_one COLUMN FILE: "LOW:HIGH", a range around 1 and the column's figures, with room for labels.
around_one() {
	awk -F '\t' -v c="$1" 'BEGIN { low = 0.5; high = 2 }
		$c + 0 > 0 { if ($c < low) low = $c + 0; if ($c > high) high = $c + 0 }
		END { printf "%g:%g", low * 0.8, high * 2 }' "$2"
}

# around_times COLUMN COLUMN FILE: "LOW:HIGH", a range around the figures of two columns.
around_times() {
	cut -f "$1,$2" "$3" | tr '\t' '\n' | awk '
		$1 + 0 > 0 { if (!low || $1 + 0 < low) low = $1 + 0; if ($1 + 0 > high) high = $1 + 0 }
		END { printf "%g:%g", low / 2, high * 2 }'
}

# The small operations by a thread and by the host: the time of one, and in parts of what is plain.
small() {
	rm -f "$data/small"
	set --
	for f in p_quiet_lat.n2 p_rate.n2 g_lat.n2 amo_lat.n2 amo_rate.n2 put_signal_lat.n2 barrier_lat.n2 barrier_lat.n4 launch_lat.n2; do
		[ ! -f "$dir/$f.tsv" ] || set -- "$@" "$dir/$f.tsv"
	done
	[ $# -gt 0 ] || return 0
	# Label, row, time of ours, of plain, ratio of the times, what is plain. p_rate's ratio is of rates.
	for scope in thread host; do
		awk -F '\t' -v scope=$scope '
		/^# .*, platform / { cpu = /, platform cpu, / }
		/^#/ || $1 == "op" || ($2 != "thread" && $2 != "host") { next }
		{ row++ }
		$2 != scope { next }
		{
			plain = "-"
			if ($1 == "p_quiet_lat") plain = "a store and a fence"
			else if ($1 == "p_rate") plain = "a store"
			else if ($1 ~ /^g/) plain = "a load"
			else if ($1 ~ /add/) plain = cpu ? "the atomic instruction" : "atomicAdd_system"
			else if ($1 ~ /^put_signal/) plain = "a flag and its data"
			else if ($1 ~ /^barrier/) plain = "flags or a counter"
			else if ($1 ~ /^launch/) plain = "a wake-up and back"
			ratio = $12 + 0 > 0 ? ($1 == "p_rate" ? 1 / $12 : $12 + 0) : "NaN"
			printf "\"%s, %s, %d PE%s\"\t%d\t%s\t%s\t%s\t\"%s\"\n", $1, $2, $4, ($4 > 1 ? "s" : ""), -row, $7,
				($10 + 0 > 0 ? $10 : "NaN"), ratio, (ratio == "NaN" ? "" : plain)
		}' "$@" >"$data/small_$scope"
	done
	cat "$data/small_thread" "$data/small_host" | sort -t "$(printf '\t')" -k 2,2nr >"$data/small"
	[ -s "$data/small" ] || return 0
	# A row without anything plain beside it has only its time.
	awk -F '\t' '$4 != "NaN"' "$data/small" >"$data/small_plain"
	times='' bars=''
	[ ! -s "$data/small_plain" ] ||
		times=", '$data/small_plain' using 4:2 with points pt 5 ps 1.3 lc rgb $plain title 'what stands at the right'"
	for scope in thread host; do
		[ -s "$data/small_$scope" ] || continue
		case $scope in
		thread) look="pt 7 ps 1 lc rgb $by_thread title 'by a thread of a kernel'" color=$by_thread ;;
		*) look="pt 9 ps 1.2 lc rgb $by_host title 'by the host'" color=$by_host ;;
		esac
		times="$times, '$data/small_$scope' using 3:2 with points $look"
		grep -v NaN "$data/small_$scope" >"$data/small_bars_$scope" || continue
		bars="$bars, '$data/small_bars_$scope' using 5:2:(\$5 < 1 ? \$5 : 1):(\$5 < 1 ? 1 : \$5):(\$2 - 0.3):(\$2 + 0.3) with boxxyerror lc rgb $color notitle"
	done
	[ ! -s "$data/small_plain" ] ||
		bars="$bars, '$data/small_plain' using (\$5 < 1 ? 1 : \$5):2:(sprintf('%.2f', \$5)) with labels left offset 0.5,0 font ',9' notitle"
	nrows=$(wc -l <"$data/small")
	case $* in
	*.n2.tsv*.n4.tsv*) pes='2 and 4' ;;
	*.n4.tsv*) pes=4 ;;
	*) pes=2 ;;
	esac
	height=$((nrows * 21 + 140))
	where=$(described "$pes" "$@")
	what='Operations of 8 bytes, barriers and launches: by a thread of a kernel, and by the host'
	picture "$dir/small" 1100 $height "$what; $where" <<-END
		set multiplot title "$what\n$(on_lines "$where")"
		set tmargin at screen 1 - $([ ${#where} -gt 100 ] && echo 84. || echo 64.) / $height
		set bmargin at screen 72. / $height
		set yrange [-$nrows - 0.7:-0.3]
		set y2range [-$nrows - 0.7:-0.3]
		set logscale x 10
		set grid x y
		set tics scale 0.5
		set xrange [$(around_times 3 4 "$data/small")]
		set lmargin at screen 0.245
		set rmargin at screen 0.535
		set format x '%g'
		set xlabel 'µs'
		set key at screen 0.01, screen 64. / $height top left Left reverse samplen 1
		plot '$data/small' using 3:2:ytic(1) with points pt 0 ps 0 lc rgb $plain notitle$times
		set lmargin at screen 0.56
		set rmargin at screen 0.82
		set logscale x 2
		set xlabel "in parts of the time of what stands at the right;\nbelow 1 is faster"
		set xtics $ratios
		set ytics format ''
		unset ytics
		set y2tics scale 0
		set arrow 1 from 1, graph 0 to 1, graph 1 nohead lw 2 lc rgb $plain back
		set style fill solid 1 noborder
		unset key
		set xrange [$(around_one 5 "$data/small")]
		plot '$data/small' using (1):2:y2tic(6) axes x1y2 with points pt 0 ps 0 lc rgb $plain notitle$bars
	END
}

# The fused kernel against the split one: the time, and the ratio that is the table's last column.
fused() {
	tsv=$dir/fused.n2.tsv
	[ -f "$tsv" ] || return 0
	awk -F '\t' '$1 ~ /^stencil/ { sub("stencil_", "", $1); printf "%s\t%s\t%s\t%s\n", $1, $7, $10, $12 }' "$tsv" >"$data/fused"
	[ -s "$data/fused" ] || return 0
	where=$(described 2 "$tsv")
	what='Stencil with a halo exchange: in one fused kernel, or split by puts of the CPU between kernels'
	picture "$dir/fused" 1100 520 "$what; $where" <<-END
		set multiplot layout 1,2 title "$what\n$(on_lines "$where")"
		set tmargin 1.5
		set bmargin 5
		set xtics rotate by 30 right
		set xlabel 'points of the grid of each PE'
		set xrange [-0.5:$(wc -l <"$data/fused") - 0.5]
		set grid
		set logscale y 10
		set format y '%g'
		set yrange [$(around_times 2 3 "$data/fused")]
		set ylabel 'µs per iteration'
		set key top left Left reverse samplen 2.5
		plot '$data/fused' using 0:3:xtic(1) with linespoints lw 2 pt 9 ps 1 lc rgb $other title 'split', \
			'' using 0:2 with linespoints lw 2 pt 7 ps 0.8 lc rgb $by_thread title 'fused'
		set logscale y 2
		set ytics $ratios
		set yrange [$(around_one 4 "$data/fused")]
		set ylabel 'fused / split, median of ratios; below 1 is faster'
		set style fill solid 1 noborder
		set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lw 2 lc rgb $plain back
		unset key
		plot '$data/fused' using 0:4:xtic(1) with points pt 0 ps 0 lc rgb $plain notitle, \
			'' using 0:(1):(\$0 - 0.3):(\$0 + 0.3):(\$4 < 1 ? \$4 : 1):(\$4 < 1 ? 1 : \$4) with boxxyerror lc rgb $by_thread notitle, \
			'' using 0:4:(\$4 < 1 ? '' : sprintf('%.2f', \$4)) with labels offset 0,0.7 notitle, \
			'' using 0:4:(\$4 < 1 ? sprintf('%.2f', \$4) : '') with labels offset 0,-0.7 notitle
	END
}

status=0
echo "plots:"
curves put_bw 9 11 'GB/s of each PE' 'putmem again and again, one quiet at the end'
curves get_bw 9 11 'GB/s of each PE' 'getmem again and again'
curves put_lat 7 10 'µs' 'putmem + quiet'
curves get_lat 7 10 'µs' 'getmem; in kernels each after a read of what the last one brought'
small
fused
exit $status
