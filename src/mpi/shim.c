/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One MPI behind the table of mpi/shim.h. This file is compiled once for each kind of MPI, with its mpi.h,
 * and becomes a plug-in of libgshmem.so and a member of libgshmem.a. It refers to no name of MPI and to none
 * of the library: the functions, and the data whose addresses are Open MPI's handles, are looked up when it
 * is opened. So it does not bring an MPI of its own beside that of the program.
 */
#include "mpi/shim.h"

#include <mpi.h>
#include <string.h>

#if defined(OPEN_MPI)
#define NAME           "Open MPI"
#define INIT_CONNECTS  true
#define FINALIZE_HANGS false
#define MULTIPLE       "OMPI_MPI_THREAD_LEVEL=3"
#elif defined(MPI_ABI_VERSION) && MPI_ABI_VERSION + 0 > 0
#define NAME           "the standard ABI of MPI"
#define INIT_CONNECTS  false
#define FINALIZE_HANGS true /* it may be MPICH */
#define MULTIPLE       "MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE if it is MPICH"
#else
#define NAME           "MPICH"
#define INIT_CONNECTS  false
#define FINALIZE_HANGS true /* 4.0.2 over UCX's TCP */
#define MULTIPLE       "MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE"
#endif

#define CALLS(X) \
	X(Abort) \
	X(Bcast) \
	X(Comm_compare) \
	X(Comm_create_keyval) \
	X(Comm_delete_attr) \
	X(Comm_dup) \
	X(Comm_free) \
	X(Comm_free_keyval) \
	X(Comm_get_attr) \
	X(Comm_get_errhandler) \
	X(Comm_group) \
	X(Comm_rank) \
	X(Comm_set_attr) \
	X(Comm_set_errhandler) \
	X(Comm_size) \
	X(Comm_split) \
	X(Comm_test_inter) \
	X(Errhandler_free) \
	X(Error_string) \
	X(Finalize) \
	X(Finalized) \
	X(Get_count) \
	X(Group_free) \
	X(Group_size) \
	X(Group_translate_ranks) \
	X(Iallgather) \
	X(Iallreduce) \
	X(Ibarrier) \
	X(Ibcast) \
	X(Init_thread) \
	X(Initialized) \
	X(Iprobe) \
	X(Irecv) \
	X(Isend) \
	X(Query_thread) \
	X(Test) \
	X(Testsome) \
	X(Waitall) \
	X(Win_get_attr) \
	X(Win_get_group)

static struct {
#define X(NAME) __typeof__(MPI_##NAME) *NAME;
	CALLS(X)
#undef X
} mpi;

/*
 * What Open MPI's MPI_Abort calls, after it has had the launcher print a banner that speaks of MPI_Abort,
 * which the user has not called. NULL: this MPI has none.
 */
static int (*quiet_abort)(MPI_Comm comm, int status);

/* What Open MPI's constants are the addresses of. */
#ifdef OPEN_MPI
#define CONSTANTS(X) \
	X(mpi_byte) \
	X(mpi_comm_null) \
	X(mpi_comm_self) \
	X(mpi_comm_world) \
	X(mpi_errors_return) \
	X(mpi_group_null) \
	X(mpi_int64_t) \
	X(mpi_op_band) \
	X(mpi_op_min) \
	X(mpi_uint64_t) \
	X(request_null)

static struct {
#define X(NAME) char *NAME;
	CONSTANTS(X)
#undef X
} constant;
#define ompi_mpi_byte          (*constant.mpi_byte)
#define ompi_mpi_comm_null     (*constant.mpi_comm_null)
#define ompi_mpi_comm_self     (*constant.mpi_comm_self)
#define ompi_mpi_comm_world    (*constant.mpi_comm_world)
#define ompi_mpi_errors_return (*constant.mpi_errors_return)
#define ompi_mpi_group_null    (*constant.mpi_group_null)
#define ompi_mpi_int64_t       (*constant.mpi_int64_t)
#define ompi_mpi_op_band       (*constant.mpi_op_band)
#define ompi_mpi_op_min        (*constant.mpi_op_min)
#define ompi_mpi_uint64_t      (*constant.mpi_uint64_t)
#define ompi_request_null      (*constant.request_null)
#else
#define CONSTANTS(X)
#endif

