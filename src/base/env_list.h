/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every environment variable, without its GSHMEM_: X(NAME, KIND, DEFAULT, CATEGORY, HELP).
 *
 * Included several times: by the parser, gshmem-info and the test that compares docs/env.md, word by word. KIND says how a value is
 * parsed (struct gshmemi_env); DEFAULT is the text that stands for an unset variable, "" for none. The variables of
 * category "cpu platform" are read by the platform itself.
 */
X(HEAP_SIZE, size, "1g", "heap",
  "bytes of symmetric heap per PE, equal on all PEs: digits, then k, m, g or t, of either case, for powers of 1024")
X(HEAP_KIND, kind, "auto", "heap",
  "memory of the heap: coarse (hipMalloc), fine, uncached, or auto: fine on amd, coarse elsewhere")
X(HEAP_PREALLOC, flag, "0", "heap", "1: take the memory of the heap in init, so that a lack of it shows at once")
X(LEAKS, flag, "0", "heap", "1: gshmem_finalize lists what was not freed; GSHMEM_CHECK=1 does too")
X(DEVICE, number, "-1", "peers",
  "HIP device of this PE; -1: the one that the program has used or set, else local rank modulo devices")
X(INIT_TIMEOUT, seconds, "120", "peers", "seconds after which an init that waits for other PEs gives up; 0: never")
X(IPC_CACHE, number, "32", "peers",
  "allocations of each peer that stay open, for the next use, when gshmem uses them no more; one that is freed is given back when it is closed")
X(CARRY, carry, "", "debugging",
  "PEs that are not mapped, so that their owners perform what is asked of them: all, or as in 1,4-6, or 1-in-3 for a third of the pairs, one "
  "way; direct: they are mapped, but what goes to them goes out of line")
X(NET, flag, "0", "peers", "1: the thread that reaches PEs which are not mapped runs, though there are none")
X(NET_DEADLINE, seconds, "10", "peers",
  "seconds after which a PE that does not answer ends the job, unless it is on this machine and stopped or without a core; 0: never")
X(NET_CPU, number, "-1", "peers", "core for the thread that reaches PEs which are not mapped, numbered as in /proc/cpuinfo; -1: any")
X(MPI_GPU, mpi_gpu, "auto", "peers",
  "whether MPI is given GPU memory to send from, in bulk: 1, 0: it is copied to memory of the CPU first, or auto: MPI is asked")
X(MPI_LIBRARY, text, "", "peers",
  "file of MPI, for processes that are not linked with it; else libmpich.so.12 or libmpi.so.12, as the loader finds it")
X(UID_ADDRESS, text, "", "peers",
  "address, or network interface, at which gshmemx_get_uniqueid listens; else the first interface that is up and not the loopback, or the loopback")
X(STATS, flag, "0", "debugging",
  "1: gshmem_finalize prints how many operations and bytes each PE asked of each other one, by kind and by who performed them, and how many "
  "operations went over the net; equal on all PEs")
X(NET_SEQ, seq, "0", "debugging", "number of the first message to each PE: to test that 32 bits may wrap")
X(CHECK, flag, "0", "debugging",
  "1: check PE numbers and addresses of every call, on the host and in kernels; that all PEs pass the same to a collective; "
  "that all threads of a work-group or wave pass the same to its call, and all of a work-group make it; "
  "that one caller of a PE at a time is in a collective of a team")
X(WATCHDOG, seconds, "30", "debugging", "seconds after which a wait is reported, on the host and in kernels; 0: never")
X(DEBUG, flag, "0", "debugging", "1: say on stderr what init does")
X(TEAMS, number, "512", "peers",
  "teams that there can be at a time, from 8 to 65535; one of more than 256 PEs counts for each 256; "
  "equal on all PEs")
X(WINDOWS, number, "1000", "peers",
  "windows that there can be at a time, from 1 to 1020; one of more than 10 PEs counts for two, and for one more for each further 96; equal on all PEs")
X(CONTEXTS, number, "1024", "peers", "contexts of a PE that there can be at a time, from 2 to 16383")
X(PES_PER_NODE, nodes, "", "peers",
  "for tests: pretend that only so many consecutive PEs share a node; with :cyclic behind the number, as in 4:cyclic, that they "
  "are dealt out to the nodes one by one")
X(RPC_SLOTS, number, "0", "calls from kernels",
  "slots for calls from kernels to the CPU; 0: as many as waves can be resident; fewer and waves may starve one another")
X(RPC_THREADS, number, "1", "calls from kernels", "threads of each PE that serve these calls")
X(RPC_WORKERS, number, "4", "calls from kernels", "threads of each PE for functions with GSHMEMX_RPC_BLOCKING")
X(RPC_POLL, poll, "adaptive", "calls from kernels",
  "how these threads wait: adaptive (spin, yield, then sleep), spin, yield, or nap: as adaptive, woken by nobody")
X(RPC_SEQ, number, "0", "debugging", "sequence number of the first call in each slot: to test that 30 bits may wrap")
X(TRACE, text, "", "debugging",
  "file for one timeline of all PEs, which Perfetto and Chrome open; equal on all PEs. The marks of gshmemx_trace are in it, and in a file for "
  "each PE, which adds its number to the name")
X(TRACE_SIZE, size, "16m", "debugging", "bytes of memory of each PE for GSHMEM_TRACE, which keeps the latest events: 128 bytes each")
X(CPU_DELIVERY, delivery, "", "cpu platform",
  "random or random:SEED: puts and atomics arrive late and in any order that fence and quiet allow")
X(CPU_DIVERGE, text, "", "cpu platform",
  "random or random:SEED: lanes that have gone different ways stay parted at random")
X(CPU_WAVE, text, "64", "cpu platform", "lanes of a wave, 32 or 64")
X(CPU_DEVICES, text, "1", "cpu platform", "number of HIP devices, up to 64")
X(CPU_CUS, text, "8", "cpu platform", "compute units that a device reports")
X(CPU_BLOCKS, text, "32", "cpu platform", "blocks that are resident at a time, each an OS thread")
X(CPU_MEMORY, text, "", "cpu platform", "bytes of memory of a device, as in 512m; else what the machine has")
X(CPU_STACK, text, "64k", "cpu platform", "bytes of stack of a lane")
X(CPU_SPIN, text, "", "cpu platform", "polls before a waiting block yields; else 1024 if the PEs, or over the net three threads of each, fit the cores, or 16")
X(CPU_STUCK, text, "5", "cpu platform", "seconds after which a block that makes no progress is named; 0: never")
X(CPU_HOST_ACCESS, text, "1", "cpu platform",
  "0: host threads cannot touch device memory, as with a GPU; mprotect: the same without protection keys")
X(CPU_NO_PEER, text, "", "cpu platform", "pairs of devices without peer access, as in 0-1,2-3, or all")
X(CPU_NO_ATOMICS, text, "", "cpu platform", "pairs of devices without native atomics, as in 0-1, or all")
X(CPU_FAIL, text, "", "cpu platform", "CALL:K[:ERROR][@RANK],...: the K-th call of a HIP function fails")
