# SPDX-License-Identifier: BSD-3-Clause
"""The recipe of gshmem for Spack, 0.23 and newer. packaging/README.md says how to use it."""

import os

try:
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
    from spack_repo.builtin.build_systems.rocm import ROCmPackage
except ImportError:  # before Spack 1.0, spack.package has these
    pass

from spack.package import *

# The checkout that this file is in.
TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))


class Gshmem(MakefilePackage, CudaPackage, ROCmPackage):
    """An OpenSHMEM whose calls work inside of GPU kernels: a kernel puts to, gets from and
    atomically updates the memory of any process of the job, without returning to the CPU. Without
    +cuda and +rocm, kernels run on the cores of the machine."""

    git = "file://" + TREE

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("races", default=True, description="Build the library of gshmemcc --races")
    variant("python", default=False, description="Install the Python package")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("mpich@3.3:", type=("build", "link", "run"))
    depends_on("cuda@12:13", when="+cuda")
    depends_on("hip@5.2:", when="+rocm")
    # gshmem-trace needs Python, too.
    depends_on("python@3.9:", type="run")
    with when("+python"):
        extends("python")
        depends_on("python@3.9:", type=("build", "run"))
        depends_on("py-numpy", type="run")

    conflicts("+cuda", when="+rocm", msg="gshmem is built for one kind of GPU, or for the CPU")
    conflicts("cuda_arch=none", when="+cuda", msg="say for which GPUs, such as cuda_arch=90")

    # These files name compilers. Spack's wrappers work in Spack's builds alone.
    filter_compiler_wrappers("gshmemcc", relative_root="bin")
    filter_compiler_wrappers("gshmem.pc", relative_root=os.path.join("lib", "pkgconfig"))
    filter_compiler_wrappers(
        "gshmem-config.cmake", relative_root=os.path.join("lib", "cmake", "gshmem")
    )
    filter_compiler_wrappers(
        "gshmemcc", relative_root=os.path.join("lib", "gshmem", "races"), when="+races"
    )
    filter_compiler_wrappers(
        "gshmem-config.cmake",
        relative_root=os.path.join("lib", "gshmem", "races", "cmake"),
        when="+races",
    )

    def make_args(self, spec, prefix):
        """The variables of gshmem's Makefile."""
        args = [
            f"PREFIX={prefix}",
            f"MPICC={join_path(spec['mpich'].prefix.bin, 'mpicc')}",
            f"CC={spack_cc}",
            "V=1",
        ]
        if spec.satisfies("+cuda"):
            archs = " ".join("sm_" + arch for arch in spec.variants["cuda_arch"].value)
            return args + [
                "PLATFORM=nvidia",
                f"CUDA_HOME={spec['cuda'].prefix}",
                f"GPU_ARCHS={archs}",
            ]
        if spec.satisfies("+rocm"):
            archs = " ".join(spec.variants["amdgpu_target"].value)
            return args + ["PLATFORM=amd", f"ROCM_PATH={spec['hip'].prefix}", f"GPU_ARCHS={archs}"]
        return args + ["PLATFORM=cpu", f"HIPCC={spack_cxx}"]

    def build(self, spec, prefix):
        make(
            "lib", "tools", *(["races"] if "+races" in spec else []), *self.make_args(spec, prefix)
        )

    def install(self, spec, prefix):
        make("install", *self.make_args(spec, prefix))
        if "+python" in spec:
            install_tree(
                join_path("python", "gshmem"),
                join_path(python_purelib, "gshmem"),
                ignore=lambda path: "__pycache__" in path,
            )

    def setup_run_environment(self, env):
        if "+python" in self.spec:
            env.set("PYGSHMEM_LIBRARY", join_path(self.prefix.lib, "libgshmem.so.0"))

    def check(self):
        """A few tests with two processes each; gshmem's make check has all of them."""
        with working_dir(self.stage.source_path):
            make(
                "run-tests",
                "T=names put_get_copy amo_values barrier_all signal_put coll",
                "N=2",
                # Spack's wrappers take a header for a program.
                "PLAT_HEADS=",
                *self.make_args(self.spec, self.prefix),
            )

    @run_after("install")
    def keep_test_sources(self):
        cache_extra_test_sources(self, join_path("examples", "02_ring.hip"))

    def test_ring(self):
        """compile examples/02_ring.hip with gshmemcc, and run it on two processes"""
        with working_dir(join_path(self.test_suite.current_test_cache_dir, "examples")):
            which(join_path(self.prefix.bin, "gshmemcc"))("02_ring.hip", "-o", "ring")
            which(join_path(self.spec["mpich"].prefix.bin, "mpirun"))("-n", "2", "./ring")
