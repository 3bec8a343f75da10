// Any thread (plain data). The samples that come with Athanor.
#pragma once

#include <QString>

#include <vector>

namespace athanor {

struct SampleProject {
    QString file; ///< *.athanor
    QString title;
    QString description; ///< one or two sentences
    QString picture;         ///< an SVG file; empty: none of its own
    bool isTemplate = false; ///< shown for its network rather than for its data
};

/// The folder of the samples: ../share/athanor/samples from the executable, which the build folder mirrors. Empty
/// when there is none.
QString samplesFolder();

/// The samples that the folder's samples.json lists, in its order; those whose project is not there are left out.
std::vector<SampleProject> findSamples(const QString& folder);

} // namespace athanor