/* ---- handles ---- */

#define COMM(HANDLE)  ((HANDLE) ? (MPI_Comm)(HANDLE) : MPI_COMM_NULL)
#define GROUP(HANDLE) ((HANDLE) ? (MPI_Group)(HANDLE) : MPI_GROUP_NULL)

static gshmemi_mpi_comm_t comm_handle(MPI_Comm comm)
{
	return comm == MPI_COMM_NULL ? 0 : (intptr_t)comm;
}

static MPI_Request request_of(gshmemi_mpi_request_t handle)
{
	return handle ? (MPI_Request)handle : MPI_REQUEST_NULL;
}

static gshmemi_mpi_request_t request_handle(MPI_Request request)
{
	return request == MPI_REQUEST_NULL ? 0 : (intptr_t)request;
}

static int keep_request(int code, MPI_Request request, gshmemi_mpi_request_t *handle)
{
	if (code == MPI_SUCCESS)
		*handle = request_handle(request);
	return code;
}

/* ---- the process ---- */

static int gshmem_level(int level)
{
	return level == MPI_THREAD_SINGLE        ? 0
		: level == MPI_THREAD_FUNNELED   ? 1
		: level == MPI_THREAD_SERIALIZED ? 2
						 : 3;
}

static void init(int *level)
{
	mpi.Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, level);
	*level = gshmem_level(*level);
}

static void query_thread(int *level)
{
	mpi.Query_thread(level);
	*level = gshmem_level(*level);
}

static bool is_initialized(void)
{
	int flag = 0;

	mpi.Initialized(&flag);
	return flag;
}

static bool is_finalized(void)
{
	int flag = 0;

	mpi.Finalized(&flag);
	return flag;
}

static void finalize(void)
{
	mpi.Finalize();
}

static void abort_world(int status)
{
	if (quiet_abort)
		quiet_abort(MPI_COMM_WORLD, status);
	mpi.Abort(MPI_COMM_WORLD, status);
}

static void error_string(int code, char *text, size_t nbytes)
{
	char all[MPI_MAX_ERROR_STRING + 1] = "";
	int length;

	mpi.Error_string(code, all, &length);
	all[strcspn(all, "\n")] = 0;
	strncpy(text, all, nbytes - 1);
	text[nbytes - 1] = 0;
}

/* ---- communicators and groups ---- */

static gshmemi_mpi_comm_t read_comm(const void *comm)
{
	return comm_handle(*(const MPI_Comm *)comm);
}

/* The copy inherits the error handler; then the original gets its own back. */
static int comm_copy(gshmemi_mpi_comm_t handle, gshmemi_mpi_comm_t *copy)
{
	const MPI_Comm comm = COMM(handle);
	MPI_Comm new_comm = MPI_COMM_NULL;
	MPI_Errhandler old;
	int code;

	mpi.Comm_get_errhandler(comm, &old);
	mpi.Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	code = mpi.Comm_dup(comm, &new_comm);
	mpi.Comm_set_errhandler(comm, old);
	mpi.Errhandler_free(&old);
	*copy = code == MPI_SUCCESS ? comm_handle(new_comm) : 0;
	return code;
}

static int comm_split(gshmemi_mpi_comm_t comm, int color, int key, gshmemi_mpi_comm_t *part)
{
	MPI_Comm new_comm = MPI_COMM_NULL;
	const int code = mpi.Comm_split(COMM(comm), color < 0 ? MPI_UNDEFINED : color, key, &new_comm);

	*part = code == MPI_SUCCESS ? comm_handle(new_comm) : 0;
	return code;
}

static void comm_free(gshmemi_mpi_comm_t *handle)
{
	MPI_Comm comm = COMM(*handle);

	mpi.Comm_free(&comm);
	*handle = 0;
}

static int comm_rank(gshmemi_mpi_comm_t comm)
{
	int rank = 0;

	mpi.Comm_rank(COMM(comm), &rank);
	return rank;
}

