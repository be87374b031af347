/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every environment variable, without its GSHMEM_: X(NAME, KIND, DEFAULT, CATEGORY, HELP).
 *
 * The parser, gshmem-info and the test that compares docs/env.md word by word include this list. KIND says
 * how a value is parsed (struct gshmemi_env). DEFAULT is the text that stands for an unset variable, "" for
 * none. The platform itself reads the variables of the category "cpu platform".
 */
X(CONFIG, text, "", "settings file",
	"path of the settings file; by default .gshmem.conf in the home folder, if there is one; /dev/null: none")
X(HEAP_SIZE, size, "1g", "heap",
	"bytes of symmetric heap on each PE, equal on all PEs: digits and at most one of k, m, g, t, in either "
	"case, for powers of 1024")
X(HEAP_KIND, kind, "auto", "heap",
	"memory of the heap: coarse (hipMalloc), fine, uncached, or auto, which is fine on amd and coarse "
	"elsewhere; equal on all PEs")
X(HEAP_PREALLOC, flag, "0", "heap", "1: init takes all memory of the heap, so that a shortage shows at once")
X(DEVICE, number, "-1", "peers",
	"HIP device of this PE; -1: the device that the program has set or used, else the local rank modulo the "
	"number of devices. hipSetDevice(0) alone does not count, because HIP does not tell it from no choice")
X(INIT_TIMEOUT, seconds, "120", "peers", "seconds that init waits for other PEs before it fails; 0: no limit")
X(IPC_CACHE, number, "32", "peers",
	"mappings of each peer's memory that gshmem keeps for reuse after their last use; memory that the peer "
	"frees goes back to its device only when it is unmapped")
X(CARRY, carry, "", "debugging",
	"PEs that this PE does not map, so that their owners perform its operations: all, a list such as 1,4-6, "
	"or 1-in-3 for a third of the pairs, each in one direction; direct, or direct:1,4-6: maps the PEs, but "
	"sends what goes to them down the out-of-line path")
X(NET, flag, "0", "peers", "1: runs the net thread, which reaches unmapped PEs, even if there are none")
X(NET_DEADLINE, seconds, "10", "peers",
	"seconds after which a PE that does not answer ends the job, unless it is on this machine and is "
	"stopped or gets no core; 0: no limit")
X(NET_CPU, number, "-1", "peers", "core for the net thread, numbered as in /proc/cpuinfo; -1: any")
X(MPI_GPU, mpi_gpu, "auto", "peers",
	"whether MPI sends bulk data straight from GPU memory: 1; 0: gshmem copies the data to CPU memory "
	"first; auto: gshmem asks MPI")
X(MPI_LIBRARY, text, "", "peers",
	"the MPI library to load if there is none in the process; by default that of the launcher, or the first "
	"of libmpich.so.12, libmpi.so.12, libmpi.so.40 and libmpi_abi.so.0 that the loader finds")
X(UID_ADDRESS, text, "", "peers",
	"address or network interface on which gshmemx_get_uniqueid listens; by default the first interface "
	"that is up, the loopback last, or a local socket if none is")
X(STATS, flag, "0", "debugging",
	"1: gshmem_finalize prints how many operations and bytes each PE asked of each other PE, by kind and by "
	"who performed them, and how many operations used the net; equal on all PEs")
X(FIRST_SEQ, seq, "0", "debugging",
	"number of the first message to each PE and, modulo 2^30, of the first call in each slot, to test that "
	"these numbers may wrap")
X(CHECK, flag, "0", "debugging",
	"1: checks the PE numbers and addresses of every call, on the host and in kernels; that all PEs pass "
	"the same arguments to a collective; that all threads of a wave or work-group pass the same arguments "
	"to a call, and that no thread of a work-group is missing; that one caller at a time on each PE is in a "
	"collective of a team; equal on all PEs")
X(WATCHDOG, seconds, "30", "debugging",
	"seconds after which a wait is reported, on the host and in kernels; 0: never")
