// Any thread, torch-free. Picks the AVX2 form of a kernel at run time where the processor has it.
#pragma once

namespace athanor {

#if defined(__x86_64__) && defined(__GNUC__)
#define ATHANOR_HAS_AVX2_KERNELS 1
/// A function compiled for AVX2 and FMA whatever the flags of its file.
#define ATHANOR_AVX2 __attribute__((target("avx2,fma")))
inline bool processorHasAvx2()
{
    static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
}
#else
#define ATHANOR_HAS_AVX2_KERNELS 0
#define ATHANOR_AVX2
inline bool processorHasAvx2()
{
    return false;
}
#endif

/// The body of a kernel: inlined into its plain and its AVX2 form.
#define ATHANOR_KERNEL_BODY __attribute__((always_inline)) inline

} // namespace athanor
