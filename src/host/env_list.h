/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every environment variable, without its GSHMEM_: X(NAME, KIND, DEFAULT, CATEGORY, HELP).
 *
 * Included several times: by the parser, gshmem-info and the test that compares docs/env.md. KIND says how a value is
 * parsed (struct gshmemi_env); DEFAULT is the text that stands for an unset variable, "" for none. The variables of
 * category "cpu platform" are read by the platform itself.
 */
X(HEAP_SIZE, size, "1g", "heap",
  "bytes of symmetric heap per PE, equal on all PEs: digits, then k, m, g or t for powers of 1024")
X(HEAP_KIND, kind, "auto", "heap",
  "memory of the heap: coarse (hipMalloc), fine, uncached, or auto: fine on amd, coarse elsewhere")
X(HEAP_PREALLOC, flag, "0", "heap", "1: take the memory of the heap in init, so that a lack of it shows at once")
X(LEAKS, flag, "0", "heap", "1: gshmem_finalize lists what was not freed; GSHMEM_CHECK=1 does too")
X(DEVICE, number, "-1", "peers",
  "HIP device of this PE; -1: the caller's current one unless that is 0, else local rank modulo devices")
X(INIT_TIMEOUT, seconds, "120", "peers", "seconds after which an init that waits for other PEs gives up; 0: never")
X(CHECK, flag, "0", "debugging", "1: check PE numbers and addresses of every call, on the host and in kernels")
X(WATCHDOG, seconds, "30", "debugging", "seconds after which a wait is reported, on the host and in kernels; 0: never")
X(DEBUG, flag, "0", "debugging", "1: say on stderr what init does")
X(CPU_DELIVERY, text, "", "cpu platform",
  "random or random:SEED: puts and atomics arrive late and in any order that fence and quiet allow")
