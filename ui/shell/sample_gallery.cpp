#include "ui/shell/sample_gallery.h"

#include "engine/base/json.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace athanor {
namespace {

QString textOf(const Json& entry, const char* key)
{
    const auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? QString::fromStdString(found->get<std::string>())
                                                      : QString();
}

} // namespace

QString samplesFolder()
{
    const QString folder = QDir(QCoreApplication::applicationDirPath())
                               .absoluteFilePath(QStringLiteral("../share/athanor/samples"));
    return QFileInfo(folder).isDir() ? QDir::cleanPath(folder) : QString();
}

std::vector<SampleProject> findSamples(const QString& folder)
{
    std::vector<SampleProject> samples;
    if (folder.isEmpty())
        return samples;
    const QDir directory(folder);
    QFile list(directory.filePath(QStringLiteral("samples.json")));
    if (!list.open(QIODevice::ReadOnly))
        return samples;
    const Json entries = Json::parse(list.readAll().toStdString(), nullptr, false);
    if (!entries.is_array())
        return samples;
    for (const Json& entry : entries) {
        if (!entry.is_object())
            continue;
        const QString file = directory.filePath(textOf(entry, "file"));
        const QString picture = directory.filePath(textOf(entry, "picture"));
        if (QFileInfo(file).isFile()) {
            samples.push_back({file, textOf(entry, "title"), textOf(entry, "description"),
                               QFileInfo(picture).isFile() ? picture : QString(),
                               entry.value("template", Json(false)) == true});
        }
    }
    return samples;
}

} // namespace athanor
