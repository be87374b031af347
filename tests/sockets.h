/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs whose MPI uses sockets although all processes are on one machine. */
#ifndef T_SOCKETS_H
#define T_SOCKETS_H

#include <ifaddrs.h>
#include <net/if.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers.h"

/* of UCX, below MPICH, and of Open MPI itself */
#define T_MPI_SOCKETS "UCX_TLS=tcp,self OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self"

/* A running interface with an IPv4 address. A container may have none, not even a running loopback. */
static inline bool t_has_network(void)
{
	struct ifaddrs *all, *at;
	bool found = false;

	if (getifaddrs(&all))
		return false;
	for (at = all; at && !found; at = at->ifa_next)
		found = at->ifa_addr && at->ifa_addr->sa_family == AF_INET && at->ifa_flags & IFF_UP;
	freeifaddrs(all);
	return found;
}

/* Skips the rest of the test if MPI cannot use sockets here. */
static inline void t_need_sockets(void)
{
	if (access("/sys/class/net", F_OK))
		t_skip("the rest needs MPI over sockets, which needs /sys: mount -t sysfs sysfs /sys");
	if (!t_has_network())
		t_skip("the rest needs MPI over sockets, which needs a network interface: ip link set lo up");
}

#endif /* T_SOCKETS_H */
