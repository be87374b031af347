# shellcheck shell=bash disable=SC2034,SC2154 # tools/gpu-report reads this, and sets the variables
# SPDX-License-Identifier: BSD-3-Clause
#
# The page of tools/gpu-report, made anew each time from the files below $state and from rows.tsv.

# publish: writes the page and the log. Each takes its place by a rename, so both are whole at any moment.
publish() {
	(
		flock 9
		page >"$out/report.md.new" && mv "$out/report.md.new" "$out/report.md"
		cp "$rows" "$state/rows.tsv"
		tar -C "$(dirname "$logs")" -cf - log state 2>/dev/null | gzip -1 >"$out/log.tar.gz.new" &&
			mv "$out/log.tar.gz.new" "$out/log.tar.gz"
	) 9>"$out/.lock"
}

# keep_publishing SECONDS PID: publish every so many seconds while process PID lives.
keep_publishing() {
	(
		while sleep "$1" && kill -0 "$2" 2>/dev/null; do
			publish
		done >/dev/null 2>&1 &
		echo $! >"$state/publisher"
	)
}

page() {
	local gpu=no_gpu
	read -r gpu 2>/dev/null <"$state/gpu"
	echo "<!-- SPDX-License-Identifier: BSD-3-Clause -->"
	if [ -n "$simulated" ]; then
		echo "# Rehearsal $simulated, $(date -u +%F): no figure here says anything about a GPU"
	else
		echo "# ${gpu:-GPU}, $(date -u +%F)"
	fi
	echo
	echo "Written by \`tools/gpu-report\` at $(date -u +%R) UTC, second $SECONDS of $total:" \
		"$(<"$state/now"). gshmem $commit."
	page_ran
	page_failed
	page_figures
	page_parts
	echo
	echo "<!-- the page is whole -->"
}

# The parts, and how many runs of each ended how.
page_ran() {
	local name box title seconds remark
	printf '\n## What ran\n\n| part | s | passed | failed | skipped | not run | |\n'
	printf '|---|---|---|---|---|---|---|\n'
	while read -r name box title; do
		remark=$(sed -n 's/^\* //p' "$state/$name.md" 2>/dev/null | grep -F -m 1 -e '**' ||
			grep -q "^$name	" "$rows" || sed -n 's/^\* //p;T;q' "$state/$name.md" 2>/dev/null)
		[ -e "$state/$name.md" ] || remark="not begun"
		seconds=$(cat "$state/$name.seconds" 2>/dev/null || echo -)
		title=$title${remark:+: $remark}
		awk -F '\t' -v part="$name" -v s="$seconds" -v title="$title" '
			$1 == part || ($1 == "eager" && part == "retry") { n[$4]++ }
			END { printf "| %s | %s | %d | %s | %d | %d | %s |\n", part, s, n["pass"],
				n["FAIL"] ? "**" n["FAIL"] "**" : 0, n["skip"], n["no time"], title }' "$rows"
	done <<<"$plan"
}

# What failed, with its line, and what it did when it ran again.
page_failed() {
	local nfailed
	nfailed=$(failed_lines | wc -l)
	printf '\n## What failed\n\n'
	if [ "$nfailed" -eq 0 ]; then
		echo "Nothing that ran."
		return
	fi
	printf '| part | run | PEs | alone | loaded at once | |\n|---|---|---|---|---|---|\n'
	awk -F '\t' '
		$1 == "retry" { alone[$2, $3] = $4; next }
		$1 == "eager" { eager[$2, $3] = $4; next }
		$4 == "FAIL" { part[++n] = $1; what[n] = $2; npes[n] = $3; line[n] = $6 }
		END {
			for (i = 1; i <= n && i <= 40; i++) {
				key = what[i] SUBSEP npes[i]
				printf "| %s | %s | %s | %s | %s | `%s` |\n", part[i], what[i], npes[i],
					(key in alone) ? alone[key] : "-", (key in eager) ? eager[key] : "-", line[i]
			}
			if (n > 40) printf "\n%d more are in rows.tsv.\n", n - 40
		}' "$rows"
}

# best_row OP SCOPE PES COLUMN: this column of stdin's row with the most GB/s, of those whose op begins so.
best_row() {
	awk -F '\t' -v op="$1" -v scope="$2" -v pes="$3" -v c="$4" '
		op == "-" || index($1, op) != 1 || $2 != scope || $4 != pes { next }
		!n++ || $9 + 0 > best { best = $9 + 0; value = $c }
		END { if (n) print value }'
}

# bench_value BENCH OP SCOPE PES COLUMN
bench_value() {
	cat "$state/bench/$1".n*.tsv 2>/dev/null | best_row "$2" "$3" "$4" "$5"
}

# limit_value NAME
limit_value() {
	awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$logs/limits.limits.n2.txt" 2>/dev/null
}