X(DEBUG, flag, "0", "debugging", "1: init says on stderr what it does")
X(TEAMS, number, "512", "peers",
	"teams that can exist at a time, 8 to 65535; a team of more than 256 PEs counts once for each 256; "
	"equal on all PEs")
X(WINDOWS, number, "1000", "peers",
	"windows that can exist at a time, 1 to 1020; a window of more than 10 PEs counts as two, and as one "
	"more for each further 96 PEs; equal on all PEs")
X(CONTEXTS, number, "1024", "peers", "contexts that a PE can have at a time, 2 to 16383")
X(PES_PER_NODE, nodes, "", "debugging",
	"for tests: pretends that each node has this many consecutive PEs; with :cyclic, as in 4:cyclic, deals "
	"the PEs out to the nodes one by one; equal on all PEs")
X(RPC_SLOTS, number, "0", "calls from kernels",
	"slots for calls from kernels to the CPU; 0: as many as waves can be resident; with fewer, waves may "
	"starve each other")
X(RPC_THREADS, number, "1", "calls from kernels", "threads of each PE that serve calls from kernels")
X(RPC_WORKERS, number, "4", "calls from kernels",
	"threads of each PE for functions registered with GSHMEMX_RPC_BLOCKING")
X(RPC_POLL, poll, "adaptive", "calls from kernels",
	"how the serving threads wait: adaptive (spin, yield, then sleep), spin, yield, or nap (as adaptive, "
	"but nobody wakes them)")
X(TRACE, text, "", "debugging",
	"file for one timeline of all PEs, which Perfetto and Chrome open; set on all PEs or on none. Each PE "
	"also writes its gshmemx_trace marks to a file of its own, whose name ends in the PE number")
X(TRACE_SIZE, size, "16m", "debugging",
	"bytes of memory on each PE for GSHMEM_TRACE, which keeps the latest events, 128 bytes each")
X(RACES, text, "", "debugging",
	"for programs made by gshmemcc --races: file to which each race is appended, a line of JSON each")
X(CPU_DELIVERY, delivery, "", "cpu platform",
	"random or random:SEED: puts and atomics arrive late, in any order that fence and quiet allow; set on "
	"all PEs or on none")
X(CPU_DIVERGE, text, "", "cpu platform",
	"random or random:SEED: lanes that have diverged stay apart at random")
X(CPU_WHOLE_WAVES, text, "0", "cpu platform",
	"1: a _wave call that only part of a wave makes ends the program; on NVIDIA GPUs it would wait for the "
	"other lanes")
X(CPU_WAVE, text, "64", "cpu platform", "lanes of a wave, 32 or 64")
X(CPU_DEVICES, text, "1", "cpu platform", "number of HIP devices, up to 64")
X(CPU_CUS, text, "8", "cpu platform", "compute units that a device reports")
X(CPU_BLOCKS, text, "32", "cpu platform", "blocks that are resident at a time, each on its own OS thread")
X(CPU_MEMORY, text, "", "cpu platform", "bytes of memory of a device, such as 512m; by default the machine's")
X(CPU_STACK, text, "64k", "cpu platform", "bytes of a lane's stack")
X(CPU_SPIN, text, "", "cpu platform",
	"polls before a waiting block yields; by default 1024 if the PEs fit the cores (over the net, three "
	"threads of each PE), else 16")
X(CPU_STUCK, text, "5", "cpu platform", "seconds without progress after which a block is reported; 0: never")
X(CPU_HOST_ACCESS, text, "1", "cpu platform",
	"0: host threads cannot touch device memory, as with a GPU; mprotect: the same, without memory "
	"protection keys")
X(CPU_LINKS, text, "", "cpu platform",
	"pairs of devices that lack something, such as 0-1:none,2-3:plain or all:plain: none, no peer access; "
	"plain, no native atomics")
X(CPU_FAIL, text, "", "cpu platform", "CALL:K[:ERROR][@RANK],...: makes the K-th call of a HIP function fail")
X(CPU_LAUNCHES, text, "", "cpu platform",
	"file to which a process appends the kernels that it launches, and their blocks")
