# shellcheck shell=bash disable=SC2034,SC2154,SC2317 # tools/gpu-report sets variables and calls part_NAME
# SPDX-License-Identifier: BSD-3-Clause
#
# The parts of tools/gpu-report: part_NAME runs within $box seconds. What it learns is in rows.tsv, and in its
# section of the page.

# Tests of what every program needs, then of the rest; and tests that end jobs on purpose, which MPS would pass
# on to other processes.
core_tests="ptr barrier_all put_get_copy signal_put wait_until amo_values order_fence order_quiet order_put_signal
	order_acquire teams coll collective_launch host_call_while_full locks rpc_call"
more_tests="amo_contended order_amo order_scopes get_polling put_get_local_memory scopes_by_lane wait_many
	wait_lanes test_compare contexts heap_calls init_repeat coll_late coll_wrap barrier_reuse coll_stream
	graph_stream host_meetings host_threads rpc_acquire rpc_ticket rpc_wrap rpc_lanes peer_bases win_calls
	win_epochs win_create win_stream win_many thread_levels team_threads trace_kernels rpc_trace compat_nvshmem
	compat_rocshmem p_g_types scopes_types wait_many_types win_types generic win_virtual win_locks"
fault_tests="init_single check kernel_outside module watchdog check_calls rpc_print rpc_invoke rpc_stream rpc_errors
	rpc_abort who_waits peer_death_kernel peer_death global_exit check_groups coll_bad_input team_bad_input
	rpc_blocking rpc_counts rpc_direct_only watchdog_late uniqueid init_outside exit_without_finalize mailbox
	net_full regions init_mpi win_mpi"
# Seconds that a test may take: some wait for the limits of a watchdog.
test_limit=25 fault_limit=90

# ---- the machine and the programs ----

gpu_names() {
	case $PLATFORM in
	nvidia) nvidia-smi --query-gpu=name --format=csv,noheader ;;
	amd) rocminfo | awk '/^ *Marketing Name:/ { sub(/.*Marketing Name: */, ""); name = $0 }
		/^ *Device Type: *GPU/ { print name }' ;;
	esac 2>/dev/null | sed 's/ *$//'
}

