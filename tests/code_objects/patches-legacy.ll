; Control shader, evaluation shader on the hardware VS and pixel shader (GFX9); metadata with registers by number (version 2).
target triple = "amdgcn--amdpal"

define amdgpu_hs void @control(i32 inreg %s0, i32 inreg %s1, i32 inreg %s2, i32 inreg %s3, i32 inreg %s4, i32 inreg %s5, i32 inreg %s6, i32 inreg %s7, <4 x i32> inreg %factors, i32 %patch, i32 %place) {
  %offset = shl i32 %patch, 4
  call void @llvm.amdgcn.raw.buffer.store.f32(float 2.0, <4 x i32> %factors, i32 %offset, i32 0, i32 0)
  ret void
}

declare void @llvm.amdgcn.raw.buffer.store.f32(float, <4 x i32>, i32, i32, i32 immarg)

define amdgpu_vs void @evaluate(float %u, float %v, i32 %local, i32 %patch) #0 {
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %u, float %v, float 0.0, float 1.0, i1 true, i1 false)
  ret void
}

define amdgpu_ps void @paint(float inreg %tint) #1 {
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %tint, float 0.0, float 0.0, float 1.0, i1 true, i1 true)
  ret void
}

declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)

attributes #0 = { "target-features"="" }
attributes #1 = { "InitialPSInputAddr"="2" "target-features"="" }

; What a front end states, in MessagePack: version 2.6
; {.name: patches, .type: Tess, .hardware_stages: {.hs: {}, .vs: {}, .ps: {}}, .registers: {11530: 268435456, 11531: 8, 11338: 33554432,
; 11339: 128, 11275: 2, 11276: 0, 41393: 0, 41413: 9, 41103: 15, 41398: 0, 41361: 0, 41475: 16}}
!amdgpu.pal.metadata.msgpack = !{!0}
!0 = !{!"\82\B0amdpal.pipelines\91\84\A5.name\A7patches\A5.type\A4Tess\B0.hardware_stages\83\A3.hs\80\A3.vs\80\A3.ps\80\AA.registers\8C\CD-\0A\CE\10\00\00\00\CD-\0B\08\CD,J\CE\02\00\00\00\CD,K\CC\80\CD,\0B\02\CD,\0C\00\CD\A1\B1\00\CD\A1\C5\09\CD\A0\8F\0F\CD\A1\B6\00\CD\A1\91\00\CD\A2\03\10\AEamdpal.version\92\02\06"}
