; Control shader, evaluation shader as NGG and pixel shader; metadata with registers by number (version 2).
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

; What a front end states, in MessagePack: version 2.6
; {.name: patches, .type: NggTess, .hardware_stages: {.hs: {}, .gs: {}, .ps: {}}, .registers: {11530: 268435456, 11531: 8, 41685: 33628429,
; 11403: 393216, 11275: 2, 11276: 0, 41393: 0, 41413: 9, 41103: 15, 41398: 0, 41361: 0, 41475: 16}}
!amdgpu.pal.metadata.msgpack = !{!0}
!0 = !{!"\82\B0amdpal.pipelines\91\84\A5.name\A7patches\A5.type\A7NggTess\B0.hardware_stages\83\A3.hs\80\A3.gs\80\A3.ps\80\AA.registers\8C\CD-\0A\CE\10\00\00\00\CD-\0B\08\CD\A2\D5\CE\02\01!\0D\CD,\8B\CE\00\06\00\00\CD,\0B\02\CD,\0C\00\CD\A1\B1\00\CD\A1\C5\09\CD\A0\8F\0F\CD\A1\B6\00\CD\A1\91\00\CD\A2\03\10\AEamdpal.version\92\02\06"}
