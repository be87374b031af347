#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/results.sh [-a COUNT] [-t US] [-d] [DIRECTORY] - measure put on the cpu platform beside memcpy and
# beside Open MPI's OpenSHMEM, and write a page of it: DIRECTORY/NAME.md, .tsv and .svg. `make results` calls it.
#
#   -a, -t      alternations and the length of a batch, as for the benches
#   -d          measure nothing: draw the figure of each NAME.tsv there again
#   DIRECTORY   docs/results unless said
#
# NAME is the machine: the CPU's model and the number of cores. B is the build, build/cpu unless said, and
# OSHRUN Open MPI's launcher, oshrun unless said.

cd "$(dirname "$0")/.." || exit 1
: "${B:=build/cpu}" "${OSHRUN:=oshrun}"
. bench/draw.sh || exit 1
arguments=() again=''
while getopts a:t:d opt; do
	case $opt in
	a | t) arguments+=("-$opt" "$OPTARG") ;;
	d) again=1 ;;
	*) sed -n '4,12s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
directory=${1:-docs/results}
command -v gnuplot >/dev/null || { echo "results.sh: gnuplot is missing (Debian: gnuplot-nox)" >&2; exit 1; }
data=$(mktemp -d) || exit 1
trap 'rm -rf "$data"' EXIT

# curve TABLE OP SCOPE COLUMN: bytes and the column.
curve() {
	local points=$data/$2.$3.$4

	awk -F '\t' -v op="$2" -v scope="$3" -v c="$4" '$1 == op && $2 == scope { print $3, $c }' "$1" >"$points"
	echo "'$points' with linespoints lw 2 ps 0.5"
}

# figure BASE OTHER: draw BASE.tsv as BASE.svg. OTHER is the library beside it.
figure() {
	local tsv=$1.tsv what="A put to another process, beside memcpy and $2's OpenSHMEM" op ours others where
	where=$(described 2 "$tsv")
	{
		cat <<-END
		set multiplot layout 1,2 title "$what\n$(on_lines "$where")"
		set logscale x 2
		set logscale y 10
		set xtics ('8' 8, '64' 64, '512' 512, '4K' 4096, '32K' 32768, '256K' 262144, '2M' 2097152)
		set xrange [7:5e6]
		set xlabel 'bytes'
		set grid
		unset mxtics
		unset mytics
		set format y '%g'
		END
		# Ours by a thread and by the host, then columns of their neighbours in the thread's rows.
		for op in put_lat put_bw; do
			if [ $op = put_lat ]; then
				ours=7 others=10
				echo "set title 'putmem + quiet'; set ylabel 'µs'; set key top left"
			else
				ours=9 others=11
				echo "set title 'putmem, one quiet at the end'"
				echo "set ylabel 'GB/s'; set key bottom right"
			fi
			echo "set key Left reverse samplen 1.5"
			echo "plot $(curve "$tsv" $op thread $others) lc rgb $plain pt 0 title 'memcpy', \\"
			echo "$(curve "$tsv" $op thread $ours) lc rgb $by_thread pt 7 title 'gshmem, from a kernel', \\"
			echo "$(curve "$tsv" $op host $ours) lc rgb $by_host pt 5 title 'gshmem, from the CPU', \\"
			echo "$(curve "$tsv" ${op}_shmem thread $others) lc rgb $other pt 9 title '$2, OpenSHMEM'"
		done
	} | draw "$1" 960 470 "$what; $where" svg
}

if [ -n "$again" ]; then
	for tsv in "$directory"/*.tsv; do
		[ -f "$tsv" ] || { echo "results.sh: no table in $directory" >&2; exit 1; }
		base=${tsv%.tsv}
		# The page has the version.
		beside=$(sed -n 's/^| beside it | \(.*\), its OpenSHMEM |$/\1/p' "$base.md" 2>/dev/null)
		figure "$base" "${beside:-Open MPI}" || exit 1
		echo "results.sh: $base.svg"
	done
	exit
fi

beside=$($OSHRUN --version 2>/dev/null | sed -nE "1s/.*\((Open MPI|OpenRTE)\) */Open MPI /p")
[ -n "$beside" ] || { echo "results.sh: $OSHRUN is not Open MPI's (Debian: openmpi-bin)" >&2; exit 1; }

