/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells libgshmem, before main, that this program uses OpenSHMEM. */
#include "host/host.h"

__attribute__((constructor)) static void begin_program(void)
{
	gshmemi_shmem_begin("");
}
