#include "ui/graph/group_store.h"

#include <QStandardPaths>

#include <spdlog/spdlog.h>

#include <algorithm>

namespace athanor {

GroupStore::GroupStore(std::filesystem::path folder, QObject* parent)
    : QObject(parent), m_folder(std::move(folder))
{
    reload();
}

std::filesystem::path GroupStore::userFolder()
{
    return (QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/groups"))
        .toStdString();
}

const LibraryGroup* GroupStore::find(const QString& name) const
{
    const auto found = std::ranges::find(m_library.groups, name.toStdString(), &LibraryGroup::name);
    return found == m_library.groups.end() ? nullptr : &*found;
}

Status GroupStore::keep(const Graph& graph, const std::string& definition)
{
    Status kept = saveToGroupLibrary(m_folder, graph, definition);
    reload();
    return kept;
}

Status GroupStore::remove(const QString& name)
{
    Status removed = removeFromGroupLibrary(m_folder, name.toStdString());
    reload();
    return removed;
}

void GroupStore::reload()
{
    m_library = readGroupLibrary(m_folder);
    for (const Error& error : m_library.unreadable) {
        spdlog::warn("a group of the library cannot be read: {}", error.text());
    }
    Q_EMIT changed();
}

} // namespace athanor
