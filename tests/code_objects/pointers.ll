; A kernel that reads a table of addresses: its code object has relocations.
target triple = "amdgcn-amd-amdhsa"

@number = addrspace(1) constant i32 7
@table = addrspace(1) constant [2 x ptr addrspace(1)] [ptr addrspace(1) @number, ptr addrspace(1) @table]

define amdgpu_kernel void @read(ptr addrspace(1) %to, i32 %which) #0 {
  %place = getelementptr [2 x ptr addrspace(1)], ptr addrspace(1) @table, i32 0, i32 %which
  %address = load ptr addrspace(1), ptr addrspace(1) %place
  %value = load i32, ptr addrspace(1) %address
  store i32 %value, ptr addrspace(1) %to
  ret void
}

; A stack that grows: an array whose size only the kernel knows.
define amdgpu_kernel void @stack(ptr addrspace(1) %to, i32 %count) #0 {
  %array = alloca i32, i32 %count, addrspace(5)
  %place = getelementptr i32, ptr addrspace(5) %array, i32 %count
  store volatile i32 %count, ptr addrspace(5) %place
  %value = load volatile i32, ptr addrspace(5) %array
  store i32 %value, ptr addrspace(1) %to
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,64" "amdgpu-no-implicitarg-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-lds-kernel-id" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
