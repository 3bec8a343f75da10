// Session thread. Everything that happens once, when data is opened.
#pragma once

#include "engine/data/data_pipeline.h"
#include "engine/data/data_plan.h"
#include "engine/data/part_data.h"

#include <array>
#include <map>

namespace athanor {

/// What the pipeline reads from; a part that the data does not have is empty.
struct OpenedData {
    std::array<std::shared_ptr<const PartData>, 3> parts;
    DataDescription description;
    std::int64_t batchSize = 1;
    bool shuffle = true;
    bool dropLast = false;
    int workers = 0;
    int prefetch = 2;
};

/// Opens the sources, numbers the classes of all parts alike, splits, fits and checks the transforms.
Result<OpenedData> openParts(const Project& project, const DataPlan& plan, int workers);

} // namespace athanor
