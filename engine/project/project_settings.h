// Any thread (a pure function). A project's settings as a flat list, for comparing and finding.
#pragma once

#include "engine/project/project.h"

#include <map>
#include <string>

namespace athanor {

/// Every setting of a project by its path as --set takes it (training.optimizer.lr, network.conv1.out_channels,
/// data.loader.batch_size), with the defaults filled in: whether one was written out makes no difference. Lists are
/// single values, lists of objects (schedulers, optimizer groups) are opened by their index. Members of a group are
/// `network.Block/conv.bias`.
std::map<std::string, Json> settingsOf(const Project& project);

} // namespace athanor
