#include "ui/weights/weights_choice.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace athanor {
namespace {

bool hasName(const std::vector<WeightsTensor>& tensors, const std::string& name)
{
    return std::ranges::find(tensors, name, &WeightsTensor::name) != tensors.end();
}

} // namespace

std::vector<WeightsRow> weightsRows(const WeightsReport& report, const WeightsMap& byHand)
{
    std::vector<WeightsRow> rows(report.network.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].ours = i;
    const auto fill = [&](const std::vector<MappedTensor>& pairs, WeightsFill how) {
        for (const MappedTensor& pair : pairs) {
            const bool chosen = byHand.contains(report.network[pair.ours].name);
            rows[pair.ours].theirs = pair.theirs;
            rows[pair.ours].fill = chosen && how != WeightsFill::ShapeDiffers ? WeightsFill::ByHand : how;
        }
    };
    fill(report.mapping.matched, WeightsFill::Matched);
    fill(report.mapping.renamed, WeightsFill::Renamed);
    fill(report.mapping.shapeDiffers, WeightsFill::ShapeDiffers);
    return rows;
}

std::pair<WeightsMap, QString> knownNames(const WeightsMap& map, const WeightsReport& report)
{
    WeightsMap known;
    QStringList dropped;
    for (const auto& [ours, theirs] : map) {
        if (hasName(report.network, ours) && hasName(report.file.tensors, theirs))
            known.emplace(ours, theirs);
        else
            dropped << QString::fromStdString(ours);
    }
    if (dropped.isEmpty())
        return {known, {}};
    return {known, QCoreApplication::translate("athanor::WeightsDialog",
                                               "Left out, as the names are not in this file or network: %1.")
                       .arg(dropped.join(QStringLiteral(", ")))};
}

std::string writtenFile(const std::filesystem::path& file, const std::filesystem::path& folder)
{
    const auto relative = file.lexically_normal().lexically_relative(folder.lexically_normal());
    const bool isBelow = !folder.empty() && !relative.empty() && *relative.begin() != "..";
    return (isBelow ? relative : file).generic_string();
}

} // namespace athanor
