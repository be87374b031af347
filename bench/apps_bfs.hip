/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * Breadth-first searches of R-MAT graphs (apps/bfs): in one kernel with buffers, against kernels and
 * collectives of the host for each level (split), the kernel with atomics, and MPI alone, which searches on
 * the CPUs and calls MPI_Alltoallv in each level. us are per search. bytes is the number of edges that a
 * search goes over, so GB_s is 10^9 traversed edges per second, of all PEs.
 */
#include "bench.h"

#include "../apps/bfs/check.h"
#include "../apps/bfs/rmat.h"
#include "../apps/bfs/split.h"

#define FACTOR 16   /* edges per vertex */
#define MOST   2048 /* edges of a message */
#define NROOTS 8

struct graph {
	int nvertices, nthreads;
	std::vector<struct bfs_edge> edges;
	std::vector<int> roots; /* of one component */
	size_t nreached;        /* edges of this component */
	struct bfs b;
	struct bfs_split split;
};

__global__ static void search_kernel(struct bfs b, int root, enum bfs_way way)
{
	bfs_search_wg(b, root, way);
}

/* Work-groups that wait for other PEs must all be resident: a cooperative launch sees to it. */
static void fused(struct graph &g, int root, enum bfs_way way)
{
	void *args[] = {&g.b, &root, &way};

	t_hip(hipLaunchCooperativeKernel(
		search_kernel, dim3((unsigned)g.b.ngroups), dim3((unsigned)g.nthreads), args, 0, 0));
	t_hip(hipDeviceSynchronize());
}

static void with_buffers(struct graph &g, int root)
{
	fused(g, root, BFS_BUFFERS);
}

static void with_atomics(struct graph &g, int root)
{
	fused(g, root, BFS_ATOMICS);
}

static void split(struct graph &g, int root)
{
	t_equal(bfs_split_search(&g.split, root, g.nthreads), 0, "apps_bfs: split");
}

/* ---- MPI alone: vertex v is on rank v % npes, at v / npes ---- */

static struct {
	std::vector<int> begin, neighbours, parent, level, queue;
} mpi;

static void mpi_load(const struct graph &g)
{
	std::vector<std::vector<int>> lists((size_t)(g.nvertices / bench.npes + 1));

	for (const struct bfs_edge &e : g.edges) {
		if (e.from == e.to)
			continue;
		if (e.from % bench.npes == bench.pe)
			lists[e.from / bench.npes].push_back(e.to);
		if (e.to % bench.npes == bench.pe)
			lists[e.to / bench.npes].push_back(e.from);
	}
	mpi.begin.assign(1, 0);
	mpi.neighbours.clear();
	for (const std::vector<int> &list : lists) {
		mpi.neighbours.insert(mpi.neighbours.end(), list.begin(), list.end());
		mpi.begin.push_back((int)mpi.neighbours.size());
	}
}

static void mpi_visit(int i, int parent, int depth)
{
	if (mpi.parent[i] != -1)
		return;
	mpi.parent[i] = parent;
	mpi.level[i] = depth;
	mpi.queue.push_back(i);
}

/* Give each rank its edges. Returns those that came: indexes and parents by turns. */
static std::vector<int> mpi_exchange(const std::vector<std::vector<int>> &out)
{
	std::vector<int> sent, nout(bench.npes), nin(bench.npes), from(bench.npes + 1), to(bench.npes + 1);

	for (int pe = 0; pe < bench.npes; pe++) {
		nout[pe] = (int)out[pe].size();
		from[pe + 1] = from[pe] + nout[pe];
		sent.insert(sent.end(), out[pe].begin(), out[pe].end());
	}
	MPI_Alltoall(nout.data(), 1, MPI_INT, nin.data(), 1, MPI_INT, MPI_COMM_WORLD);
	for (int pe = 0; pe < bench.npes; pe++)
		to[pe + 1] = to[pe] + nin[pe];
	std::vector<int> come(to[bench.npes]);

	MPI_Alltoallv(sent.data(), nout.data(), from.data(), MPI_INT, come.data(), nin.data(), to.data(),
		MPI_INT, MPI_COMM_WORLD);
	return come;
}

