/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The unique id of a job: see bootstrap/uniqueid.h.
 *
 * The maker listens at an address of IP, so that processes of other machines and containers get there too,
 * and learn from it that they cannot take part. Where the network cannot be used it listens at a local
 * socket, with an abstract name, which leaves no file behind. Every user of the machine can list such names
 * and connect, as to a port. So the secrets are what keeps others out, and the name is independent of them.
 */
#include "bootstrap/uniqueid.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/un.h>
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

static int fill_randomly(uint8_t *bytes, size_t nbytes)
{
	if (getrandom(bytes, nbytes, 0) == (ssize_t)nbytes)
		return 0;
	gshmemi_error("gshmemx_get_uniqueid: getrandom: %s", strerror(errno));
	return -EIO;
}

/* ---- addresses ---- */

static socklen_t local_address(const struct gshmemi_uniqueid *id, struct sockaddr_un *address)
{
	char *name = address->sun_path + 1; /* after a 0, which makes it abstract */
	int at, i;

	at = snprintf(name, sizeof address->sun_path - 1, "gshmem-");
	for (i = 0; i < (int)sizeof id->address; i++, at += 2)
		snprintf(name + at, 3, "%02x", id->address[i]);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)at);
}

socklen_t gshmemi_uniqueid_address(const struct gshmemi_uniqueid *id, struct sockaddr_storage *address)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
	struct sockaddr_in *v4 = (struct sockaddr_in *)address;

	memset(address, 0, sizeof *address);
	address->ss_family = id->family;
	if (id->family == AF_UNIX)
		return local_address(id, (struct sockaddr_un *)address);
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
	id->scope = 0;
	memset(id->address, 0, sizeof id->address);
	if (id->family == AF_INET) {
		memcpy(id->address, &v4->sin_addr, sizeof v4->sin_addr);
		return;
	}
	id->scope = v6->sin6_scope_id;
	memcpy(id->address, &v6->sin6_addr, sizeof v6->sin6_addr);
}