static int comm_size(gshmemi_mpi_comm_t comm)
{
	int size = 0;

	mpi.Comm_size(COMM(comm), &size);
	return size;
}

static bool comm_is_inter(gshmemi_mpi_comm_t comm)
{
	int flag = 0;

	mpi.Comm_test_inter(COMM(comm), &flag);
	return flag;
}

static bool comm_is_self(gshmemi_mpi_comm_t comm)
{
	int relation = MPI_UNEQUAL;

	mpi.Comm_compare(COMM(comm), MPI_COMM_SELF, &relation);
	return relation == MPI_IDENT;
}

static int comm_last_tag(gshmemi_mpi_comm_t comm)
{
	int *last, has_last = 0;

	mpi.Comm_get_attr(COMM(comm), MPI_TAG_UB, &last, &has_last);
	return has_last ? *last : 0;
}

static void comm_group(gshmemi_mpi_comm_t comm, gshmemi_mpi_group_t *handle)
{
	MPI_Group group = MPI_GROUP_NULL;

	mpi.Comm_group(COMM(comm), &group);
	*handle = (intptr_t)group;
}

static int group_size(gshmemi_mpi_group_t group)
{
	int size = 0;

	mpi.Group_size(GROUP(group), &size);
	return size;
}

static int group_find_ranks(
	gshmemi_mpi_group_t group, int n, const int *numbers, gshmemi_mpi_comm_t comm, int *ranks)
{
	MPI_Group all;
	int code, i;

	code = mpi.Comm_group(COMM(comm), &all);
	if (code != MPI_SUCCESS)
		return code;
	code = mpi.Group_translate_ranks(GROUP(group), n, numbers, all, ranks);
	for (i = 0; i < n; i++)
		if (ranks[i] == MPI_UNDEFINED)
			ranks[i] = -1;
	mpi.Group_free(&all);
	return code;
}

static void group_free(gshmemi_mpi_group_t *handle)
{
	MPI_Group group = GROUP(*handle);

	mpi.Group_free(&group);
	*handle = 0;
}

/* ---- windows ---- */

static void *find_attribute(MPI_Win win, int key)
{
	void *value = NULL;
	int has_one = 0;

	mpi.Win_get_attr(win, key, &value, &has_one);
	return has_one ? value : NULL;
}

static void win_describe(const void *win_p, struct gshmemi_mpi_memory *memory)
{
	const MPI_Win win = *(const MPI_Win *)win_p;
	const int *flavor = find_attribute(win, MPI_WIN_CREATE_FLAVOR),
		  *unit = find_attribute(win, MPI_WIN_DISP_UNIT);
	const MPI_Aint *nbytes = find_attribute(win, MPI_WIN_SIZE);

	memset(memory, 0, sizeof *memory);
	memory->is_dynamic = flavor && *flavor == MPI_WIN_FLAVOR_DYNAMIC;
	memory->is_known = !memory->is_dynamic && unit && nbytes;
	if (!memory->is_known)
		return;
	memory->base = find_attribute(win, MPI_WIN_BASE);
	memory->nbytes = (size_t)*nbytes;
	memory->disp_unit = *unit;
}

static void win_group(const void *win, gshmemi_mpi_group_t *handle)
{
	MPI_Group group = MPI_GROUP_NULL;

	mpi.Win_get_group(*(const MPI_Win *)win, &group);
	*handle = (intptr_t)group;
}

/* ---- messages ---- */

static int isend(const void *data, size_t nbytes, int to, int tag, gshmemi_mpi_comm_t comm,
	gshmemi_mpi_request_t *handle)
{
	MPI_Request request = MPI_REQUEST_NULL;
	const int code = mpi.Isend(data, (int)nbytes, MPI_BYTE, to, tag, COMM(comm), &request);

	return keep_request(code, request, handle);
}

static int irecv(
	void *data, size_t nbytes, int from, int tag, gshmemi_mpi_comm_t comm, gshmemi_mpi_request_t *handle)
{
	MPI_Request request = MPI_REQUEST_NULL;
	const int code = mpi.Irecv(
		data, (int)nbytes, MPI_BYTE, from < 0 ? MPI_ANY_SOURCE : from, tag, COMM(comm), &request);

	return keep_request(code, request, handle);
}

