// Session thread. Statistics of a live tensor, in one pass where it lies.
#pragma once

#include "engine/data/batch.h"
#include "engine/train/kernels/span_statistics.h"

namespace athanor {

/// Mean, standard deviation (unbiased, as torch.std), minimum and maximum as torch computes them: NaN when
/// any element is NaN, infinities kept. Share of exact zeros, count of NaN and infinite elements.
struct TensorStatistics {
    double mean = 0;
    double deviation = 0;
    double minimum = 0;
    double maximum = 0;
    double zeros = 0;
    double nonFinite = 0;
};

/// Of a tensor in the processor's memory with at least one element. Sums are made in pieces of fixed size,
/// so the result does not depend on the number of threads.
TensorStatistics tensorStatistics(const torch::Tensor& tensor);

/// The same six numbers in the order of TensorStatistics as a double tensor on the tensor's own device.
torch::Tensor deviceStatistics(const torch::Tensor& tensor);

} // namespace athanor
