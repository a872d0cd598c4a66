; A compute shader whose metadata has registers by number (version 2).
target triple = "amdgcn--amdpal"

define amdgpu_cs void @fill(ptr addrspace(1) inreg %to, i32 inreg %value, i32 inreg %group, i32 %thread) #0 {
  %first = mul i32 %group, 64
  %index = add i32 %first, %thread
  %place = getelementptr i32, ptr addrspace(1) %to, i32 %index
  store i32 %value, ptr addrspace(1) %place
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }

; What a front end states, in MessagePack: version 2.6
; {.name: fill, .type: Cs, .hardware_stages: {.cs: {.threadgroup_dimensions: [64, 1, 1]}}, .registers: {11795: 134, 11783: 64, 11784: 1,
; 11785: 1, 11840: 0, 11841: 1, 11842: 2}}
!amdgpu.pal.metadata.msgpack = !{!0}
!0 = !{!"\82\B0amdpal.pipelines\91\84\A5.name\A4fill\A5.type\A2Cs\B0.hardware_stages\81\A3.cs\81\B7.threadgroup_dimensions\93@\01\01\AA.registers\87\CD.\13\CC\86\CD.\07@\CD.\08\01\CD.\09\01\CD.@\00\CD.A\01\CD.B\02\AEamdpal.version\92\02\06"}
