/* SPDX-License-Identifier: BSD-3-Clause */
/* The unique id of a job: see bootstrap/uniqueid.h. */
#include "bootstrap/uniqueid.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/file.h"

static const char magic[8] = "gshmem1"; /* also the version of the protocol */

_Static_assert(sizeof(struct gshmemi_uniqueid) <= sizeof(gshmemx_uniqueid_t), "the id has room for it");

/*
 * The listening socket of the id that this process made last, until its init. A forked child has a copy, but
 * did not make the id.
 */
static struct {
	int fd;
	pid_t pid; /* the maker; 0: there is no socket */
	struct gshmemi_uniqueid id;
} listener;

/* ---- addresses ---- */

socklen_t gshmemi_uniqueid_address(const struct gshmemi_uniqueid *id, struct sockaddr_storage *address)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
	struct sockaddr_in *v4 = (struct sockaddr_in *)address;

	memset(address, 0, sizeof *address);
	address->ss_family = id->family;
	if (id->family == AF_INET) {
		v4->sin_port = htons(id->port);
		memcpy(&v4->sin_addr, id->address, sizeof v4->sin_addr);
		return sizeof *v4;
	}
	v6->sin6_port = htons(id->port);
	v6->sin6_scope_id = id->scope;
	memcpy(&v6->sin6_addr, id->address, sizeof v6->sin6_addr);
	return sizeof *v6;
}

/* The reverse. */
static void set_address(struct gshmemi_uniqueid *id, const struct sockaddr *address)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;

	id->family = address->sa_family;
	if (id->family == AF_INET) {
		memcpy(id->address, &v4->sin_addr, sizeof v4->sin_addr);
		return;
	}
	id->scope = v6->sin6_scope_id;
	memcpy(id->address, &v6->sin6_addr, sizeof v6->sin6_addr);
}

void gshmemi_uniqueid_print_address(const struct sockaddr_storage *address, char *text, size_t nbytes)
{
	const bool is_v6 = address->ss_family == AF_INET6;
	char host[INET6_ADDRSTRLEN + IF_NAMESIZE + 1], port[8];

	if (getnameinfo((const struct sockaddr *)address, sizeof *address, host, sizeof host, port,
			sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(text, nbytes, "an unknown address");
	else
		snprintf(text, nbytes, is_v6 ? "[%s]:%s" : "%s:%s", host, port);
}

static bool is_usable(const struct ifaddrs *interface)
{
	return interface->ifa_addr && (interface->ifa_flags & IFF_UP) && interface->ifa_flags & IFF_RUNNING &&
	       (interface->ifa_addr->sa_family == AF_INET || interface->ifa_addr->sa_family == AF_INET6);
}

/* Rates an address; 0: unusable. name: the interface wanted, NULL: any. */
static int rate(const struct ifaddrs *interface, const char *name)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)interface->ifa_addr;

	if (!is_usable(interface) || (name && strcmp(name, interface->ifa_name)))
		return 0;
	return (interface->ifa_flags & IFF_LOOPBACK ? 1 : 4) + (v6->sin6_family == AF_INET) +
	       (v6->sin6_family == AF_INET || !IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr));
}

/* Finds the best address of an interface, NULL: of any; returns false if there is none. */
static bool find_interface(const char *name, struct gshmemi_uniqueid *id)
{
	struct ifaddrs *interfaces, *at;
	int best = 0;

	if (getifaddrs(&interfaces))
		return false;
	for (at = interfaces; at; at = at->ifa_next) {
		if (rate(at, name) <= best)
			continue;
		best = rate(at, name);
		set_address(id, at->ifa_addr);
	}
	freeifaddrs(interfaces);
	return best > 0;
}

static int find_address(struct gshmemi_uniqueid *id)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
	const char *wanted = gshmemi_env.UID_ADDRESS;
	struct addrinfo *found;

	if (find_interface(wanted, id))
		return 0;
	if (wanted && !getaddrinfo(wanted, NULL, &hints, &found)) {
		set_address(id, found->ai_addr);
		freeaddrinfo(found);
		return 0;
	}
	if (wanted)
		gshmemi_error("GSHMEM_UID_ADDRESS=%s: neither a network interface of this machine that is up "
			      "nor an address, as in 10.0.0.1",
			      wanted);
	else
		gshmemi_error("gshmemx_get_uniqueid: this machine has no network interface that is up, not "
			      "even the loopback");
	return wanted ? -EINVAL : -EADDRNOTAVAIL;
}

/* ---- an id ---- */