static void mpi_alone(struct graph &g, int root)
{
	const size_t n = mpi.begin.size() - 1;
	int depth = 0, nfrontier = 1;

	(void)g;
	mpi.parent.assign(n, -1);
	mpi.level.assign(n, -1);
	mpi.queue.clear();
	if (root % bench.npes == bench.pe)
		mpi_visit(root / bench.npes, root, 0);
	for (size_t first = 0; nfrontier; depth++) {
		std::vector<std::vector<int>> out(bench.npes);
		const size_t end = mpi.queue.size();

		for (; first < end; first++) {
			const int i = mpi.queue[first];

			for (int k = mpi.begin[i]; k < mpi.begin[i + 1]; k++) {
				const int v = mpi.neighbours[k];

				out[v % bench.npes].push_back(v / bench.npes);
				out[v % bench.npes].push_back(i * bench.npes + bench.pe);
			}
		}
		const std::vector<int> come = mpi_exchange(out);

		for (size_t k = 0; k < come.size(); k += 2)
			mpi_visit(come[k], come[k + 1], depth + 1);
		nfrontier = (int)(mpi.queue.size() - end);
		MPI_Allreduce(MPI_IN_PLACE, &nfrontier, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
}

/* ---- graphs and rows ---- */

/* Roots of the component of most vertices, and how many edges it has. */
static void choose_roots(struct graph &g)
{
	for (size_t k = 0; (int)g.roots.size() < NROOTS; k++) {
		const int root = g.edges[k].from;
		const struct bfs_tree tree = bfs_serial(g.nvertices, g.edges, root);

		if (std::count(tree.level.begin(), tree.level.end(), -1) * 3 > g.nvertices * 2)
			continue;
		g.roots.push_back(root);
		g.nreached = 0;
		for (const struct bfs_edge &e : g.edges)
			g.nreached += tree.level[e.from] >= 0;
	}
}

static void make(struct graph &g, int scale)
{
	g.nvertices = 1 << scale;
	g.nthreads = bench.one_clock ? 64 : 256;
	g.edges = rmat_graph(scale, FACTOR, 1);
	choose_roots(g);
	t_equal(bfs_create(&g.b, g.nvertices, g.edges.data(), g.edges.size(),
			std::min(16, std::max(1, bench_ncus() / 4)), MOST),
		0, "apps_bfs: create");
	t_equal(bfs_split_create(&g.split, &g.b, g.edges.data(), g.edges.size()), 0,
		"apps_bfs: create split");
	mpi_load(g);
	gshmem_barrier_all();
}

/* The tree that MPI alone has made, on rank 0. */
static struct bfs_tree mpi_tree(int nvertices)
{
	const int n = (int)mpi.parent.size();
	std::vector<int> parents((size_t)n * bench.npes), levels(parents);
	struct bfs_tree tree = {std::vector<int>(nvertices), std::vector<int>(nvertices)};

	MPI_Gather(mpi.parent.data(), n, MPI_INT, parents.data(), n, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Gather(mpi.level.data(), n, MPI_INT, levels.data(), n, MPI_INT, 0, MPI_COMM_WORLD);
	for (int v = 0; v < nvertices; v++) {
		tree.parent[v] = parents[v % bench.npes * n + v / bench.npes];
		tree.level[v] = levels[v % bench.npes * n + v / bench.npes];
	}
	return tree;
}

typedef void search(struct graph &g, int root);

/* A search in each form gives a valid tree. */
static void check(struct graph &g)
{
	static search *const forms[] = {with_buffers, with_atomics, split, mpi_alone};
	static const char *const names[] = {"buffers", "atomics", "split", "MPI alone"};
	const int root = g.roots[0];
	const struct bfs_tree serial = bfs_serial(g.nvertices, g.edges, root);

	for (int f = 0; f < 4; f++) {
		gshmem_barrier_all();
		forms[f](g, root);
		gshmem_barrier_all();
		const struct bfs_tree tree =
			forms[f] == mpi_alone ? mpi_tree(g.nvertices) : bfs_get_tree(&g.b, g.nvertices);
		const char *broken = bench.pe ? NULL : bfs_broken_rule(g.edges, root, tree, serial);

		t_check(!broken, "apps_bfs: %d vertices, %s: %s", g.nvertices, names[f], broken);
	}
	gshmem_barrier_all();
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "apps_bfs");
	for (int scale = 8; scale <= 14; scale += 3) {
		struct graph g = {};
		std::vector<std::string> names;
		auto timed = [&g](search *form) {
			return bench_timed([&g, form](size_t reps) {
				for (size_t i = 0; i < reps; i++)
					form(g, g.roots[i % NROOTS]);
			});
		};

		make(g, scale);
		for (const char *other : {"split", "atomics", "mpi"})
			names.push_back("bfs_" + std::to_string(scale) + "_" + other);
		bench_measure_each({"", "wg", g.nreached, bench.npes, {}, false, 0},
			{names[0].c_str(), names[1].c_str(), names[2].c_str()}, timed(with_buffers),
			{timed(split), timed(with_atomics), timed(mpi_alone)});
		check(g);
		bfs_split_destroy(&g.split);
		bfs_destroy(&g.b);
	}
	bench_finalize();
	return 0;
}
