// Not the GUI thread (it reads data). The first batches of the training part, in numbers. Torch-free.
#pragma once

#include "engine/project/project.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>

namespace athanor {

/// Of the finite elements of one field.
struct FieldGlance {
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    double deviation = 0; ///< population
    std::int64_t count = 0;
    std::int64_t nonFinite = 0;
};

struct DataGlance {
    std::map<std::string, FieldGlance> fields;
    std::int64_t batchesPerEpoch = 0;
    std::int64_t batchSize = 0;
};

/// Reads at most 16 batches, in the order of the first epoch.
Result<DataGlance> glanceAtData(const Project& project, int workers, const std::stop_token& stop);

} // namespace athanor
