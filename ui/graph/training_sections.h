// Any thread (plain data). How the training form is divided up.
#pragma once

#include "engine/project/project.h"

#include <QString>

#include <vector>

namespace athanor {

/// A part of the form: settings of trainingParams() that share an object of the project file.
struct TrainingSection {
    QString name; ///< objectName
    QString title;
    std::string prefix;           ///< "", "checkpoint", "early_stopping", …
    std::vector<ParamSpec> specs; ///< names without the prefix
    bool open = true;             ///< unfolded at first
    QString toggle = {};          ///< of an object that may be missing: what its check box says
    QString toggleName = {};      ///< objectName of that
};

/// Every setting is in exactly one section, except the length, which has an editor of its own.
std::vector<TrainingSection> trainingSections();

/// The training part as the project file spells it: defaults may be left out.
Json trainingJson(const TrainSpec& training);

/// `{"kind": …, parameters…}` for another kind: what both kinds have is kept.
Json withKind(const Json& old, const std::string& kind, const std::vector<ParamSpec>* specs);

} // namespace athanor
