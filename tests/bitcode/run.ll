; SPDX-License-Identifier: BSD-3-Clause
; Kernels that tests/bitcode/run.c launches: a ring by put_signal, and calls with each kind of argument and
; result.
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @gshmem_my_pe()
declare i32 @gshmem_n_pes()
declare i64 @gshmem_ptr(i64, i32)
declare i32 @gshmem_char_p(i64, i8, i32)
declare i32 @gshmemx_half_p(i64, i16, i32)
declare i16 @gshmemx_half_g(i64, i32)
declare float @gshmem_float_g(i64, i32)
declare i32 @gshmem_double_p(i64, double, i32)
declare i64 @gshmem_uint64_atomic_fetch_add(i64, i64, i32)
declare i32 @gshmem_ctx_long_p(i64, i64, i64, i32)
declare i32 @gshmem_quiet()
declare i32 @gshmem_team_my_pe(i64)
declare i32 @gshmemx_putmem_signal_wg(i64, i64, i64, i64, i64, i32, i32)
declare i64 @gshmemx_signal_wait_until_wg(i64, i32, i64)
declare i32 @gshmemx_barrier_all_wg()
declare i32 @gshmemx_int_sum_reduce_wg(i64, i64, i64, i64)
declare i32 @gshmemx_win_int_put_wg(i32, i64, i64, i64, i32)
declare i32 @gshmemx_win_flush_wg(i32, i32)
declare i32 @gshmemx_win_complexd_fetch_and_op(i64, i32, i64, i64, i32, i32)
declare i64 @gshmemx_rpc_post(i32, i64)
declare i32 @gshmemx_rpc_wait(i64)

; All threads: nbytes from source to dest on the next PE, with a signal, and wait for those of the PE before.
define amdgpu_kernel void @ring(ptr addrspace(1) %dest, ptr addrspace(1) %source, i64 %nbytes,
                                ptr addrspace(1) %signal, i64 %value) #0 {
  %me = call i32 @gshmem_my_pe()
  %n = call i32 @gshmem_n_pes()
  %more = add i32 %me, 1
  %next = urem i32 %more, %n
  %d = ptrtoint ptr addrspace(1) %dest to i64
  %s = ptrtoint ptr addrspace(1) %source to i64
  %g = ptrtoint ptr addrspace(1) %signal to i64
  %put = call i32 @gshmemx_putmem_signal_wg(i64 %d, i64 %s, i64 %nbytes, i64 %g, i64 %value, i32 0, i32 %next)
  %got = call i64 @gshmemx_signal_wait_until_wg(i64 %g, i32 1, i64 %value)
  %met = call i32 @gshmemx_barrier_all_wg()
  ret void
}

; One thread: the results, to words of %out. %on is symmetric: at 0 it has a char, at 2 a half, at 8 a
; double, at 16 a counter, at 24 a float, at 28 a half, at 32 a long.
define amdgpu_kernel void @calls(ptr addrspace(1) %out, ptr addrspace(1) %on, i32 %pe, i64 %ctx, i64 %team,
                                 i32 %op, ptr addrspace(1) %words) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %x, 0
  br i1 %first, label %one, label %done
one:
  %a0 = ptrtoint ptr addrspace(1) %on to i64
  %a2 = add i64 %a0, 2
  %a8 = add i64 %a0, 8
  %a16 = add i64 %a0, 16
  %a24 = add i64 %a0, 24
  %a28 = add i64 %a0, 28
  %a32 = add i64 %a0, 32
  %w = ptrtoint ptr addrspace(1) %words to i64
  %r0 = call i32 @gshmem_char_p(i64 %a0, i8 -7, i32 %pe)
  %r1 = call i32 @gshmemx_half_p(i64 %a2, i16 15360, i32 %pe)
  %r2 = call i32 @gshmem_double_p(i64 %a8, double 2.5, i32 %pe)
  %r3 = call i64 @gshmem_uint64_atomic_fetch_add(i64 %a16, i64 4294967296, i32 %pe)
  %r4 = call float @gshmem_float_g(i64 %a24, i32 %pe)
  %r5 = call i16 @gshmemx_half_g(i64 %a28, i32 %pe)
  %r6 = call i32 @gshmem_ctx_long_p(i64 %ctx, i64 %a32, i64 -1, i32 %pe)
  %r7 = call i32 @gshmem_team_my_pe(i64 %team)
  %r8 = call i64 @gshmem_ptr(i64 %a0, i32 %pe)
  %ticket = call i64 @gshmemx_rpc_post(i32 %op, i64 %w)
  %r9 = call i32 @gshmemx_rpc_wait(i64 %ticket)
  %q = call i32 @gshmem_quiet()
  %s0 = or i32 %r0, %r1
  %s1 = or i32 %s0, %r2
  %s2 = or i32 %s1, %r6
  %s3 = or i32 %s2, %q
  %zeros = zext i32 %s3 to i64
  store i64 %zeros, ptr addrspace(1) %out
  %o1 = getelementptr i64, ptr addrspace(1) %out, i64 1
  store i64 %r3, ptr addrspace(1) %o1
  %o2 = getelementptr i64, ptr addrspace(1) %out, i64 2
  store float %r4, ptr addrspace(1) %o2
  %o3 = getelementptr i64, ptr addrspace(1) %out, i64 3
  %half = zext i16 %r5 to i64
  store i64 %half, ptr addrspace(1) %o3
  %o4 = getelementptr i64, ptr addrspace(1) %out, i64 4
  %me = sext i32 %r7 to i64
  store i64 %me, ptr addrspace(1) %o4
  %o5 = getelementptr i64, ptr addrspace(1) %out, i64 5
  store i64 %r8, ptr addrspace(1) %o5
  %o6 = getelementptr i64, ptr addrspace(1) %out, i64 6
  %rc = sext i32 %r9 to i64
  store i64 %rc, ptr addrspace(1) %o6
  br label %done
done:
  ret void
}

; All threads: a window's put and a complex sum under a lock that the host holds, then a reduction.
define amdgpu_kernel void @group(i32 %win, ptr addrspace(1) %source, i64 %nelems, ptr addrspace(1) %complex,
                                 ptr addrspace(1) %sum, i32 %pe) #0 {
  %s = ptrtoint ptr addrspace(1) %source to i64
  %put = call i32 @gshmemx_win_int_put_wg(i32 %win, i64 4, i64 %s, i64 %nelems, i32 %pe)
  %flush = call i32 @gshmemx_win_flush_wg(i32 %win, i32 %pe)
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %x, 0
  br i1 %first, label %one, label %all
one:
  %c = ptrtoint ptr addrspace(1) %complex to i64
  %old = add i64 %c, 16
  %r = call i32 @gshmemx_win_complexd_fetch_and_op(i64 %old, i32 %win, i64 0, i64 %c, i32 5, i32 %pe)
  br label %all
all:
  %t = ptrtoint ptr addrspace(1) %sum to i64
  %reduced = call i32 @gshmemx_int_sum_reduce_wg(i64 1, i64 %t, i64 %s, i64 %nelems)
  ret void
}

attributes #0 = { convergent nounwind "amdgpu-flat-work-group-size"="1,256" "uniform-work-group-size"="true" }
