// Tests only. Numbers that PyTorch computed (tests/baseline), and their comparison with ours.
#pragma once

#include "engine/base/json.h"

#include <torch/torch.h>

#include <QString>

#include <fstream>
#include <string>
#include <vector>

namespace athanor {

inline Json goldenCases(const std::string& file)
{
    std::ifstream stream(std::string(ATHANOR_SOURCE_DIR) + "/tests/data/" + file);
    return Json::parse(stream);
}

inline torch::Tensor tensorOf(const Json& dumped)
{
    const auto shape = dumped["shape"].get<std::vector<std::int64_t>>();
    if (dumped["index"].get<bool>())
        return torch::tensor(dumped["values"].get<std::vector<std::int64_t>>()).view(shape);
    return torch::tensor(dumped["values"].get<std::vector<float>>()).view(shape);
}

inline torch::Tensor floatsOf(const Json& values)
{
    return torch::tensor(values.get<std::vector<float>>());
}

/// "" when both have one shape and differ by at most this share of the largest number; else what differs.
inline std::string difference(const torch::Tensor& ours, const torch::Tensor& theirs, double relative)
{
    if (ours.sizes() != theirs.sizes())
        return "the shapes differ";
    const auto a = ours.detach().to(torch::kDouble);
    const auto b = theirs.to(torch::kDouble);
    if (a.numel() == 0 || torch::equal(a, b))
        return {};
    const double scale = std::max(1e-12, b.abs().max().item<double>());
    const double worst = (a - b).abs().max().item<double>() / scale;
    return worst <= relative ? std::string{} : "largest difference " + QString::number(worst).toStdString() + " of the largest number";
}

} // namespace athanor

#define COMPARE_TENSORS(ours, theirs, relative)                                                                        \
    do {                                                                                                               \
        const std::string wrong = athanor::difference(ours, theirs, relative);                                         \
        QVERIFY2(wrong.empty(), wrong.c_str());                                                                        \
    } while (false)
