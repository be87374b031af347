/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run by tests/bitcode.sh on two or more PEs. Loads a code object that is made of run.ll and the
 * bitcode of the device API, and checks that its kernels reach the peers and that arguments and
 * results of all kinds arrive.
 */
#include <hip/hip_runtime_api.h>
#include <gshmem.h>
#include <gshmemx_win.h>
#include <string.h>

#include "helpers.h"

enum { NTHREADS = 256, NBYTES = 4099, NELEMS = 100, NWORDS = 8 };
enum { COUNTER = 16, FLOAT = 24, HALF = 28 }; /* where run.ll has them */

static hipModule_t module;
static uint64_t told; /* by the kernel's call to the CPU */

static int tell(void *user, gshmemx_rpc_call_t *call)
{
	(void)user;
	__atomic_store_n(&told, call->in[5], __ATOMIC_RELEASE);
	return GSHMEMX_RPC_DONE;
}

static void launch(const char *name, unsigned nthreads, void **args)
{
	hipFunction_t kernel;

	t_hip(hipModuleGetFunction(&kernel, module, name));
	t_hip(hipModuleLaunchKernel(kernel, 1, 1, 1, nthreads, 1, 1, 0, NULL, args, NULL));
	t_hip(hipDeviceSynchronize());
}

/* The value at a symmetric address of this PE. */
static void fetch(void *to, const void *from, size_t nbytes)
{
	gshmem_getmem(to, from, nbytes, gshmem_my_pe());
}

static void ring(void)
{
	const int before = (gshmem_my_pe() + gshmem_n_pes() - 1) % gshmem_n_pes();
	char *dest = gshmem_calloc(NBYTES, 1), *source = gshmem_calloc(NBYTES, 1), bytes[NBYTES];
	uint64_t *signal = gshmem_calloc(1, sizeof *signal), value, nbytes = NBYTES;
	void *args[] = {&dest, &source, &nbytes, &signal, &value};
	int i;

	for (value = 1; value <= 3; value++) {
		for (i = 0; i < NBYTES; i++)
			bytes[i] = (char)(i * 7 + gshmem_my_pe() + (int)value);
		gshmem_putmem(source, bytes, NBYTES, gshmem_my_pe());
		gshmem_barrier_all();
		launch("ring", NTHREADS, args);
		fetch(bytes, dest, NBYTES);
		for (i = 0; i < NBYTES; i++)
			t_equal(bytes[i], (char)(i * 7 + before + (int)value), "a byte of the ring");
	}
	gshmem_free(signal);
	gshmem_free(source);
	gshmem_free(dest);
}

static void calls(void)
{
	const float fraction = 0.75F;
	char *on = gshmem_calloc(64, 1);
	uint64_t out[NWORDS], *device_out, words[6] = {0, 0, 0, 0, 0, 77}, *device_words, count = 5;
	uint64_t ctx = (uint64_t)(uintptr_t)GSHMEM_CTX_DEFAULT, team = (uint64_t)(uintptr_t)GSHMEM_TEAM_WORLD;
	const uint16_t half = 0x4200; /* 3 */
	int pe = (gshmem_my_pe() + 1) % gshmem_n_pes();
	uint32_t op;
	void *args[] = {&device_out, &on, &pe, &ctx, &team, &op, &device_words};
	struct {
		signed char small;
		uint16_t half;
		double wide;
		uint64_t counter;
		float fraction;
		uint16_t other;
		int64_t number;
	} here;

	t_equal(gshmemx_rpc_register(&op, tell, NULL, 0), 0, "gshmemx_rpc_register");
	t_hip(hipMalloc((void **)&device_out, sizeof out));
	t_hip(hipMalloc((void **)&device_words, sizeof words));
	t_hip(hipMemcpy(device_words, words, sizeof words, hipMemcpyHostToDevice));
	gshmem_putmem(on + COUNTER, &count, sizeof count, gshmem_my_pe());
	gshmem_putmem(on + FLOAT, &fraction, sizeof fraction, gshmem_my_pe());
	gshmem_putmem(on + HALF, &half, sizeof half, gshmem_my_pe());
	gshmem_barrier_all();
	launch("calls", 64, args);
	gshmem_barrier_all();
	t_hip(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost));
	t_equal(out[0], 0, "results of calls that return nothing");
	t_equal(out[1], 5, "gshmem_uint64_atomic_fetch_add");
	t_check(memcmp(&out[2], &fraction, sizeof fraction) == 0, "gshmem_float_g");
	t_equal(out[3], 0x4200, "gshmemx_half_g");
	t_equal(out[4], gshmem_my_pe(), "gshmem_team_my_pe");
	t_equal(out[5], (uintptr_t)gshmem_ptr(on, pe), "gshmem_ptr");
	t_equal(out[6], 0, "gshmemx_rpc_wait");
	t_equal(__atomic_load_n(&told, __ATOMIC_ACQUIRE), 77, "a word of gshmemx_rpc_post");
	fetch(&here, on, sizeof here);
	t_equal(here.small, -7, "gshmem_char_p");
	t_equal(here.half, 0x3c00, "gshmemx_half_p");
	t_check(here.wide == 2.5, "gshmem_double_p: %g", here.wide);
	t_equal(here.counter, (1LL << 32) + 5, "the counter");
	t_equal(here.number, -1, "gshmem_ctx_long_p");
	t_hip(hipFree(device_words));
	t_hip(hipFree(device_out));
	gshmem_free(on);
}