static int test(gshmemi_mpi_request_t *handle, bool *is_done)
{
	MPI_Request request = request_of(*handle);
	int flag = 0, code;

	code = mpi.Test(&request, &flag, MPI_STATUS_IGNORE);
	*handle = request_handle(request);
	*is_done = flag;
	return code;
}

/* MPI puts the errors of several requests into their statuses. */
static int find_code(int code, const MPI_Status *statuses, int nstatuses)
{
	int i;

	if (code != MPI_ERR_IN_STATUS)
		return code;
	for (i = 0; i < nstatuses; i++)
		if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
			return statuses[i].MPI_ERROR;
	return code;
}

static int test_some(int n, gshmemi_mpi_request_t *handles, int *ndone, struct gshmemi_mpi_done *done)
{
	MPI_Request requests[GSHMEMI_MPI_NTESTED];
	MPI_Status statuses[GSHMEMI_MPI_NTESTED];
	int indices[GSHMEMI_MPI_NTESTED];
	int i, code, nbytes;

	for (i = 0; i < n; i++)
		requests[i] = request_of(handles[i]);
	*ndone = 0;
	code = mpi.Testsome(n, requests, ndone, indices, statuses);
	if (*ndone == MPI_UNDEFINED)
		*ndone = 0;
	if (code != MPI_SUCCESS)
		return find_code(code, statuses, *ndone);
	for (i = 0; i < *ndone; i++) {
		handles[indices[i]] = request_handle(requests[indices[i]]);
		mpi.Get_count(&statuses[i], MPI_BYTE, &nbytes);
		done[i] = (struct gshmemi_mpi_done){indices[i], statuses[i].MPI_SOURCE, (size_t)nbytes};
	}
	return code;
}

static int wait_all(int n, gshmemi_mpi_request_t *handles)
{
	MPI_Request requests[GSHMEMI_MPI_NTESTED];
	/* gcc 12 takes MPICH's MPI_STATUSES_IGNORE for an array that is too small */
	MPI_Status statuses[GSHMEMI_MPI_NTESTED];
	int i, code;

	for (i = 0; i < n; i++)
		requests[i] = request_of(handles[i]);
	code = mpi.Waitall(n, requests, statuses);
	for (i = 0; i < n; i++)
		handles[i] = request_handle(requests[i]);
	return find_code(code, statuses, n);
}

