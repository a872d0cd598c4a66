; A compute shader whose metadata has names (version 3).
target triple = "amdgcn--amdpal"

define amdgpu_cs void @fill(ptr addrspace(1) inreg %to, i32 inreg %value, i32 inreg %group, i32 %thread) #0 {
  %first = mul i32 %group, 64
  %index = add i32 %first, %thread
  %place = getelementptr i32, ptr addrspace(1) %to, i32 %index
  store i32 %value, ptr addrspace(1) %place
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }

; What a front end states, in MessagePack: version 3.0
; {.name: fill, .type: Cs, .hardware_stages: {.cs: {.threadgroup_dimensions: [64, 1, 1], .wavefront_size: 32, .float_mode: 192, .user_sgprs:
; 3, .user_data_reg_map: [0, 1, 2, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295,
; 4294967295, 4294967295, 4294967295, 4294967295]}}, .compute_registers: {.tgid_x_en: true, .tgid_y_en: false, .tgid_z_en: false, .tg_size_en:
; false, .tidig_comp_cnt: 0}, .registers: {}}
!amdgpu.pal.metadata.msgpack = !{!0}
!0 = !{!"\82\B0amdpal.pipelines\91\85\A5.name\A4fill\A5.type\A2Cs\B0.hardware_stages\81\A3.cs\85\B7.threadgroup_dimensions\93@\01\01\AF.wavefront_size \AB.float_mode\CC\C0\AB.user_sgprs\03\B2.user_data_reg_map\DC\00\10\00\01\02\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\CE\FF\FF\FF\FF\B2.compute_registers\85\AA.tgid_x_en\C3\AA.tgid_y_en\C2\AA.tgid_z_en\C2\AB.tg_size_en\C2\AF.tidig_comp_cnt\00\AA.registers\80\AEamdpal.version\92\03\00"}
