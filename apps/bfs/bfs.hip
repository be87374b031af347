/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Breadth-first searches of an R-MAT graph with the parameters of Graph500, each in one kernel (bfs.h), with
 * atomics and with buffers. Beside them the same without fusion (split.h). PE 0 validates each tree by the
 * rules of Graph500, and compares its levels with those of a serial search.
 *
 *     gshmemcc -o bfs bfs.hip && mpirun -n 4 ./bfs
 *     mpirun -n 4 ./bfs 12 16          # 2^12 vertices, 16 times as many edges
 */
#include "bfs.h"
#include "check.h"
#include "rmat.h"
#include "split.h"

#include <stdio.h>

#define NGROUPS  2
#define NTHREADS 64
#define MOST     64 /* edges of a message */
#define NROOTS   2

enum { SPLIT = BFS_BUFFERS + 1, NWAYS };
static const char *const names[NWAYS] = {"atomics", "buffers", "split"};

__global__ static void search(struct bfs b, int root, enum bfs_way way)
{
	bfs_search_wg(b, root, way);
}

static int run_fused(struct bfs b, int root, enum bfs_way way)
{
	void *args[] = {&b, &root, &way};
	/* Work-groups that wait for other PEs must all be resident. */
	const int rc = gshmemx_collective_launch(search, dim3(NGROUPS), dim3(NTHREADS), args, 0, 0);

	return hipDeviceSynchronize() != hipSuccess || rc;
}

/* Whether the last search's tree is right, on PE 0; the others let it read theirs. */
static int check(const struct bfs *b, int nvertices, const std::vector<struct bfs_edge> &edges, int root,
	const char *name)
{
	const char *broken = NULL;
	int nreached = 0;

	gshmem_barrier_all();
	if (gshmem_my_pe() == 0) {
		const struct bfs_tree tree = bfs_get_tree(b, nvertices);
		const struct bfs_tree serial = bfs_serial(nvertices, edges, root);

		for (int level : tree.level)
			nreached += level >= 0;
		broken = bfs_broken_rule(edges, root, tree, serial);
		printf("root %d, %s: %d of %d vertices, %d levels: %s\n", root, name, nreached, nvertices,
			1 + *std::max_element(tree.level.begin(), tree.level.end()),
			broken ? broken : "valid");
	}
	gshmem_barrier_all();
	return broken != NULL;
}

int main(int argc, char **argv)
{
	gshmem_init();
	const int scale = argc > 1 ? atoi(argv[1]) : 9, factor = argc > 2 ? atoi(argv[2]) : 16,
		  nvertices = 1 << scale;
	const std::vector<struct bfs_edge> edges = rmat_graph(scale, factor, 1);
	struct bfs b;
	struct bfs_split s;
	int rc = bfs_create(&b, nvertices, edges.data(), edges.size(), NGROUPS, MOST);

	if (rc)
		return 1;
	if (bfs_split_create(&s, &b, edges.data(), edges.size()))
		return 1;
	for (int k = 0; k < NROOTS; k++) {
		const int root = edges[(size_t)k * edges.size() / NROOTS].from;

		for (int way = 0; way < NWAYS; way++) {
			rc = (way == SPLIT ? bfs_split_search(&s, root, NTHREADS)
					   : run_fused(b, root, (enum bfs_way)way)) ||
				rc;
			rc = check(&b, nvertices, edges, root, names[way]) || rc;
		}
	}
	bfs_split_destroy(&s);
	bfs_destroy(&b);
	gshmem_finalize();
	return rc;
}
