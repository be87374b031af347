# SPDX-License-Identifier: BSD-3-Clause
"""The package under a name like nvshmem.core's: `import gshmem.core as nvshmem`."""

from . import *  # noqa: F401,F403
from . import __all__  # noqa: F401