model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed 1q)
name=$(echo "cpu ${model:-unknown} $(nproc) cores" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9-')
page=$directory/$name.md tsv=$directory/$name.tsv svg=$directory/$name.svg
commit=$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
mkdir -p "$directory" || exit 1
log=$data/log
trap 'rm -rf "$data" "$tsv.new"' EXIT

# Open MPI's two processes bind themselves to cores. Its launcher refuses root, unless root insists.
export OSHRUN="$OSHRUN --bind-to none --host localhost:2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
load() {
	cut -d ' ' -f 1 /proc/loadavg
}
before=$(load)
mpirun=$(tests/run.sh -l)
{
	echo "# SPDX-License-Identifier: BSD-3-Clause"
	$mpirun -n 2 "$B/bench/results/put" -b 8:4194304 "${arguments[@]}" 2>"$log" </dev/null
} >"$tsv.new" || { cat "$log" >&2; echo "results.sh: $B/bench/results/put failed" >&2; exit 1; }
after=$(load)
mv "$tsv.new" "$tsv"

figure "$directory/$name" "$beside" || exit 1

# figures KIND: a table of some sizes.
figures() {
	awk -F '\t' -v kind="$1" '
	BEGIN { scopes["thread"] = "kernel"; scopes["host"] = "CPU" }
	$1 == "put_" kind && ($3 == 8 || $3 == 1024 || $3 == 65536 || $3 == 1048576) {
		row = $2 SUBSEP $3; rows[++n] = row; ours[row] = kind == "lat" ? $7 : $9
		raw[row] = kind == "lat" ? $10 : $11; of_raw[row] = $12
	}
	$1 == "put_" kind "_shmem" { shmem[$2, $3] = kind == "lat" ? $10 : $11; of_shmem[$2, $3] = $12 }
	END {
		for (i = 1; i <= n; i++) {
			row = rows[i]; split(row, part, SUBSEP)
			printf "| %s | %s | %s | %s | %s | %s | %s |\n", part[2], scopes[part[1]], ours[row],
				raw[row], of_raw[row], shmem[row], of_shmem[row]
		}
	}' "$tsv"
}
cat >"$page" <<END
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# $model, $(nproc) cores, platform cpu

Written by \`make results\`; the figures are those of [$name.tsv]($name.tsv).

![put beside memcpy and Open MPI's OpenSHMEM]($name.svg)

| | |
|---|---|
| system | $(uname -s) $(uname -r | cut -d - -f 1), $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release) |
| MPI of gshmem | $($mpirun --version 2>/dev/null | sed -n 's/^ *Version: */MPICH /p' | sed 1q) |
| beside it | $beside, its OpenSHMEM |
| commit | $commit |
| date | $(date -u '+%F %R UTC') |
| load before and after | $before, $after ($(nproc) cores; about 0 on an idle machine) |

PE 0 puts to PE 1 on the same machine, always between the same two buffers, and PE 1 sleeps. Batches of
gshmem, of memcpy and of Open MPI alternate. The figures are medians of the batches; a ratio is the median of
the ratios of neighbouring batches, which other work on the machine disturbs less. \`kernel\` is one thread of
a kernel, which the cpu platform runs on a core: no figure here says how fast a GPU is.

\`putmem\` + \`quiet\`, µs; ratios of the time, less is faster:

| bytes | by | gshmem | memcpy | ratio | Open MPI | ratio |
|---|---|---|---|---|---|---|
$(figures lat)

\`putmem\` again and again, one \`quiet\` at the end, GB/s; ratios of the rate, more is faster:

| bytes | by | gshmem | memcpy | ratio | Open MPI | ratio |
|---|---|---|---|---|---|---|
$(figures bw)
END
echo "results.sh: $page $tsv $svg"
