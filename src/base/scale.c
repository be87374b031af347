/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of base/scale.h. */
#include "base/scale.h"

void gshmemi_traffic_add(struct gshmemi_traffic *traffic, bool within_machine, size_t nbytes)
{
	traffic->nexchanges[within_machine]++;
	traffic->nbytes[within_machine] += nbytes;
}

void gshmemi_scale_add(
	struct gshmemi_scale *scale, enum gshmemi_scale_kind kind, const char *name, uint64_t nbytes)
{
	scale->items[scale->nitems].kind = kind;
	scale->items[scale->nitems].name = name;
	scale->items[scale->nitems++].nbytes = nbytes;
}