part_facts() {
	local command
	gpu_names >"$state/gpu"
	case $PLATFORM-$(wc -l <"$state/gpu") in
	*-[01]) case $PLATFORM in nvidia) share turns ;; *) share free ;; esac ;;
	*) share own ;;
	esac
	[ -n "$simulated" ] || [ -s "$state/gpu" ] || note "**no GPU is listed for PLATFORM=$PLATFORM**"
	{
		case $PLATFORM in
		nvidia) timeout 10 nvidia-smi --format=csv,noheader --query-gpu="index,name,driver_version,$(
			)memory.total,mig.mode.current,compute_mode,clocks.max.sm,pcie.link.gen.current" ;;
		amd) timeout 10 rocm-smi --showproductname --showdriverversion --showmeminfo vram --showtopo ;;
		esac 2>&1
		uname -sr
		sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release
		sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed 1q
		echo "$(nproc) cores, $(sed -n 's/^MemAvailable: *//p' /proc/meminfo) free, user $(id -un)"
		df -h /tmp /dev/shm 2>/dev/null | tail -n 2
		(cd /sys/class/net && grep -H . ./*/operstate | sed 's|^./|interface |;s|/operstate:| |')
		for command in gcc g++ make python3 xz nvcc hipcc mpirun git; do
			echo "$command: $(command -v "$command" || echo none)"
		done
		"$CUDA_HOME/bin/nvcc" --version 2>/dev/null | tail -n 1
	} 2>/dev/null | quote 60
}

# Bring the loopback up: MPI and unique ids need it, and a machine without a network may have it down.
raise_loopback() {
	[ "$(cat /sys/class/net/lo/operstate 2>/dev/null)" = down ] || return 0
	ip link set lo up 2>/dev/null || python3 - 2>/dev/null <<-'END'
		import fcntl, socket, struct
		SIOCSIFFLAGS, IFF_UP, IFF_LOOPBACK, IFF_RUNNING = 0x8914, 1, 8, 64
		with socket.socket() as s:
		    flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING
		    fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags))
	END
	case $(cat /sys/class/net/lo/operstate) in
	down) note "the loopback interface is down, and cannot be brought up here" ;;
	*) note "the loopback interface was down, and was brought up" ;;
	esac
}

# The launcher: $MPIRUN, else MPICH's, if a job of its own runs here, else one without MPI.
choose_launcher() {
	local try hello=mpi/bin/hello
	export NOMPI=$PWD/$top/report/nompi.so
	[ -x $hello ] || hello=true
	for try in "${MPIRUN-}" "$PWD/mpi/bin/mpirun.mpich" mpirun.mpich mpiexec.mpich mpirun; do
		command -v "${try:-no_launcher}" >/dev/null || continue
		MPIRUN=$(command -v "$try")
		! job "launcher_$(basename "$try")" 2 20 "$MPIRUN" -n 2 $hello || break
		MPIRUN=''
	done
	[ -n "$MPIRUN" ] || MPIRUN=$PWD/tools/report/launch
	export MPIRUN
	note "jobs are started by $MPIRUN"
}

# build_nvshmem: in the background, because it takes half a minute and only a later part needs it.
build_nvshmem() {
	local home lib nvcc arch
	home=$(find_nvshmem) || return 0
	read -r _ _ nvcc _ arch _ <<<"$(platform/nvidia/toolchain)"
	lib=$(find "$home/lib" -name 'libnvshmem_host.so*' | sort | tail -n 1)
	# The wheel has libnvshmem_host.so.3 alone, so the linker gets the file's name.
	("$nvcc" -O3 -std=c++17 -rdc=true -arch="$arch" "-I$home/include" tools/report/nvshmem.cu \
		-o "$state/nvshmem.part" "-L$home/lib" "-l:$(basename "$lib")" -lnvshmem_device -lcuda \
		-Xlinker "-rpath=$home/lib" -Xlinker --allow-shlib-undefined >"$logs/nvshmem_build.txt" 2>&1 &&
		mv "$state/nvshmem.part" "$state/nvshmem" &)
}

# Print the folder of NVSHMEM: $NVSHMEM_HOME, a usual place, or the Python wheel's.
find_nvshmem() {
	local try
	for try in "${NVSHMEM_HOME-}" /usr/local/nvshmem /opt/nvidia/nvshmem /usr \
		"$(python3 -c 'import nvidia.nvshmem as n; print(list(n.__path__)[0])' 2>/dev/null)"; do
		[ -n "$try" ] && [ -f "$try/include/nvshmem.h" ] && echo "$try" && return
	done
	return 1
}

# unpack: the archive of tools/gpu-pack, here. Python knows xz where the command is not there.
unpack() {
	[ ! -e packed ] || return 0
	# shellcheck disable=SC2016 # bash -c expands it
	job unpack 0 60 bash -c 'xz -dcT0 "$1" | tar xf - ||
		python3 -c "import sys, tarfile; tarfile.open(sys.argv[1]).extractall()" "$1"' unpack "$archive"
}

part_build() {
	local missing simulator=${SIM:+build/amdsim/libamdhip64.so.5}
	[ -z "$archive" ] || unpack || note "**the archive could not be unpacked**"
	export LD_LIBRARY_PATH="$PWD/mpi/lib:$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
	[ -z "${SIM-}" ] || LD_LIBRARY_PATH=$SIM:$LD_LIBRARY_PATH
	export UCX_LOG_LEVEL=fatal HWLOC_HIDE_ERRORS=2
	if [ -z "$built" ]; then
		# shellcheck disable=SC2086 # nothing, or a target
		job library 0 "$box" make "B=$top" -k -j"$(nproc)" $simulator lib tools report examples ||
			tail -n 20 "$logs/build.library.n0.txt" | quote 20
		job programs 0 $((box - SECONDS + began)) make "B=$top" -k -j"$(nproc)" tests benches ||
			tail -n 20 "$logs/build.programs.n0.txt" | quote 20
	fi
	[ -e "$top/lib/libgshmem.so.0" ] || note "**there is no $top/lib/libgshmem.so.0: nothing can run**"
	missing=$(ldd "$top/lib/libgshmem.so.0" 2>&1 | grep 'not found')
	[ -z "$missing" ] || note "**libraries are missing**: $missing"
	raise_loopback
	choose_launcher
	[ "$PLATFORM" != nvidia ] || build_nvshmem
}

# ---- correctness ----

part_smoke() {
	local one what npes
	if [ -x "$top/bin/gshmem-info" ]; then
		job info 1 20 "$MPIRUN" -n 1 "$top/bin/gshmem-info"
		quote 16 <"$logs/smoke.info.n1.txt"
	fi
	many "$box" 2 $test_limit platform/launch platform/atomic platform/memory platform/ipc platform/stream \
		platform/module platform/barrier platform/virtual
	for one in "1 01_hello" "2 01_hello" "1 02_ring" "2 02_ring" "2 03_put_signal" "2 04_stencil" \
		"2 05_allgather_gemm" "2 06_call_the_cpu" "2 07_windows" "4 02_ring"; do
		npes=${one% *} what=${one#* }
		[ -x "$top/examples/$what" ] || continue
		GSHMEM_WATCHDOG=10 GSHMEM_DEBUG=1 job "$what" "$npes" 30 \
			"$MPIRUN" -n "$npes" "$top/examples/$what" ||
			tail -n 12 "$logs/smoke.$what.n$npes.txt" | quote 12
	done
	if [ "$MPIRUN" != "$PWD/tools/report/launch" ] && [ -e "$NOMPI" ] && [ -x "$top/examples/02_ring" ]
	then
		job without_mpi 2 20 tools/report/launch -n 2 "$top/examples/02_ring"
	fi
}

part_mps() {
	if [ "$PLATFORM" != nvidia ]; then
		note "for NVIDIA GPUs alone: elsewhere processes share a GPU without it"
		return
	fi
	start_mps
	case $sharing in
	given) note "the daemon of CUDA_MPS_PIPE_DIRECTORY" ;;
	own) note "not started: each of two PEs has a GPU of its own" ;;
	mps)
		mps_broken=1 # unless this job runs
		if job 02_ring 4 25 "$MPIRUN" -n 4 "$top/examples/02_ring"; then
			mps_broken=''
		else
			note "**MPS does not work here: everything below takes turns**"
			stop_mps
		fi ;;
	*) note "**no MPS here: everything below takes turns**" ;;
	esac
}

part_limits() {
	local rounds=2000 passes=2
	case $sharing in turns) rounds=100 ;; esac
	[ -z "$simulated" ] || rounds=20 passes='1 64'
	if [ ! -x "$top/report/limits" ]; then
		note "$top/report/limits is not there"
		return
	fi
	job limits 2 $((box * 2 / 3)) "$top/report/limits" "$rounds"
	quote 20 <"$logs/limits.limits.n2.txt"
	# shellcheck disable=SC2086 # words
	job beside 2 $((box * 2 / 3)) "$top/report/beside" $passes
	quote 50 <"$logs/limits.beside.n2.txt"
}

part_tests2() {
	# shellcheck disable=SC2086 # lists of words
	GSHMEM_WATCHDOG=10 many "$box" 2 $test_limit $core_tests $more_tests
}

part_tests4() {
	# shellcheck disable=SC2086
	GSHMEM_WATCHDOG=10 many "$box" 4 $test_limit $core_tests amo_contended contexts win_calls \
		coll_stream win_epochs rpc_acquire get_polling
}

part_tests8() {
	local par=1
	start_mps
	GSHMEM_WATCHDOG=10 many "$box" 8 $test_limit ptr barrier_all signal_put amo_values teams coll locks \
		contexts win_calls
}

part_faults() {
	stop_mps
	# shellcheck disable=SC2086
	many "$box" 2 $fault_limit $fault_tests
}

part_sanitizer() {
	local tool one what
	if [ "$PLATFORM" != nvidia ]; then
		note "for NVIDIA GPUs alone"
		return
	fi
	stop_mps # compute-sanitizer does not work with MPS
	tool=$(command -v compute-sanitizer) || { note "not here"; return; }
	# No racecheck: it sees shared memory alone, of which the library has none.
	for one in "memcheck signal_put" "synccheck barrier_all" "memcheck put_get_local_memory" \
		"synccheck coll" "memcheck coll"; do
		what=${one#* }
		[ -x "$top/tests/$what" ] || continue
		GSHMEM_WATCHDOG=0 GSHMEM_HEAP_SIZE=64m job "${one// /_}" 2 25 "$MPIRUN" -n 2 \
			"$tool" --tool "${one% *}" --error-exitcode 9 "$top/tests/$what" ||
			grep -a '=====' "$logs/sanitizer.${one// /_}.n2.txt" | quote 15
	done
}

part_python() {
	local program=python/examples/triton_ring.py
	if [ "$PLATFORM" = cpu ]; then
		note "for GPUs alone"
		return
	fi
	[ -e $program ] || { note "$program is not there"; return; }
	python3 -c 'import torch, triton' 2>/dev/null || { note "PyTorch or Triton is not here"; return; }
	start_mps
	PYGSHMEM_LIBRARY=$PWD/$top/lib/libgshmem.so.0 PYTHONPATH=$PWD/python job triton_ring 2 "$box" \
		"$MPIRUN" -n 2 python3 $program || tail -n 15 "$logs/python.triton_ring.n2.txt" | quote 15
}

# again_list PARTS NPES: the tests that failed with so many PEs in parts that match.
again_list() {
	failed_lines | awk -F '\t' -v parts="$1" -v n="$2" '$1 ~ parts && $3 == n { print $2 }'
}

# again SECONDS: each test that failed, with as many PEs; with MPS those that had it.
again() {
	local end=$((SECONDS + $1)) parts npes
	for parts in '^(tests.|rest|smoke)$' '^faults$'; do
		case $parts in *faults*) stop_mps ;; *) start_mps ;; esac
		for npes in $(failed_lines | cut -f 3 | sort -nu); do
			# shellcheck disable=SC2046 # a list of words
			many $((end - SECONDS)) "$npes" $fault_limit $(again_list "$parts" "$npes")
		done
	done
}

# Alone, to tell load from failures; then with all kernels loaded when the program starts, to tell lazy loading.
part_retry() {
	local par=1 end=$((SECONDS + box))
	again $((box * 2 / 3))
	if [ "$PLATFORM" = nvidia ]; then
		part=eager
		CUDA_MODULE_LOADING=EAGER again $((end - SECONDS))
		part=retry
	fi
	[ -s "$state/$part.md" ] || note "$(failed_lines | wc -l) runs had failed before"
}

# The tests that no part has run.
part_rest() {
	local test
	start_mps
	# shellcheck disable=SC2046
	many "$box" 2 $fault_limit $(cd "$top/tests" 2>/dev/null &&
		find . -type f -perm -1 ! -name '*.module' | sed 's|^\./||' | sort | while read -r test; do
		cut -f 2 "$rows" | grep -qx -- "$test" || echo "$test"
	done)
}

# ---- speed ----

# Number of PEs, bench, arguments; in order of value.
benches() {
	cat <<-'END'
		2 put_grid_bw -a 9
		2 p_quiet_lat
		2 amo_lat
		2 put_signal_lat
		2 fused
		2 fused_gemm
		2 apps_allreduce
		2 apps_attention
		2 apps_moe
		2 apps_cg
		2 apps_bfs
		2 barrier_lat
		1 rpc_lat
		2 g_lat
		2 coll_lat
		2 put_lat -b 8:1048576
		2 get_lat -b 8:1048576
		2 put_bw
		2 get_bw
		2 amo_rate
		2 amo_ops
		2 p_rate
		2 put_mr
		4 barrier_lat
		1 launch_lat
		2 rpc_stream_bw
		2 win_put_lat
		2 win_fence_lat
		2 test_lat
		8 barrier_lat
	END
}

part_figures() {
	local end=$((SECONDS + box)) npes bench arguments log
	if [ "$MPIRUN" = "$PWD/tools/report/launch" ]; then
		note "**left out: the benches call MPI, which does not run here**"
		return
	fi
	cp "$state/sharing" "$state/figures_sharing"
	[ -z "$simulated" ] || note "each figure from two short batches"
	while read -r npes bench arguments; do
		[ -x "$top/bench/$bench" ] || continue
		if [ $SECONDS -ge $end ]; then
			row "$bench" "$npes" 'no time' 0 ''
			continue
		fi
		[ -z "$simulated" ] || arguments="-a 2 -t 50"
		log=$logs/figures.$bench.n$npes.txt
		# shellcheck disable=SC2086 # words
		job "$bench" "$npes" 20 "$MPIRUN" -n "$npes" "$top/bench/$bench" $arguments
		grep -aP '^#|\t' "$log" >"$state/bench/$bench.n$npes.tsv"
	done < <(benches)
}

part_nvshmem() {
	local rounds=1000
	if [ "$PLATFORM" != nvidia ]; then
		note "for NVIDIA GPUs alone"
		return
	fi
	find_nvshmem >/dev/null || { note "not here; NVSHMEM_HOME would name its folder"; return; }
	if [ ! -x "$state/nvshmem" ]; then
		note "**tools/report/nvshmem.cu was not built**"
		tail -n 5 "$logs/nvshmem_build.txt" | quote 5
		return
	fi
	case $sharing in turns) rounds=20 ;; esac
	NVSHMEM_BOOTSTRAP=PMI NVSHMEM_SYMMETRIC_SIZE=512M NVSHMEM_REMOTE_TRANSPORT=none \
		NVSHMEM_IGNORE_CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=1 job nvshmem 2 "$box" \
		"$MPIRUN" -n 2 "$state/nvshmem" "$rounds"
	quote 30 <"$logs/nvshmem.nvshmem.n2.txt"
}
