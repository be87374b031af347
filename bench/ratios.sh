#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/ratios.sh DIRECTORY [nodes] - print the figures that have a limit, from the benches'
# tables in DIRECTORY. `make bench` ends with it.  Exit status 0 whatever the figures are: a
# loaded machine is not a failure.

dir=${1:-build/cpu/bench} kind=${2-}
cd "$dir" || exit 2

# The platform of the tables, and whether PEs took turns on one GPU.
platform=$(sed -n 's/^#.*, platform \([a-z]*\),.*/\1/p' ./*.tsv 2>/dev/null | head -n 1)
turns=$(grep -l '^# .* take turns on one GPU' ./*.tsv 2>/dev/null | head -n 1)

# Lines: FILE  op  scope  bytes (lowest:highest)  pes  comparison  limit  name.  `abs`: the limit applies to
# the median in us; `mid`: >=, to the median of the rows; `peak`: >=, to the best row. `best`, `worst`,
# `turns`: no limit. The ops stencil and put_grid_bw_ stand for all that begin so.
cpu_limits() {
	cat <<-'END'
	p_quiet_lat.n2     p_quiet_lat    thread 8:8             1 <= 1.5  8-byte p + quiet
	g_lat.n2           g_lat          thread 8:8             1 <= 2    8-byte g
	g_lat.n2           get1_lat       thread 8:8             1 <= 2    8-byte get
	amo_lat.n2         fetch_add_lat  thread 8:8             1 <= 1.5  fetch_add, alone
	amo_lat.n2         fetch_add_lat  thread 8:8             2 <= 1.5  fetch_add, both PEs on one word
	put_bw.n2          put_bw         thread 64:64           1 >= 0.8  putmem 64 B
	put_bw.n2          put_bw         thread 1024:1024       1 >= 0.9  putmem 1 KiB
	put_bw.n2          put_bw         thread 65536:67108864  1 mid 0.95 putmem 64 KiB to 64 MiB, median size
	put_bw.n2          put_bw         thread 65536:67108864  1 >= 0.95 putmem 64 KiB to 64 MiB, worst size
	get_bw.n2          get_bw         thread 64:64           1 >= 0.8  getmem 64 B
	get_bw.n2          get_bw         thread 1024:1024       1 >= 0.9  getmem 1 KiB
	get_bw.n2          get_bw         thread 65536:67108864  1 mid 0.95 getmem 64 KiB to 64 MiB, median size
	get_bw.n2          get_bw         thread 65536:67108864  1 >= 0.95 getmem 64 KiB to 64 MiB, worst size
	put_lat.n2         put_lat        wg     8:8             1 best -  8-byte putmem_wg + quiet_wg, work-group of 256
	put_lat.n2         put_meet_lat   wg     8:8             1 <= 1.2  the same, of a thread's and two meetings
	get_lat.n2         get_lat        wg     8:8             1 best -  8-byte getmem_wg
	get_lat.n2         get_meet_lat   wg     8:8             1 <= 1    the same, of a thread's and two meetings
	put_signal_lat.n2  put_signal_lat thread 8:8             2 <= 1.5  put_signal half round trip, kernels
	put_signal_lat.n2  put_signal_lat host   8:8             2 <= 1.5  put_signal half round trip, hosts
	test_lat.n2        test_lat       host   0:0             2 <= 1.5  loop around test, 2 PEs, of wait_until
	test_lat.n3        test_lat       host   0:0             3 <= 1.5  loop around test, 3 PEs, of wait_until
	test_lat.n3        test_more_lat  host   0:0             3 <= 5    loop around test, 3 PEs, of 2 PEs
	barrier_lat.n2     barrier_lat    host   0:0             2 <= 2    barrier_all, 2 PEs
	barrier_lat.n2     barrier_lat    thread 0:0             2 <= 2    barrier_all, 2 PEs, kernel
	barrier_lat.n2     barrier_lat    wg     0:0             2 best -  barrier_all, 2 PEs, work-group of 256
	barrier_lat.n2     barrier_meet_lat wg   0:0             2 <= 1    the same, of a thread's and two meetings
	barrier_lat.n4     barrier_lat    host   0:0             4 <= 1.5  barrier_all, 4 PEs
	barrier_lat.n4     barrier_lat    wg     0:0             4 best -  barrier_all, 4 PEs, work-group
	barrier_lat.n4     barrier_meet_lat wg   0:0             4 <= 1.2  the same, of a thread's and two meetings
	barrier_lat.n8     barrier_lat    host   0:0             8 <= 1.5  barrier_all, 8 PEs
	barrier_lat.n8     barrier_lat    wg     0:0             8 best -  barrier_all, 8 PEs, work-group
	barrier_lat.n8     barrier_meet_lat wg   0:0             8 <= 1.2  the same, of a thread's and two meetings
	coll_lat.n2        broadcast      host   8:16777216      2 <= 1.1  broadcast of MPI's, 8 B to 16 MiB, worst size
	coll_lat.n2        fcollect       host   8:16777216      2 <= 1.1  fcollect of MPI's, worst size
	coll_lat.n2        alltoall       host   8:16777216      2 <= 1.1  alltoall of MPI's, worst size
	coll_lat.n2        sum_reduce     host   8:16777216      2 <= 1.1  sum_reduce of MPI's, worst size
	coll_lat.n2        broadcast_mem  host   65536:16777216  2 mid 0.8 broadcast of the copies alone, from 64 KiB, median
	coll_lat.n2        fcollect_mem   host   65536:16777216  2 mid 0.8 fcollect of the copies alone
	coll_lat.n2        alltoall_mem   host   65536:16777216  2 mid 0.8 alltoall of the copies alone
	coll_lat.n2        sum_reduce_mem host   65536:16777216  2 mid 0.8 sum_reduce of copies and sums alone
	init_lat.n1        init_finalize  host   0:0             2 <= 1.3  init + finalize, 2 PEs, 1 GiB
	launch_lat.n2      launch_lat     host   0:0             1 abs 20  launch + synchronize
	launch_lat.n2      launch_free_lat host  0:0             1 abs 20  launch + synchronize, not pinned
	fused.n2           stencil        wg     0:1e9           2 best -  fused stencil against split, best size
	fused.n2           stencil        wg     0:1e9           2 worst - the same, worst size
	apps_allreduce.n2  allreduce_split wg    0:1e9           2 best -  all-reduce in a kernel, of the same split, best size
	apps_allreduce.n2  allreduce_split wg    0:1e9           2 worst - the same, worst size
	apps_attention.n2  attention_split_ wg   0:1e9           2 best -  attention in one kernel, of split, best size
	apps_attention.n2  attention_split_ wg   0:1e9           2 worst - the same, worst size
	apps_moe.n2        moe_split_     wg     0:1e12          2 best -  fused mixture of experts against split, best size
	apps_moe.n2        moe_mpi_       wg     0:1e12          2 best -  the same, against kernels and MPI
	apps_cg.n2         cg_split_      wg     0:1e9           2 best -  fused conjugate gradients against split, best size
	apps_cg.n2         cg_mpi_        wg     0:1e9           2 best -  the same against MPI on CPUs, best size
	apps_bfs.n2        bfs_14_split   wg     0:1e9           2 best -  search in one kernel, of split, 2^14 vertices
	apps_bfs.n2        bfs_14_atomics wg     0:1e9           2 best -  the same, of one with atomics
	apps_bfs.n2        bfs_14_mpi     wg     0:1e9           2 best -  the same, of MPI alone
	rpc_lat.n1         rpc_call_lat   thread 0:0             1 <= 1.5  call to the CPU, kernel, 64 slots
	rpc_lat.n1         rpc_call_lat   host   0:0             1 <= 1.5  the same, from the host
	rpc_lat.n1         rpc_slots_lat  thread 0:0             1 <= 1.5  the same, kernel, 16384 slots of 64
	rpc_lat.n1         rpc_post_waves thread 0:0             1 >= 3    posted calls, kernel, of calls
	rpc_lat.n1         rpc_post_rate  thread 0:0             1 best -  the same, 64 slots
	rpc_lat.n1         rpc_post_rate  host   0:0             1 best -  the same, from the host
	rpc_idle.n1        rpc_idle       host   0:0             1 abs 10000 idle server, us of a core in a second
	rpc_idle.n1        rpc_wake_lat   thread 0:0             1 abs 300 the call that wakes it, kernel
	rpc_idle.n1        rpc_wake_lat   host   0:0             1 abs 300 the call that wakes it, host
	rpc_idle.n1        rpc_wake_nap_lat thread 0:0           1 abs 300 the same, clients that cannot wake, kernel
	rpc_stream_bw.n1   rpc_stream_bw  thread 4096:4096       1 >= 0.5  4 KiB page streamed to the CPU
	rpc_stream_bw.n1   rpc_stream_bw  thread 8192:1048576    1 >= 0.5  8 KiB to 1 MiB, worst size
	carry_put_lat.n2   carry_put_lat  thread 8:8             2 <= 1    carried put + quiet, of MPI_Put + flush + 2 calls
	carry_put_lat.n2   carry_put16_lat thread 8:8            2 <= 1.5  16 carried puts + quiet, of one
	carry_put_lat.n2   carry_put_lanes_lat wave 8:8          2 <= 3    64 lanes' carried puts + quiet, of one
	carry_put_lat.n2   carry_put_lanes_next_lat wave 8:8     2 best -  the same, side by side
	carry_put_lat.n2   carry_put16_mpi thread 8:8            2 best -  16 carried puts, of MPI_Puts and a flush
	carry_put_signal_lat.n2 carry_put_signal_lat thread 8:8  2 <= 1    carried put_signal, kernels, of MPI's
	carry_fetch_add_lat.n2 carry_fetch_add_lat thread 8:8    2 best -  carried fetch_add, of MPI's
	carry_bw.n2        carry_put_bw   thread 1048576:67108864 2 >= 0.4 carried put, 1 MiB to 64 MiB, worst size
	carry_bw.n2        carry_get_bw   thread 1048576:67108864 2 >= 0.4 carried get, worst size
	carry_bw.n2        carry_put_sweep_bw thread 1048576:67108864 2 worst - carried put out of caches, worst size
	carry_bw.n2        carry_get_sweep_bw thread 1048576:67108864 2 worst - carried get out of caches, worst size
	carry_bw.n2        carry_put_bw   host 1048576:67108864  2 >= 0.4  carried put from the host, worst size
	carry_bw.n2        carry_get_bw   host 1048576:67108864  2 >= 0.4  carried get from the host, worst size
	carry_host_lat.n2  carry_put_lat  host   8:8             2 best -  carried put + quiet, host, of MPI's
	carry_host_lat.n2  carry_put_signal_lat host 8:8         2 best -  carried put_signal, hosts, of MPI's
	carry_host_lat.n2  carry_fetch_add_lat host 8:8          2 best -  carried fetch_add, host, of MPI's
	carry_idle.n2      carry_idle     host   0:0             2 abs 50000 idle PE with a net thread, us of a core in a second
	win_put_lat.n2     win_put_lat    thread 8:8             1 <= 1.2  window put + flush, kernel, of the heap's
	win_put_lat.n2     win_put_lat    host   8:8             1 <= 1.2  the same, host
	win_lock_lat.n2    win_lock_lat   thread 8:8             2 best -  window lock, put, unlock, kernel, of MPI's
	win_lock_lat.n2    win_lock_lat   host   8:8             2 <= 0.5  the same, host
	win_fence_lat.n2   win_fence_lat  host   0:0             2 <= 1.2  window fence, of quiet + barrier_all
	win_fence_lat.n2   win_fence_lat  thread 0:0             2 <= 1.2  the same, kernel
	win_fence_lat.n2   win_fence_lat  wg     0:0             2 best -  the same, work-group of 256
	win_accumulate.n2  win_double_accumulate host 8:8        2 best -  accumulate, 1 double, of MPI's
	win_accumulate.n2  win_double_accumulate host 1048576:1048576 2 best - the same, 1 MiB of doubles
	win_accumulate.n2  win_double_accumulate wg 1048576:1048576 2 best - the same, work-group
	win_accumulate.n2  win_long_accumulate host 8:8          2 best -  accumulate, 1 long, of MPI's
	win_accumulate.n2  win_long_accumulate host 1048576:1048576 2 best - the same, 1 MiB of longs
	win_accumulate.n2  win_long_accumulate wg 1048576:1048576 2 best - the same, work-group
	END
}

# On a GPU raw is what the device does without the library (device.h). Latencies and rates are shown without a
# limit. `turns`: where PEs shared a GPU, the table says that the row measured time slices.
gpu_limits() {
	cat <<-'END'
	put_grid_bw.n2     put_grid_bw_   wg     0:1e12          1 peak 0.95 putmem_wg, best grid, of the device copy
	put_grid_bw.n2     peer_copy_bw   host   0:1e12          1 best -  hipMemcpyPeerAsync, of the device copy
	put_bw.n2          put_bw         wg     65536:67108864  1 worst - putmem_wg, one group, worst size
	get_bw.n2          get_bw         wg     65536:67108864  1 worst - getmem_wg, one group, worst size
	put_bw.n2          put_bw         wave   65536:67108864  1 worst - putmem_wave, worst size
	put_bw.n2          put_bw         thread 64:64           1 best -  putmem 64 B, a thread
	p_quiet_lat.n2     p_quiet_lat    thread 8:8             1 best -  8-byte p + quiet
	g_lat.n2           g_lat          thread 8:8             1 best -  8-byte g
	amo_lat.n2         fetch_add_lat  thread 8:8             1 best -  fetch_add, alone
	amo_rate.n2        add_rate       thread 8:8             1 best -  add, alone
	amo_lat.n2         fetch_add_lat  thread 8:8             2 turns - fetch_add, both PEs on one word
	put_signal_lat.n2  put_signal_lat thread 8:8             2 turns - put_signal half round trip, threads
	put_signal_lat.n2  put_signal_lat wg     8:8             2 turns - put_signal half round trip, work-groups
	put_signal_lat.n2  put_signal_lat host   8:8             2 best -  put_signal half round trip, hosts
	barrier_lat.n2     barrier_lat    wg     0:0             2 turns - barrier_all, 2 PEs, work-groups
	barrier_lat.n2     barrier_lat    host   0:0             2 best -  barrier_all, 2 PEs, hosts
	init_lat.n1        init_finalize  host   0:0             2 best -  init + finalize, 2 PEs, 1 GiB
	launch_lat.n2      launch_lat     host   0:0             1 best -  launch + synchronize
	fused.n2           stencil        wg     0:1e9           2 best -  fused stencil against split, best size
	apps_allreduce.n2  allreduce_split wg    0:1e9           2 best -  all-reduce in a kernel, of the same split, best size
	apps_attention.n2  attention_split_ wg   0:1e9           2 turns - attention in one kernel, of split, best size
	apps_moe.n2        moe_split_     wg     0:1e12          2 turns -  fused mixture of experts against split, best size
	apps_moe.n2        moe_mpi_       wg     0:1e12          2 turns -  the same, against kernels and MPI
	apps_cg.n2         cg_split_      wg     0:1e9           2 best -  fused conjugate gradients against split, best size
	apps_bfs.n2        bfs_14_split   wg     0:1e9           2 turns - search in one kernel, of split, 2^14 vertices
	rpc_lat.n1         rpc_call_lat   thread 0:0             1 best -  call to the CPU, kernel, 64 slots
	rpc_lat.n1         rpc_slots_lat  thread 0:0             1 best -  the same, 16384 slots of 64
	rpc_lat.n1         rpc_post_waves thread 0:0             1 best -  posted calls, kernel, of calls
	rpc_idle.n1        rpc_idle_nap   host   0:0             1 best -  idle server, us of a core in a second
	rpc_idle.n1        rpc_wake_nap_lat thread 0:0           1 best -  the call that ends its nap, kernel
	rpc_stream_bw.n1   rpc_stream_bw  wave   4096:4096       1 best -  4 KiB page streamed to the CPU
	win_put_lat.n2     win_put_lat    thread 8:8             1 best -  window put + flush, of the heap's
	win_put_lat.n2     win_put_lat    host   8:8             1 best -  the same, host
	win_fence_lat.n2   win_fence_lat  wg     0:0             2 turns - window fence, work-groups, of barrier_all
	win_fence_lat.n2   win_fence_lat  host   0:0             2 best -  the same, hosts
	END
}

# Between two nodes; `make bench` measures none of this.
node_limits() {
	cat <<-'END'
	net_rma.n2         net_put_lat    host   8:8             2 <= 0.8  8-byte put + quiet, CPU, of MPI_Put + flush
	net_rma.n2         net_put_lat    thread 8:8             2 <= 1    the same, kernel, of MPI's + a call to the CPU
	net_rma.n2         net_fetch_add_lat thread 8:8          2 <= 1    fetch_add, kernel, of MPI's + a call
	net_rma.n2         net_put_signal_lat thread 8:8         2 <= 0.5  put_signal, kernels, of MPI's put + flag
	net_rma.n2         net_behind_lat thread 8:8             2 <= 20   a signal behind 64 MiB of another block's puts, of idle
	net_rma.n2         net_put16_lat  host   8:8             2 <= 1.5  16 puts + quiet, of one
	net_rma.n2         net_put_rate   host   8:8             2 >= 20   8-byte puts, CPU, of MPI_Put's rate
	net_rma.n2         net_put_rate   wave   8:8             2 >= 20   8-byte puts, lanes of a wave, of MPI_Put's rate
	net_rma.n2         net_put_rate   thread 8:8             2 >= 20   8-byte puts, one thread of a kernel, of MPI_Put's rate
	net_rma.n2         net_put_bw     host   65536:65536     2 >= 1    put + quiet, 64 KiB, of MPI's
	net_rma.n2         net_put_bw     host   1048576:1048576 2 >= 1    put + quiet, 1 MiB, of MPI's
	net_rma.n2         net_put_bw     host   16777216:16777216 2 >= 1  put + quiet, 16 MiB, of MPI's
	net_rma.n2         net_put_tcp_bw host   65536:65536     2 >= 0.7  put + quiet, 64 KiB, of raw TCP's
	net_rma.n2         net_put_tcp_bw host   1048576:1048576 2 >= 0.7  put + quiet, 1 MiB, of raw TCP's
	net_rma.n2         net_put_tcp_bw host   16777216:16777216 2 >= 0.7 put + quiet, 16 MiB, of raw TCP's
	net_rma.n2         net_barrier_lat host  0:0             2 <= 1.2  barrier_all, of MPI's
	net_rma.n2         net_sum_lat    host   8:4194304       2 <= 1.2  sum_reduce, 8 B to 4 MiB, worst size
	net_rma.n2         net_alltoall_lat host 8:4194304       2 <= 1.2  alltoall, worst size
	net_rma.n4         net_barrier_lat host  0:0             4 <= 2    barrier_all, 2 nodes of 2 PEs, of MPI's
	net_rma.n4         net_sum_lat    host   8:4194304       4 <= 2    sum_reduce, 2 nodes of 2 PEs, worst size
	net_rma.n4         net_alltoall_lat host 8:4194304       4 <= 2    alltoall, 2 nodes of 2 PEs, worst size
	node_lat           node_put_lat   host   8:8             1 <= 1.05 put + quiet inside a node, CPU, of a one-node job
	node_lat           node_put_lat   thread 8:8             1 <= 1.05 the same, kernel
	node_lat           node_fetch_add_lat host 8:8           1 <= 1.05 fetch_add inside a node, CPU, of a one-node job
	node_lat           node_fetch_add_lat thread 8:8         1 <= 1.05 the same, kernel
	node_lat           node_sync_lat  host   0:0             2 <= 1.05 sync of a node, CPU, of a one-node job
	node_lat           node_sync_lat  thread 0:0             2 <= 1.05 the same, kernel
	END
}

limits() {
	[ "$kind" != nodes ] || { node_limits; return; }
	case ${platform:-cpu} in cpu) cpu_limits ;; *) gpu_limits ;; esac
}

printf '%-42s %-8s %12s %12s %7s\n' metric limit 'ours, us' 'raw, us' ratio
limits | while read -r file op scope bytes pes comparison limit name; do
	limit_text="$comparison $limit"
	case $comparison in
	abs) limit_text="<= $limit us" ;;
	mid | peak) limit_text=">= $limit" ;;
	best | worst | turns) limit_text=- ;;
	esac
	if [ ! -f "$file.tsv" ]; then
		printf '%-42s %-8s %12s %12s %7s  %s\n' "$name" "$limit_text" - - - "not run"
		continue
	fi
	awk -F '\t' -v op="$op" -v scope="$scope" -v bytes="$bytes" -v pes="$pes" -v comparison="$comparison" \
		-v limit="$limit" -v text="$limit_text" -v name="$name" -v turns="$turns" '
	BEGIN { split(bytes, b, ":") }
	index($1, op) == 1 && (op == "stencil" || op ~ /_$/ || $1 == op) && $2 == scope && $3 >= b[1] + 0 && $3 <= b[2] + 0 && $4 == pes {
		ratios[rows++] = $12 + 0
		worse = comparison == ">=" ? $12 < ratio : $12 > ratio
		if (comparison == "best") worse = $12 < ratio
		if (comparison == "peak" || (comparison == "worst" && op !~ /^(stencil|put_grid_bw_)$/)) worse = comparison == "peak" ? $12 > ratio : $12 < ratio
		if (!n++ || worse) { us = $7; raw = $10; ratio = $12 }
	}
	END {
		if (!n) { printf "%-42s %-8s %12s %12s %7s  %s\n", name, text, "-", "-", "-", "no such row"; exit }
		value = comparison == "abs" ? us : ratio
		if (comparison == "mid") {
			for (i = 0; i < rows; i++)
				for (j = i + 1; j < rows; j++)
					if (ratios[j] < ratios[i]) { t = ratios[i]; ratios[i] = ratios[j]; ratios[j] = t }
			us = raw = "-"
			ratio = ratios[int(rows / 2)]
		}
		slices = comparison == "turns" && turns != "" ? "  time slices" : ""
		if (limit == "-") { printf "%-42s %-8s %12s %12s %7s%s\n", name, text, us, raw, ratio, slices; exit }
		ok = ratio == "-" && comparison != "abs" ? "no raw" : (comparison == ">=" || comparison == "mid" || comparison == "peak" ? value + 0 >= limit : value + 0 <= limit) ? "within" : "OVER"
		printf "%-42s %-8s %12s %12s %7s  %s\n", name, text, us, raw, ratio, ok
	}' "$file.tsv"
done
