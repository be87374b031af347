/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sleeping until a counter moves: first spins, because waking a halted core costs 5 to 50 us, then waits
 * on a futex.
 */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "processor.h"
#include "runtime.h"

void hipcpu_relax(void)
{
	processor_relax();
}

uint64_t hipcpu_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void hipcpu_gate_wait(struct hipcpu_gate *gate, uint32_t seen, long timeout_us)
{
	unsigned nspins = hipcpu_config()->idle_spin;
	struct timespec timeout = {.tv_sec = timeout_us / 1000000, .tv_nsec = timeout_us % 1000000 * 1000};

	while (nspins--) {
		/* acquire: pairs with the release in hipcpu_gate_open */
		if (atomic_load_explicit(&gate->value, memory_order_acquire) != seen)
			return;
		hipcpu_relax();
	}
	/* Sequentially consistent, as is the increment in hipcpu_gate_open: either it sees the sleeper
	   or the futex sees the new value. */
	atomic_fetch_add(&gate->nsleepers, 1);
	if (atomic_load(&gate->value) == seen)
		syscall(SYS_futex, &gate->value, FUTEX_WAIT_PRIVATE, seen, timeout_us < 0 ? NULL : &timeout,
			NULL, 0);
	atomic_fetch_sub(&gate->nsleepers, 1);
}

void hipcpu_gate_open(struct hipcpu_gate *gate)
{
	atomic_fetch_add(&gate->value, 1);
	if (atomic_load(&gate->nsleepers))
		syscall(SYS_futex, &gate->value, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}
