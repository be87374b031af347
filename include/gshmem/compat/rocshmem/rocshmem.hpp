/* SPDX-License-Identifier: BSD-3-Clause */
/* Where programs of rocSHMEM look for it: -I.../gshmem/compat. */
#include <gshmem/compat/rocshmem.hpp>