void gshmemi_uniqueid_print_address(const struct sockaddr_storage *address, char *text, size_t nbytes)
{
	const char *name = ((const struct sockaddr_un *)address)->sun_path + 1;
	const bool is_v6 = address->ss_family == AF_INET6;
	char host[INET6_ADDRSTRLEN + IF_NAMESIZE + 1], port[8];

	if (address->ss_family == AF_UNIX)
		snprintf(text, nbytes, *name ? "@%s" : "a process of this machine", name);
	else if (getnameinfo((const struct sockaddr *)address, sizeof *address, host, sizeof host, port,
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
static bool find_interface(const struct ifaddrs *interfaces, const char *name, struct gshmemi_uniqueid *id)
{
	const struct ifaddrs *at;
	int best = 0;

	for (at = interfaces; at; at = at->ifa_next) {
		if (rate(at, name) <= best)
			continue;
		best = rate(at, name);
		set_address(id, at->ifa_addr);
	}
	return best > 0;
}

static bool has_address(const struct ifaddrs *interface, const struct gshmemi_uniqueid *id)
{
	struct gshmemi_uniqueid own = {0};

	if (!interface->ifa_addr || interface->ifa_addr->sa_family != id->family)
		return false;
	set_address(&own, interface->ifa_addr);
	return memcmp(own.address, id->address, sizeof own.address) == 0;
}

/*
 * Returns the name of an interface that is down and that connections to the address in *id need: the one that
 * has it or, since those within a machine go by it whatever the address, the loopback. NULL: there is none.
 */
static const char *find_down(const struct ifaddrs *interfaces, const struct gshmemi_uniqueid *id)
{
	const struct ifaddrs *at;

	for (at = interfaces; at; at = at->ifa_next)
		if (!(at->ifa_flags & IFF_UP) && (at->ifa_flags & IFF_LOOPBACK || has_address(at, id)))
			return at->ifa_name;
	return NULL;
}

static bool is_interface(const struct ifaddrs *interfaces, const char *name)
{
	while (interfaces && strcmp(interfaces->ifa_name, name))
		interfaces = interfaces->ifa_next;
	return interfaces != NULL;
}

static bool read_address(const char *text, struct gshmemi_uniqueid *id)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;

	if (getaddrinfo(text, NULL, &hints, &found))
		return false;
	set_address(id, found->ai_addr);
	freeaddrinfo(found);
	return true;
}

static int find_wanted(const struct ifaddrs *interfaces, const char *wanted, struct gshmemi_uniqueid *id)
{
	const bool is_found = find_interface(interfaces, wanted, id) || read_address(wanted, id);
	const char *down = is_found ? find_down(interfaces, id) : NULL;

	if (!is_found && is_interface(interfaces, wanted))
		gshmemi_error(
			"GSHMEM_UID_ADDRESS=%s: this network interface is down, or has no address (ip link "
			"set %s up); without GSHMEM_UID_ADDRESS a job of one machine needs none",
			wanted, wanted);
	else if (!is_found)
		gshmemi_error("GSHMEM_UID_ADDRESS=%s: neither a network interface of this machine that is up "
			      "nor an address, as in 10.0.0.1",
			wanted);
	else if (down)
		gshmemi_error("GSHMEM_UID_ADDRESS=%s: the processes cannot connect to this address, because "
			      "the network interface %s is down (ip link set %s up); without "
			      "GSHMEM_UID_ADDRESS a job of one machine needs none",
			wanted, down, down);
	return !is_found || down ? -EINVAL : 0;
}

/* Chooses where to listen. An IP address is set without the port. */
static int find_address(struct gshmemi_uniqueid *id)
{
	const char *wanted = gshmemi_env.UID_ADDRESS;
	struct ifaddrs *interfaces = NULL;
	int rc = 0;

	(void)getifaddrs(&interfaces); /* if it fails, there are none */
	if (wanted) {
		rc = find_wanted(interfaces, wanted, id);
	} else if (!find_interface(interfaces, NULL, id) || find_down(interfaces, id)) {
		id->family = AF_UNIX;
		id->scope = 0;
		rc = fill_randomly(id->address, sizeof id->address);
	}
	if (interfaces)
		freeifaddrs(interfaces);
	return rc;
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

static uint16_t port_of(const struct sockaddr_storage *address)
{
	if (address->ss_family == AF_UNIX)
		return 0;
	return ntohs(address->ss_family == AF_INET ? ((const struct sockaddr_in *)address)->sin_port
						   : ((const struct sockaddr_in6 *)address)->sin6_port);
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
		id->port = port_of(&address);
		*fd_p = fd;
		return 0;
	}
	rc = -errno;
	gshmemi_uniqueid_print_address(&address, text, sizeof text);
	gshmemi_error(
		"gshmemx_get_uniqueid: cannot listen at %s: %s (GSHMEM_UID_ADDRESS)", text, strerror(-rc));
	if (fd >= 0)
		close(fd);
	return rc;
}

static int fill_id(struct gshmemi_uniqueid *id)
{
	int rc;

	memset(id, 0, sizeof *id);
	memcpy(id->magic, magic, sizeof magic);
	rc = fill_randomly(id->secret, sizeof id->secret);
	if (!rc)
		rc = fill_randomly(id->answered, sizeof id->answered);
	if (rc)
		return rc;
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
		rc = fill_id(&made);
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

int gshmemx_set_attr_uniqueid_args(
	int rank, int nranks, const gshmemx_uniqueid_t *id, struct gshmemx_init_attributes *attr)
{
	if (!id || !attr) {
		gshmemi_error("gshmemx_set_attr_uniqueid_args: the %s NULL", id ? "attributes are" : "id is");
		return -EINVAL;
	}
	if (rank < 0 || rank >= nranks) {
		gshmemi_error(
			"gshmemx_set_attr_uniqueid_args: there is no rank %d in a job of %d", rank, nranks);
		return -EINVAL;
	}
	attr->uniqueid = id;
	attr->rank = rank;
	attr->nranks = nranks;
	return 0;
}
