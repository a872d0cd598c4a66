; Vertex and pixel shader of the legacy pipe; metadata with registers by number (version 2).
target triple = "amdgcn--amdpal"

define amdgpu_vs void @place(i32 inreg %base, i32 %vertex) {
  %number = add i32 %vertex, %base
  %x = uitofp i32 %number to float
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %x, float 0.0, float 0.0, float 1.0, i1 true, i1 false)
  call void @llvm.amdgcn.exp.f32(i32 32, i32 15, float %x, float %x, float 0.0, float 1.0, i1 false, i1 false)
  ret void
}

define amdgpu_ps void @paint(i32 inreg %tint, i32 inreg %primitive, <2 x float> %sample, <2 x float> %center) #0 {
  %i = extractelement <2 x float> %center, i32 0
  %j = extractelement <2 x float> %center, i32 1
  %half = call float @llvm.amdgcn.interp.p1(float %i, i32 0, i32 0, i32 %primitive)
  %red = call float @llvm.amdgcn.interp.p2(float %half, float %j, i32 0, i32 0, i32 %primitive)
  %green = bitcast i32 %tint to float
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %red, float %green, float 0.0, float 1.0, i1 true, i1 true)
  ret void
}

declare float @llvm.amdgcn.interp.p1(float, i32, i32, i32)
declare float @llvm.amdgcn.interp.p2(float, float, i32, i32, i32)
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)

attributes #0 = { "InitialPSInputAddr"="2" "target-features"="" }

; What a front end states, in MessagePack: version 2.6
; {.name: triangle, .type: VsPs, .hardware_stages: {.vs: {}, .ps: {}}, .registers: {11275: 2, 11276: 0, 11339: 2, 11340: 268435459, 41413: 9,
; 41103: 15, 41398: 1, 41393: 0, 41361: 0, 41475: 16}}
!amdgpu.pal.metadata.msgpack = !{!0}
!0 = !{!"\82\B0amdpal.pipelines\91\84\A5.name\A8triangle\A5.type\A4VsPs\B0.hardware_stages\82\A3.vs\80\A3.ps\80\AA.registers\8A\CD,\0B\02\CD,\0C\00\CD,K\02\CD,L\CE\10\00\00\03\CD\A1\C5\09\CD\A0\8F\0F\CD\A1\B6\01\CD\A1\B1\00\CD\A1\91\00\CD\A2\03\10\AEamdpal.version\92\02\06"}
