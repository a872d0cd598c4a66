; Control shader, evaluation shader as NGG and pixel shader; metadata with names (version 3).
target triple = "amdgcn--amdpal"

define amdgpu_hs void @control(i32 inreg %s0, i32 inreg %s1, i32 inreg %s2, i32 inreg %s3, i32 inreg %s4, i32 inreg %s5, i32 inreg %s6, i32 inreg %s7, <4 x i32> inreg %factors, i32 %patch, i32 %place) {
  %offset = shl i32 %patch, 4
  call void @llvm.amdgcn.raw.buffer.store.f32(float 2.0, <4 x i32> %factors, i32 %offset, i32 0, i32 0)
  ret void
}

declare void @llvm.amdgcn.raw.buffer.store.f32(float, <4 x i32>, i32, i32, i32 immarg)

define amdgpu_gs void @evaluate(i32 inreg %s0, i32 inreg %s1, i32 inreg %s2, i32 inreg %s3, i32 inreg %s4, i32 inreg %s5, i32 inreg %s6, i32 inreg %s7, i32 %primitive, i32 %v1, i32 %v2, i32 %v3, i32 %v4, float %u, float %v, i32 %local, i32 %patch) #0 {
  call void @llvm.amdgcn.exp.i32(i32 20, i32 1, i32 %primitive, i32 undef, i32 undef, i32 undef, i1 true, i1 false)
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %u, float %v, float 0.0, float 1.0, i1 true, i1 false)
  ret void
}

declare void @llvm.amdgcn.exp.i32(i32, i32, i32, i32, i32, i32, i1, i1)

define amdgpu_ps void @paint(float inreg %tint) #1 {
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %tint, float 0.0, float 0.0, float 1.0, i1 true, i1 true)
  ret void
}

declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)

attributes #0 = { "target-features"="+cumode" }
attributes #1 = { "InitialPSInputAddr"="2" "target-features"="+cumode" }

; What a front end states, in MessagePack: version 3.0
; {.name: patches, .type: NggTess, .hardware_stages: {.hs: {.wavefront_size: 32, .float_mode: 192, .user_sgprs: 4}, .gs: {.wavefront_size:
; 32, .float_mode: 192, .user_sgprs: 0, .offchip_lds_en: true}, .ps: {.wavefront_size: 32, .float_mode: 192, .user_sgprs: 1}},
; .graphics_registers: {.ls_vgpr_comp_cnt: 0, .es_vgpr_comp_cnt: 2, .gs_vgpr_comp_cnt: 0, .spi_vs_out_config: {.vs_export_count: 0,
; .no_pc_export: true}, .spi_shader_col_format: {.col_0_export_format: 9}, .spi_shader_z_format: 0, .cb_shader_mask: {.output0_enable: 15},
; .spi_ps_in_control: {.num_interp: 0}, .db_shader_control: {.z_order: 1, .kill_enable: false}}, .registers: {}}
!amdgpu.pal.metadata.msgpack = !{!0}
!0 = !{!"\82\B0amdpal.pipelines\91\85\A5.name\A7patches\A5.type\A7NggTess\B0.hardware_stages\83\A3.hs\83\AF.wavefront_size \AB.float_mode\CC\C0\AB.user_sgprs\04\A3.gs\84\AF.wavefront_size \AB.float_mode\CC\C0\AB.user_sgprs\00\AF.offchip_lds_en\C3\A3.ps\83\AF.wavefront_size \AB.float_mode\CC\C0\AB.user_sgprs\01\B3.graphics_registers\89\B1.ls_vgpr_comp_cnt\00\B1.es_vgpr_comp_cnt\02\B1.gs_vgpr_comp_cnt\00\B2.spi_vs_out_config\82\B0.vs_export_count\00\AD.no_pc_export\C3\B6.spi_shader_col_format\81\B4.col_0_export_format\09\B4.spi_shader_z_format\00\AF.cb_shader_mask\81\AF.output0_enable\0F\B2.spi_ps_in_control\81\AB.num_interp\00\B2.db_shader_control\82\A8.z_order\01\AC.kill_enable\C2\AA.registers\80\AEamdpal.version\92\03\00"}
