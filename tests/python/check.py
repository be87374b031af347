# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of this folder share. A test is silent when it passes, and prints one line when it fails."""

import sys

import numpy

import gshmem


def fail(text):
    """Ends the job."""
    print(f"PE {gshmem.my_pe()}: {text}", file=sys.stderr, flush=True)
    sys.exit(1)


def equal(what, got, expected):
    """Fails unless the two are equal, element by element."""
    if not numpy.array_equal(got, expected):
        fail(f"{what}: expected {expected}, got {got}")


def raises(what, text, call, *args, **kwargs):
    """Fails unless the call raises GshmemInvalid or GshmemError with this text in it."""
    try:
        call(*args, **kwargs)
    except gshmem.GshmemError as error:
        if text not in str(error):
            fail(f"{what}: expected '{text}' in: {error}")
        return
    fail(f"{what}: raises nothing, expected '{text}'")
