#include "engine/train/training_session.h"

#include "engine/train/run_parts.h"

#include <torch/torch.h>
#include <torch/version.h>

#include <fstream>
#include <thread>

namespace athanor {
namespace {

/// The file of a library that this process has loaded, by a part of its name; empty when none.
std::string loadedLibrary(const std::string& part)
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const auto slash = line.find('/');
        if (slash == std::string::npos)
            continue;
        const std::string path = line.substr(slash);
        if (path.substr(path.rfind('/')).find(part) != std::string::npos)
            return path;
    }
    return {};
}

enum class Blas { OpenBlasOpenMp, OpenBlasPthread, OpenBlas, Mkl, Reference, Unknown };

struct BlasInUse {
    Blas kind = Blas::Unknown;
    std::string file;
};

/// Debian's alternatives put each build of OpenBLAS into a folder of its own, so the path tells.
BlasInUse blasInUse()
{
    if (const auto mkl = loadedLibrary("libmkl"); !mkl.empty())
        return {Blas::Mkl, mkl};
    std::string file = loadedLibrary("libopenblas");
    if (file.empty())
        file = loadedLibrary("libblas.so");
    if (file.find("openblas-openmp") != std::string::npos)
        return {Blas::OpenBlasOpenMp, file};
    if (file.find("openblas-pthread") != std::string::npos)
        return {Blas::OpenBlasPthread, file};
    if (file.find("openblas") != std::string::npos)
        return {Blas::OpenBlas, file};
    return {file.empty() ? Blas::Unknown : Blas::Reference, file};
}

std::string blasName(Blas kind)
{
    switch (kind) {
    case Blas::OpenBlasOpenMp:
        return "OpenBLAS (OpenMP)";
    case Blas::OpenBlasPthread:
        return "OpenBLAS (pthread)";
    case Blas::OpenBlas:
        return "OpenBLAS";
    case Blas::Mkl:
        return "MKL";
    case Blas::Reference:
        return "reference BLAS";
    case Blas::Unknown:
        break;
    }
    return "unknown";
}

/// Which kernels LibTorch chooses: other ones may round otherwise.
std::string vectorWidth()
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return "AVX-512";
    return __builtin_cpu_supports("avx2") ? "AVX2" : "SSE2";
#else
    return "default kernels";
#endif
}

} // namespace

Json environmentReport()
{
    const BlasInUse blas = blasInUse();
    return {{"libtorch", TORCH_VERSION},
            {"blas", blasName(blas.kind)},
            {"blas_file", blas.file},
            {"cuda", torch::cuda::is_available()},
            {"cuda_devices", torch::cuda::device_count()},
            {"device", torch::cuda::is_available() ? "cuda" : "cpu"},
            {"processor", vectorWidth()},
            {"cores", std::thread::hardware_concurrency()},
            {"threads", threadCount(0)}};
}

std::vector<Problem> environmentProblems()
{
    const BlasInUse blas = blasInUse();
    if (blas.kind == Blas::Reference)
        return {{"environment/blas", Severity::Warning,
                 "matrix products run on the reference BLAS (" + blas.file + "), which is many times slower",
                 "install libopenblas0-openmp"}};
    if (blas.kind == Blas::OpenBlasPthread)
        return {{"environment/blas", Severity::Warning,
                 "OpenBLAS was built with its own threads (" + blas.file + "), which fight LibTorch's for the cores",
                 "install libopenblas0-openmp and remove libopenblas0-pthread"}};
    return {};
}

} // namespace athanor
