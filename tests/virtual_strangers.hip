/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* rocm: no, HIP 5.2 has no virtual memory */
/* carry: no */
/* net: no */
/* isa: read */
/*
 * PEs get the descriptors of each other's virtual memory, although another process of the user has connected
 * first, and asks for nothing.
 */
#include <hip/hip_runtime.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "oracle.h"
#include "virtual.h"

#include <gshmemx_win.h>

static int nstrangers;

/* The library connects to the socket of the memory's owner; here a stranger does so first, and stays. */
extern "C" int connect(int fd, const struct sockaddr *address, socklen_t nbytes)
{
	const struct sockaddr_un *name = (const struct sockaddr_un *)address;
	int type = 0, stranger;
	socklen_t type_nbytes = sizeof type;

	getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_nbytes);
	if (name->sun_family == AF_UNIX && !name->sun_path[0] && type == SOCK_SEQPACKET) {
		stranger = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		nstrangers += syscall(SYS_connect, stranger, address, nbytes) == 0;
	}
	return (int)syscall(SYS_connect, fd, address, nbytes);
}

int main(void)
{
	const long value = 7;
	struct t_virtual v;
	gshmemx_win_t win;
	long got;

	gshmem_init();
	t_virtual_needed();
	v = t_virtual_make(T_MOST_PIECES, hipMemHandleTypePosixFileDescriptor); /* more than one batch */
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, v.base, v.nbytes, 8, &win), 0, "create");
	t_check(nstrangers > 0, "no PE has connected to another");
	t_equal(gshmemx_win_fence(win, 0), 0, "fence");
	t_equal(gshmemx_win_long_put(win, 0, &value, 1, !gshmem_my_pe()), 0, "put");
	t_equal(gshmemx_win_fence(win, 0), 0, "fence");
	t_from_device(&got, v.base, sizeof got);
	t_equal(got, value, "what the other PE has put");
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_virtual_free(&v);
	gshmem_finalize();
	return 0;
}
