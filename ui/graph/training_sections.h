// Any thread (plain data). How the training form is made up.
#pragma once

#include "engine/project/project.h"

#include <QString>

#include <vector>

namespace athanor {

/// A part of the form: values under one path of the project file.
struct TrainingSection {
    QString name; ///< objectName
    QString title;
    std::string path; ///< "training", "training/checkpoint", as problems name it
    std::vector<ParamSpec> specs;
    bool open = true; ///< unfolded at first
};

/// Everything but name, length, optimizer and schedule, which have editors of their own. `device` offers
/// what the project names beside the usual ones.
std::vector<TrainingSection> trainingSections(const std::string& device);

/// The training part as it stands in a project file, complete.
Json trainingJson(const TrainSpec& training);

/// `{"kind": …, parameters…}` for another kind: parameters that both have are kept.
Json withKind(const Json& old, const std::string& kind, const std::vector<ParamSpec>* specs);

} // namespace athanor