static void progress(void)
{
	int flag;

	mpi.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* ---- collective calls ---- */

static int ibarrier(gshmemi_mpi_comm_t comm, gshmemi_mpi_request_t *handle)
{
	MPI_Request request = MPI_REQUEST_NULL;
	const int code = mpi.Ibarrier(COMM(comm), &request);

	return keep_request(code, request, handle);
}

static int ibcast(void *data, size_t nbytes, int root, gshmemi_mpi_comm_t comm, gshmemi_mpi_request_t *handle)
{
	MPI_Request request = MPI_REQUEST_NULL;
	const int code = mpi.Ibcast(data, (int)nbytes, MPI_BYTE, root, COMM(comm), &request);

	return keep_request(code, request, handle);
}

static int bcast(void *data, size_t nbytes, int root, gshmemi_mpi_comm_t comm)
{
	return mpi.Bcast(data, (int)nbytes, MPI_BYTE, root, COMM(comm));
}

static int iallgather(
	const void *mine, void *all, size_t nbytes, gshmemi_mpi_comm_t comm, gshmemi_mpi_request_t *handle)
{
	MPI_Request request = MPI_REQUEST_NULL;
	const int code =
		mpi.Iallgather(mine, (int)nbytes, MPI_BYTE, all, (int)nbytes, MPI_BYTE, COMM(comm), &request);

	return keep_request(code, request, handle);
}

/* MPICH 4.0.2 compares MPI_UINT64_T as if it were signed; MPI_INT64_T is signed everywhere. */
static int imin(int64_t *words, int n, gshmemi_mpi_comm_t comm, gshmemi_mpi_request_t *handle)
{
	MPI_Request request = MPI_REQUEST_NULL;
	const int code = mpi.Iallreduce(MPI_IN_PLACE, words, n, MPI_INT64_T, MPI_MIN, COMM(comm), &request);

	return keep_request(code, request, handle);
}

static int iand(uint64_t *words, int n, gshmemi_mpi_comm_t comm, gshmemi_mpi_request_t *handle)
{
	MPI_Request request = MPI_REQUEST_NULL;
	const int code = mpi.Iallreduce(MPI_IN_PLACE, words, n, MPI_UINT64_T, MPI_BAND, COMM(comm), &request);

	return keep_request(code, request, handle);
}

/* ---- the program's MPI_Finalize ---- */

static int keyval = MPI_KEYVAL_INVALID;
static void (*watcher)(void);

static int copy_nothing(MPI_Comm comm, int key, void *extra, void *value, void *new_value, int *flag)
{
	(void)comm, (void)key, (void)extra, (void)value, (void)new_value;
	*flag = 0;
	return MPI_SUCCESS;
}

static int call_watcher(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm, (void)key, (void)value, (void)extra;
	if (watcher)
		watcher();
	return MPI_SUCCESS;
}

/* MPI_Finalize frees the attributes of MPI_COMM_SELF first. */
static void watch_finalize(void (*function)(void))
{
	mpi.Comm_create_keyval(copy_nothing, call_watcher, &keyval, NULL);
	mpi.Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
	watcher = function;
}

static void unwatch_finalize(void)
{
	watcher = NULL;
	mpi.Comm_delete_attr(MPI_COMM_SELF, keyval);
	mpi.Comm_free_keyval(&keyval);
}

/* ---- the table ---- */

static struct gshmemi_mpi table = {
	.table = GSHMEMI_MPI_TABLE,
	.name = NAME,
	.handle_nbytes = sizeof(MPI_Comm),
	.init_connects = INIT_CONNECTS,
	.finalize_hangs = FINALIZE_HANGS,
	.multiple = MULTIPLE,
	.init = init,
	.query_thread = query_thread,
	.initialized = is_initialized,
	.finalized = is_finalized,
	.finalize = finalize,
	.abort = abort_world,
	.error_string = error_string,
	.read_comm = read_comm,
	.comm_copy = comm_copy,
	.comm_split = comm_split,
	.comm_free = comm_free,
	.comm_rank = comm_rank,
	.comm_size = comm_size,
	.comm_is_inter = comm_is_inter,
	.comm_is_self = comm_is_self,
	.comm_last_tag = comm_last_tag,
	.comm_group = comm_group,
	.group_size = group_size,
	.group_find_ranks = group_find_ranks,
	.group_free = group_free,
	.win_describe = win_describe,
	.win_group = win_group,
	.isend = isend,
	.irecv = irecv,
	.test = test,
	.test_some = test_some,
	.wait_all = wait_all,
	.progress = progress,
	.ibarrier = ibarrier,
	.ibcast = ibcast,
	.bcast = bcast,
	.iallgather = iallgather,
	.imin = imin,
	.iand = iand,
	.watch_finalize = watch_finalize,
	.unwatch_finalize = unwatch_finalize,
};

const struct gshmemi_mpi *GSHMEMI_MPI_SHIM(void *(*find)(const char *name), const char **missing)
{
#define X(NAME) \
	*(void **)&mpi.NAME = find("MPI_" #NAME); \
	if (!mpi.NAME) { \
		*missing = "MPI_" #NAME; \
		return NULL; \
	}
	CALLS(X)
#undef X
#define X(NAME) \
	constant.NAME = find("ompi_" #NAME); \
	if (!constant.NAME) { \
		*missing = "ompi_" #NAME; \
		return NULL; \
	}
	CONSTANTS(X)
#undef X
#ifdef OPEN_MPI
	*(void **)&quiet_abort = find("ompi_mpi_abort");
#endif
	table.world = comm_handle(MPI_COMM_WORLD);
	return &table;
}
