; SPDX-License-Identifier: BSD-3-Clause
; The kernels of tests/isa/kernels/calls.hip as a compiler emits them that knows the bitcode alone, such as
; Triton: an address is passed as an integer, and each call has a result. tests/bitcode.sh compares the
; costs.
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @gshmem_int_p(i64, i32, i32)
declare i32 @gshmem_int_g(i64, i32)
declare i32 @gshmem_putmem(i64, i64, i64, i32)
declare i32 @gshmemx_putmem_wave(i64, i64, i64, i32)
declare i32 @gshmemx_putmem_wg(i64, i64, i64, i32)
declare i32 @gshmem_getmem(i64, i64, i64, i32)
declare i32 @gshmemx_getmem_wave(i64, i64, i64, i32)
declare i32 @gshmemx_getmem_wg(i64, i64, i64, i32)
declare i32 @gshmem_int_atomic_fetch_add(i64, i32, i32)
declare i32 @gshmem_int_atomic_add(i64, i32, i32)
declare i32 @gshmem_int_atomic_compare_swap(i64, i32, i32, i32)
declare i32 @gshmem_int_atomic_set(i64, i32, i32)
declare i32 @gshmem_fence()
declare i32 @gshmem_quiet()
declare i32 @gshmemx_fence_wg()
declare i32 @gshmemx_quiet_wg()
declare i32 @gshmem_putmem_signal(i64, i64, i64, i64, i64, i32, i32)
declare i32 @gshmemx_putmem_signal_wave(i64, i64, i64, i64, i64, i32, i32)
declare i32 @gshmemx_putmem_signal_wg(i64, i64, i64, i64, i64, i32, i32)
declare i32 @gshmem_ulonglong_wait_until(i64, i32, i64)
declare i64 @gshmem_signal_wait_until(i64, i32, i64)
declare i32 @gshmemx_barrier_all_wg()

define amdgpu_kernel void @base(ptr addrspace(1) %dest, i32 %value) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %here = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  store i32 %value, ptr addrspace(1) %here
  ret void
}

define amdgpu_kernel void @int_p(ptr addrspace(1) %dest, i32 %value, i32 %pe) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %there = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  %a = ptrtoint ptr addrspace(1) %there to i64
  %r = call i32 @gshmem_int_p(i64 %a, i32 %value, i32 %pe)
  ret void
}

define amdgpu_kernel void @int_g(ptr addrspace(1) %dest, ptr addrspace(1) %source, i32 %pe) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %there = getelementptr inbounds i32, ptr addrspace(1) %source, i64 %i
  %a = ptrtoint ptr addrspace(1) %there to i64
  %r = call i32 @gshmem_int_g(i64 %a, i32 %pe)
  %here = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  store i32 %r, ptr addrspace(1) %here
  ret void
}

define amdgpu_kernel void @putmem(ptr addrspace(1) %dest, ptr addrspace(1) %source, i64 %nbytes, i32 %pe) #0 {
  %d = ptrtoint ptr addrspace(1) %dest to i64
  %s = ptrtoint ptr addrspace(1) %source to i64
  %r = call i32 @gshmem_putmem(i64 %d, i64 %s, i64 %nbytes, i32 %pe)
  ret void
}

define amdgpu_kernel void @putmem_wave(ptr addrspace(1) %dest, ptr addrspace(1) %source, i64 %nbytes,
    i32 %pe) #0 {
  %d = ptrtoint ptr addrspace(1) %dest to i64
  %s = ptrtoint ptr addrspace(1) %source to i64
  %r = call i32 @gshmemx_putmem_wave(i64 %d, i64 %s, i64 %nbytes, i32 %pe)
  ret void
}

define amdgpu_kernel void @putmem_wg(ptr addrspace(1) %dest, ptr addrspace(1) %source, i64 %nbytes,
    i32 %pe) #0 {
  %d = ptrtoint ptr addrspace(1) %dest to i64
  %s = ptrtoint ptr addrspace(1) %source to i64
  %r = call i32 @gshmemx_putmem_wg(i64 %d, i64 %s, i64 %nbytes, i32 %pe)
  ret void
}

define amdgpu_kernel void @getmem(ptr addrspace(1) %dest, ptr addrspace(1) %source, i64 %nbytes, i32 %pe) #0 {
  %d = ptrtoint ptr addrspace(1) %dest to i64
  %s = ptrtoint ptr addrspace(1) %source to i64
  %r = call i32 @gshmem_getmem(i64 %d, i64 %s, i64 %nbytes, i32 %pe)
  ret void
}

define amdgpu_kernel void @getmem_wave(ptr addrspace(1) %dest, ptr addrspace(1) %source, i64 %nbytes,
    i32 %pe) #0 {
  %d = ptrtoint ptr addrspace(1) %dest to i64
  %s = ptrtoint ptr addrspace(1) %source to i64
  %r = call i32 @gshmemx_getmem_wave(i64 %d, i64 %s, i64 %nbytes, i32 %pe)
  ret void
}

define amdgpu_kernel void @getmem_wg(ptr addrspace(1) %dest, ptr addrspace(1) %source, i64 %nbytes,
    i32 %pe) #0 {
  %d = ptrtoint ptr addrspace(1) %dest to i64
  %s = ptrtoint ptr addrspace(1) %source to i64
  %r = call i32 @gshmemx_getmem_wg(i64 %d, i64 %s, i64 %nbytes, i32 %pe)
  ret void
}