# speed COLUMN OURS THEIRS: how fast ours is in parts of theirs; column 9 is GB/s, column 7 is µs.
speed() {
	awk -v c="$1" -v a="${2:-0}" -v b="${3:-0}" '
		BEGIN { if (a > 0 && b > 0) printf "%.2f", c == 9 ? a / b : b / a; else print "-" }'
}

# Lines: bench  op  scope  PEs  column  limit  NVSHMEM's op  title. A column of 9 is GB/s, of 7 µs.
figures() {
	cat <<-'END'
	put_grid_bw    put_grid_bw    wg     1 9 copy        nvshmem_put_           putmem_wg, best grid, GB/s
	p_quiet_lat    p_quiet_lat    thread 1 7 store_fence nvshmem_p_quiet_lat    p + quiet, µs
	amo_lat        fetch_add_lat  thread 1 7 fetch_add   nvshmem_fetch_add_lat  fetch_add, µs
	g_lat          g_lat          thread 1 7 load        nvshmem_g_lat          g, µs
	put_signal_lat put_signal_lat thread 2 7 flag        nvshmem_put_signal_lat put_signal, half a round trip, µs
	barrier_lat    barrier_lat    thread 2 7 flag        nvshmem_barrier_lat    barrier_all of 2 PEs, µs
	rpc_lat        rpc_call_lat   thread 1 7 cpu_call    -                      a kernel's call to the CPU, µs
	END
}

page_figures() {
	local bench op scope pes column limit theirs title ours value nvshmem
	local nvshmem_log=$logs/nvshmem.nvshmem.n2.txt
	[ -e "$nvshmem_log" ] || nvshmem_log=/dev/null
	printf '\n## How fast\n\n'
	case $(cat "$state/figures_sharing" "$state/sharing" 2>/dev/null | head -n 1) in
	mps | given) echo "Both PEs share one GPU under MPS." ;;
	turns)
		echo "Both PEs share one GPU and **take turns**: where PEs wait for each other, figures are time slices." ;;
	own) echo "Two PEs, each with a GPU of its own." ;;
	*) echo "Both PEs share one GPU." ;;
	esac
	echo "A speed of 1.00 is as fast as the column before it, more is faster. All figures are of this run."
	printf '\n| figure | gshmem | the machine | speed | NVSHMEM | speed |\n|---|---|---|---|---|---|\n'
	while read -r bench op scope pes column limit theirs title; do
		ours=$(bench_value "$bench" "$op" "$scope" "$pes" "$column")
		value=$(limit_value "$limit")
		nvshmem=$(best_row "$theirs" "$scope" 1 "$column" 2>/dev/null <"$nvshmem_log")
		echo "| $title | ${ours:--} | ${value:--} | $(speed "$column" "$ours" "$value") |" \
			"${nvshmem:--} | $(speed "$column" "$ours" "$nvshmem") |"
	done < <(figures)
	page_fused
	page_beside
}

# What people look for first: a kernel that communicates itself, against kernels and the CPU by turns.
page_fused() {
	cat "$state"/bench/fused.n*.tsv "$state"/bench/fused_gemm.n*.tsv "$state"/bench/apps_*.n*.tsv 2>/dev/null |
		awk -F '\t' '
		$1 ~ /^(stencil|gemm)_|_split(_|$)/ && $10 + 0 > 0 {
			if (!n++)
				print "\n| a stencil, an all-gather with a product, programs of apps/, on two PEs | bytes | fused, µs | split, µs | speed |\n|---|---|---|---|---|"
			printf "| %s | %s | %s | %s | %.2f |\n", $1, $3, $7, $10, $10 / $7
		}'
}

# The calls that the last pass of tools/report/beside.hip saw waiting for a kernel that fills the GPU.
page_beside() {
	awk -F '\t' '
		/^# pass/ { n = 0 }
		$2 == "waits" { call[n++] = $1 }
		$2 { seen++ }
		END {
			if (!seen)
				exit
			printf "\nBeside a kernel that fills the GPU these calls wait: "
			for (i = 0; i < n; i++)
				printf "%s%s", i ? "; " : "", call[i]
			print n ? "." : "none."
		}' "$logs/limits.beside.n2.txt" 2>/dev/null
}

# What the parts noted, folded.
page_parts() {
	local name box title file
	while read -r name box title; do
		[ -s "$state/$name.md" ] || continue
		printf '\n<details><summary>%s: %s</summary>\n\n' "$name" "$title"
		cat "$state/$name.md"
		printf '\n</details>\n'
	done <<<"$plan"
	for file in "$state"/bench/*.tsv; do
		[ -e "$file" ] || continue
		printf '\n<details><summary>%s</summary>\n\n```\n' "$(basename "$file" .tsv)"
		cat "$file"
		printf '```\n\n</details>\n'
	done
}