static uint64_t find_checksum(const struct gshmemi_uniqueid *id)
{
	const unsigned char *bytes = (const unsigned char *)id;
	uint64_t hash = 0xcbf29ce484222325U;
	size_t i;

	for (i = 0; i < offsetof(struct gshmemi_uniqueid, checksum); i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3U; /* FNV-1a */
	return hash;
}

int gshmemi_uniqueid_read(const gshmemx_uniqueid_t *id, struct gshmemi_uniqueid *read_p)
{
	struct gshmemi_uniqueid found;

	memcpy(&found, id, sizeof found);
	if (memcmp(found.magic, magic, sizeof magic) || found.checksum != find_checksum(&found)) {
		gshmemi_error("init: the unique id is damaged, or was made by another version of gshmem: all "
			      "%zu bytes that gshmemx_get_uniqueid has filled must be sent",
			      sizeof *id);
		return -EINVAL;
	}
	*read_p = found;
	return 0;
}

/* Listens at the address in *id, and sets the port there. */
static int listen_at(struct gshmemi_uniqueid *id, int *fd_p)
{
	struct sockaddr_storage address;
	socklen_t length = gshmemi_uniqueid_address(id, &address), got = sizeof address;
	char text[96];
	int fd, rc;

	fd = gshmemi_file_keep(socket(id->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (fd >= 0 && !bind(fd, (struct sockaddr *)&address, length) && !listen(fd, SOMAXCONN) &&
	    !getsockname(fd, (struct sockaddr *)&address, &got)) {
		id->port = ntohs(id->family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
						       : ((struct sockaddr_in6 *)&address)->sin6_port);
		*fd_p = fd;
		return 0;
	}
	rc = -errno;
	gshmemi_uniqueid_print_address(&address, text, sizeof text);
	gshmemi_error("gshmemx_get_uniqueid: cannot listen at %s: %s (GSHMEM_UID_ADDRESS)", text,
		      strerror(-rc));
	if (fd >= 0)
		close(fd);
	return rc;
}

static int fill(struct gshmemi_uniqueid *id)
{
	memset(id, 0, sizeof *id);
	memcpy(id->magic, magic, sizeof magic);
	if (getrandom(id->asked, sizeof id->asked, 0) != sizeof id->asked ||
	    getrandom(id->answered, sizeof id->answered, 0) != sizeof id->answered) {
		gshmemi_error("gshmemx_get_uniqueid: getrandom: %s", strerror(errno));
		return -EIO;
	}
	id->pid = (uint32_t)getpid();
	gethostname(id->host, sizeof id->host - 1);
	return find_address(id);
}

static void drop_listener(void)
{
	if (listener.pid)
		close(listener.fd);
	listener.pid = 0;
}

int gshmemx_get_uniqueid(gshmemx_uniqueid_t *id)
{
	struct gshmemi_uniqueid made;
	int fd = -1, rc = 0;

	if (!id) {
		gshmemi_error("gshmemx_get_uniqueid: the id is NULL");
		return -EINVAL;
	}
	if (gshmemi_bootstrap_rank() < 0) /* otherwise init has read it */
		rc = gshmemi_env_read();
	if (!rc)
		rc = fill(&made);
	if (!rc)
		rc = listen_at(&made, &fd);
	if (rc)
		return rc;
	made.checksum = find_checksum(&made);
	drop_listener();
	listener.fd = fd;
	listener.pid = getpid();
	listener.id = made;
	memset(id, 0, sizeof *id);
	memcpy(id, &made, sizeof made);
	return 0;
}

int gshmemi_uniqueid_take_listener(const struct gshmemi_uniqueid *id)
{
	const bool is_own = listener.pid == getpid() && memcmp(&listener.id, id, sizeof *id) == 0;

	if (is_own)
		listener.pid = 0;
	else if (listener.pid && listener.pid != getpid())
		drop_listener(); /* else connections to a parent that has ended would not fail */
	return is_own ? listener.fd : -1;
}

int gshmemx_set_attr_uniqueid_args(int rank, int nranks, const gshmemx_uniqueid_t *id,
				   struct gshmemx_init_attributes *attr)
{
	if (!id || !attr) {
		gshmemi_error("gshmemx_set_attr_uniqueid_args: the %s NULL", id ? "attributes are" : "id is");
		return -EINVAL;
	}
	if (rank < 0 || rank >= nranks) {
		gshmemi_error("gshmemx_set_attr_uniqueid_args: there is no rank %d in a job of %d", rank,
			      nranks);
		return -EINVAL;
	}
	attr->uniqueid = id;
	attr->rank = rank;
	attr->nranks = nranks;
	return 0;
}