define amdgpu_kernel void @fetch_add(ptr addrspace(1) %dest, ptr addrspace(1) %result, i32 %value,
    i32 %pe) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %there = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  %a = ptrtoint ptr addrspace(1) %there to i64
  %r = call i32 @gshmem_int_atomic_fetch_add(i64 %a, i32 %value, i32 %pe)
  %here = getelementptr inbounds i32, ptr addrspace(1) %result, i64 %i
  store i32 %r, ptr addrspace(1) %here
  ret void
}

define amdgpu_kernel void @add(ptr addrspace(1) %dest, i32 %value, i32 %pe) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %there = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  %a = ptrtoint ptr addrspace(1) %there to i64
  %r = call i32 @gshmem_int_atomic_add(i64 %a, i32 %value, i32 %pe)
  ret void
}

define amdgpu_kernel void @compare_swap(ptr addrspace(1) %dest, ptr addrspace(1) %result, i32 %value,
    i32 %cond, i32 %pe) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %there = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  %a = ptrtoint ptr addrspace(1) %there to i64
  %r = call i32 @gshmem_int_atomic_compare_swap(i64 %a, i32 %cond, i32 %value, i32 %pe)
  %here = getelementptr inbounds i32, ptr addrspace(1) %result, i64 %i
  store i32 %r, ptr addrspace(1) %here
  ret void
}

define amdgpu_kernel void @set(ptr addrspace(1) %dest, i32 %value, i32 %pe) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %there = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  %a = ptrtoint ptr addrspace(1) %there to i64
  %r = call i32 @gshmem_int_atomic_set(i64 %a, i32 %value, i32 %pe)
  ret void
}

define amdgpu_kernel void @fence(ptr addrspace(1) %dest, i32 %value) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %here = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  store i32 %value, ptr addrspace(1) %here
  %r = call i32 @gshmem_fence()
  ret void
}

define amdgpu_kernel void @quiet(ptr addrspace(1) %dest, i32 %value) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %here = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  store i32 %value, ptr addrspace(1) %here
  %r = call i32 @gshmem_quiet()
  ret void
}

define amdgpu_kernel void @fence_wg(ptr addrspace(1) %dest, i32 %value) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %here = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  store i32 %value, ptr addrspace(1) %here
  %r = call i32 @gshmemx_fence_wg()
  ret void
}

define amdgpu_kernel void @quiet_wg(ptr addrspace(1) %dest, i32 %value) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %here = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  store i32 %value, ptr addrspace(1) %here
  %r = call i32 @gshmemx_quiet_wg()
  ret void
}

define amdgpu_kernel void @barrier_all_wg(ptr addrspace(1) %dest, i32 %value) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %here = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  store i32 %value, ptr addrspace(1) %here
  %r = call i32 @gshmemx_barrier_all_wg()
  ret void
}

define amdgpu_kernel void @putmem_signal(ptr addrspace(1) %dest, ptr addrspace(1) %source, i64 %nbytes,
    ptr addrspace(1) %signal, i64 %value, i32 %pe) #0 {
  %d = ptrtoint ptr addrspace(1) %dest to i64
  %s = ptrtoint ptr addrspace(1) %source to i64
  %a = ptrtoint ptr addrspace(1) %signal to i64
  %r = call i32 @gshmem_putmem_signal(i64 %d, i64 %s, i64 %nbytes, i64 %a, i64 %value, i32 0, i32 %pe)
  ret void
}

define amdgpu_kernel void @putmem_signal_wave(ptr addrspace(1) %dest, ptr addrspace(1) %source,
    i64 %nbytes, ptr addrspace(1) %signal, i64 %value, i32 %pe) #0 {
  %d = ptrtoint ptr addrspace(1) %dest to i64
  %s = ptrtoint ptr addrspace(1) %source to i64
  %a = ptrtoint ptr addrspace(1) %signal to i64
  %r = call i32 @gshmemx_putmem_signal_wave(i64 %d, i64 %s, i64 %nbytes, i64 %a, i64 %value, i32 0, i32 %pe)
  ret void
}

define amdgpu_kernel void @putmem_signal_wg(ptr addrspace(1) %dest, ptr addrspace(1) %source, i64 %nbytes,
    ptr addrspace(1) %signal, i64 %value, i32 %pe) #0 {
  %d = ptrtoint ptr addrspace(1) %dest to i64
  %s = ptrtoint ptr addrspace(1) %source to i64
  %a = ptrtoint ptr addrspace(1) %signal to i64
  %r = call i32 @gshmemx_putmem_signal_wg(i64 %d, i64 %s, i64 %nbytes, i64 %a, i64 %value, i32 0, i32 %pe)
  ret void
}

define amdgpu_kernel void @wait_until(ptr addrspace(1) %dest, i32 %value, ptr addrspace(1) %ivar,
    i64 %until) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %a = ptrtoint ptr addrspace(1) %ivar to i64
  %r = call i32 @gshmem_ulonglong_wait_until(i64 %a, i32 1, i64 %until)
  %here = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  store i32 %value, ptr addrspace(1) %here
  ret void
}

define amdgpu_kernel void @signal_wait_until(ptr addrspace(1) %dest, i32 %value, ptr addrspace(1) %signal,
    i64 %until) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %x to i64
  %a = ptrtoint ptr addrspace(1) %signal to i64
  %r = call i64 @gshmem_signal_wait_until(i64 %a, i32 1, i64 %until)
  %here = getelementptr inbounds i32, ptr addrspace(1) %dest, i64 %i
  store i32 %value, ptr addrspace(1) %here
  ret void
}

attributes #0 = { convergent nounwind "amdgpu-flat-work-group-size"="1,1024"
                  "uniform-work-group-size"="true" }
