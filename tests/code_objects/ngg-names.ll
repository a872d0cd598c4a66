; Vertex work as NGG and a pixel shader; metadata with names (version 3). A driver adds the store to the attribute ring.
target triple = "amdgcn--amdpal"

define amdgpu_gs void @place(i32 inreg %s0, i32 inreg %s1, i32 inreg %s2, i32 inreg %s3, i32 inreg %s4, i32 inreg %s5, i32 inreg %s6, i32 inreg %s7, i32 inreg %base, i32 %primitive, i32 %v1, i32 %v2, i32 %v3, i32 %v4, i32 %vertex) #0 {
  call void @llvm.amdgcn.exp.i32(i32 20, i32 1, i32 %primitive, i32 undef, i32 undef, i32 undef, i1 true, i1 false)
  %number = add i32 %vertex, %base
  %x = uitofp i32 %number to float
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %x, float 0.0, float 0.0, float 1.0, i1 true, i1 false)
  ret void
}

declare void @llvm.amdgcn.exp.i32(i32, i32, i32, i32, i32, i32, i1, i1)

define amdgpu_ps void @paint(i32 inreg %tint, i32 inreg %primitive, <2 x float> %sample, <2 x float> %center) #0 {
  %i = extractelement <2 x float> %center, i32 0
  %j = extractelement <2 x float> %center, i32 1
  %values = call float @llvm.amdgcn.lds.param.load(i32 0, i32 0, i32 %primitive)
  %half = call float @llvm.amdgcn.interp.inreg.p10(float %values, float %i, float %values)
  %red = call float @llvm.amdgcn.interp.inreg.p2(float %values, float %j, float %half)
  %green = bitcast i32 %tint to float
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %red, float %green, float 0.0, float 1.0, i1 true, i1 true)
  ret void
}

declare float @llvm.amdgcn.lds.param.load(i32 immarg, i32 immarg, i32)
declare float @llvm.amdgcn.interp.inreg.p10(float, float, float)
declare float @llvm.amdgcn.interp.inreg.p2(float, float, float)
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)

attributes #0 = { "InitialPSInputAddr"="2" "target-features"="+cumode" }

; What a front end states, in MessagePack: version 3.0
; {.name: triangle, .type: Ngg, .hardware_stages: {.gs: {.wavefront_size: 32, .float_mode: 192, .user_sgprs: 1, .user_data_reg_map:
; [268435459]}, .ps: {.wavefront_size: 32, .float_mode: 192, .user_sgprs: 1, .user_data_reg_map: [0]}}, .graphics_registers:
; {.es_vgpr_comp_cnt: 0, .gs_vgpr_comp_cnt: 0, .spi_vs_out_config: {.vs_export_count: 0, .no_pc_export: false}, .spi_shader_col_format:
; {.col_0_export_format: 9}, .spi_shader_z_format: 0, .cb_shader_mask: {.output0_enable: 15}, .spi_ps_in_control: {.num_interp: 1},
; .db_shader_control: {.z_order: 1, .kill_enable: false}, .ps_load_provoking_vtx: false, .ps_wave_cnt_en: false}, .ps_input_semantic:
; [{.semantic: 7}], .preraster_output_semantic: [{.semantic: 7, .index: 0}], .registers: {}}
!amdgpu.pal.metadata.msgpack = !{!0}
!0 = !{!"\82\B0amdpal.pipelines\91\87\A5.name\A8triangle\A5.type\A3Ngg\B0.hardware_stages\82\A3.gs\84\AF.wavefront_size \AB.float_mode\CC\C0\AB.user_sgprs\01\B2.user_data_reg_map\91\CE\10\00\00\03\A3.ps\84\AF.wavefront_size \AB.float_mode\CC\C0\AB.user_sgprs\01\B2.user_data_reg_map\91\00\B3.graphics_registers\8A\B1.es_vgpr_comp_cnt\00\B1.gs_vgpr_comp_cnt\00\B2.spi_vs_out_config\82\B0.vs_export_count\00\AD.no_pc_export\C2\B6.spi_shader_col_format\81\B4.col_0_export_format\09\B4.spi_shader_z_format\00\AF.cb_shader_mask\81\AF.output0_enable\0F\B2.spi_ps_in_control\81\AB.num_interp\01\B2.db_shader_control\82\A8.z_order\01\AC.kill_enable\C2\B6.ps_load_provoking_vtx\C2\AF.ps_wave_cnt_en\C2\B2.ps_input_semantic\91\81\A9.semantic\07\BA.preraster_output_semantic\91\82\A9.semantic\07\A6.index\00\AA.registers\80\AEamdpal.version\92\03\00"}
