/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* run: -n 1,2,4 */
/* Init and finalize, repeated and nested, with queries and calls of functions, leave nothing behind. */
#include <gshmem.h>
#include <string.h>

#include "job.h"
#include "oracle.h"

static int is_initialized(void)
{
	int flag = -1;

	gshmem_query_initialized(&flag);
	return flag;
}

static int add(void *context, gshmemx_rpc_call_t *call)
{
	*(uint64_t *)context += call->in[0];
	call->out[0] = call->in[0] + 1;
	return GSHMEMX_RPC_DONE;
}

/* One call by the server, and one by the thread of a blocking function, which starts with the first call. */
static void call_functions(void)
{
	const uint64_t in[6] = {41};
	uint64_t sums[2] = {0, 0}, out;
	uint32_t op;
	int i;

	for (i = 0; i < 2; i++) {
		out = 0;
		t_equal(gshmemx_rpc_register(&op, add, &sums[i], i ? GSHMEMX_RPC_BLOCKING : 0), 0,
			"register");
		t_equal(op, 0x75000000 + i, "number of the first functions");
		t_equal(gshmemx_rpc_call(op, in, &out), 0, "call");
		t_equal(out, 42, "answer");
		(void)gshmemx_rpc_post(op, in);
		gshmem_quiet();
		t_equal(sums[i], 82, "calls that were carried out");
	}
}

static void use(int round)
{
	int me = gshmem_my_pe(), npes = gshmem_n_pes(), *word = gshmem_malloc(sizeof *word), got;

	gshmem_int_p(word, round * 100 + me, (me + 1) % npes);
	gshmem_barrier_all();
	t_from_device(&got, word, sizeof got);
	t_equal(got, round * 100 + (me + npes - 1) % npes, "a put in each round");
	gshmem_free(word);
	call_functions();
}

static void query(void)
{
	char name[GSHMEM_MAX_NAME_LEN];
	int major, minor, pe, local, *word = gshmem_malloc(sizeof *word);

	gshmem_info_get_version(&major, &minor);
	t_equal(major * 100 + minor, 106, "version");
	gshmem_info_get_name(name);
	t_check(strcmp(name, "gshmem " GSHMEMX_VERSION_STRING) == 0, "name: %s", name);
	for (pe = 0; pe < gshmem_n_pes(); pe++) {
		t_equal(gshmem_pe_accessible(pe), 1, "pe_accessible");
		t_equal(gshmem_addr_accessible(word, pe), 1, "addr_accessible of the heap");
		t_equal(gshmem_addr_accessible(&local, pe), 0, "addr_accessible of the stack");
		t_check(gshmem_ptr(word, pe), "ptr to PE %d", pe);
		t_check(!gshmem_ptr(&local, pe), "ptr of the stack");
	}
	t_check(gshmem_ptr(word, gshmem_my_pe()) == word, "ptr to this PE");
	t_equal(gshmem_pe_accessible(-1), 0, "pe_accessible(-1)");
	t_equal(gshmem_pe_accessible(gshmem_n_pes()), 0, "pe_accessible(n)");
	t_check(!gshmem_ptr(word, -1) && !gshmem_ptr(word, gshmem_n_pes()), "ptr to no PE");
	gshmem_free(word);
}

int main(void)
{
	int round, tries, fds = 0, nthreads = 0, level = -1;

	t_equal(is_initialized(), 0, "before");
	for (round = 0; round < 5; round++) {
		gshmem_init();
		t_equal(is_initialized(), 1, "in between");
		use(round);
		gshmem_finalize();
		t_equal(is_initialized(), 0, "after");
		if (round == 0) {
			fds = t_count_fds();
			nthreads = t_count_threads();
		}
	}
	for (tries = 0; tries < 1000 && t_count_threads() > nthreads; tries++)
		usleep(10000); /* a thread that was joined may still be listed */
	t_check(t_count_threads() <= nthreads, "%d threads after five rounds, %d after the first",
		t_count_threads(), nthreads);
	t_equal(t_count_fds(), fds, "descriptors after five rounds and after the first");
	t_equal(gshmem_init_thread(GSHMEM_THREAD_SINGLE, &level), 0, "init_thread");
	t_equal(level, GSHMEM_THREAD_SINGLE, "provided");
	gshmem_init();
	query();
	gshmem_finalize();
	t_equal(is_initialized(), 1, "nested");
	use(7);
	gshmem_query_thread(&level);
	t_equal(level, GSHMEM_THREAD_SINGLE, "query_thread");
	gshmem_finalize();
	t_equal(is_initialized(), 0, "at the end");
	return 0;
}