/* The window has one complex number, then NELEMS ints. */
static void group(void)
{
	const int pe_before = (gshmem_my_pe() + gshmem_n_pes() - 1) % gshmem_n_pes();
	int *source = gshmem_calloc(NELEMS, sizeof *source), *sum = gshmem_calloc(NELEMS, sizeof *sum);
	int numbers[NELEMS];
	double pair[4] = {1.5, gshmem_my_pe() + 1, -1, -1}, here[2] = {10, 20}, *complex;
	int pe = (gshmem_my_pe() + 1) % gshmem_n_pes(), i, k;
	uint64_t nelems = NELEMS;
	gshmemx_win_t win;
	char *memory;
	void *args[] = {&win, &source, &nelems, &complex, &sum, &pe};

	for (i = 0; i < NELEMS; i++)
		numbers[i] = 1000 * gshmem_my_pe() + i;
	gshmem_putmem(source, numbers, sizeof numbers, gshmem_my_pe());
	t_hip(hipMalloc((void **)&complex, sizeof pair));
	t_hip(hipMemcpy(complex, pair, sizeof pair, hipMemcpyHostToDevice));
	i = gshmemx_win_allocate(GSHMEM_TEAM_WORLD, sizeof here + sizeof numbers, 4, (void **)&memory, &win);
	t_equal(i, 0, "gshmemx_win_allocate");
	t_hip(hipMemcpy(memory, here, sizeof here, hipMemcpyHostToDevice));
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "gshmemx_win_lock_all");
	launch("group", NTHREADS, args);
	t_equal(gshmemx_win_unlock_all(win), 0, "gshmemx_win_unlock_all");
	gshmem_barrier_all();
	t_hip(hipMemcpy(pair, complex, sizeof pair, hipMemcpyDeviceToHost));
	t_check(pair[2] == 10 && pair[3] == 20, "the old complex number: %g, %g", pair[2], pair[3]);
	t_hip(hipMemcpy(here, memory, sizeof here, hipMemcpyDeviceToHost));
	t_check(here[0] == 11.5 && here[1] == 21 + pe_before, "the complex sum: %g, %g", here[0], here[1]);
	t_hip(hipMemcpy(numbers, memory + sizeof here, sizeof numbers, hipMemcpyDeviceToHost));
	for (i = 0; i < NELEMS; i++)
		t_equal(numbers[i], 1000 * pe_before + i, "an int of the window");
	fetch(numbers, sum, sizeof numbers);
	for (i = 0; i < NELEMS; i++) {
		for (k = 0; k < gshmem_n_pes(); k++)
			numbers[i] -= 1000 * k + i;
		t_equal(numbers[i], 0, "an int of the sum, less what it should be");
	}
	t_equal(gshmemx_win_free(&win), 0, "gshmemx_win_free");
	t_hip(hipFree(complex));
	gshmem_free(sum);
	gshmem_free(source);
}

int main(int argc, char **argv)
{
	t_check(argc == 2, "usage: run CODE-OBJECT");
	gshmem_init();
	t_hip(hipModuleLoad(&module, argv[1]));
	t_equal(gshmemx_module_init(module), 0, "gshmemx_module_init");
	ring();
	calls();
	group();
	gshmem_finalize();
	t_hip(hipModuleUnload(module));
	return 0;
}
