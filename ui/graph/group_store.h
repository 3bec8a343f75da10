// GUI thread. The groups that can be placed: those of the project, and the user's library on disk.
#pragma once

#include "engine/project/group_library.h"

#include <QObject>
#include <QString>

#include <filesystem>

namespace athanor {

/// One library for all windows of a process; another process's changes are seen after reload().
class GroupStore : public QObject {
    Q_OBJECT
public:
    // A group in a palette is known by one of these and its name: "group:Block", "library:Block".
    static constexpr const char* kOfProject = "group:";
    static constexpr const char* kOfLibrary = "library:";

    /// `folder` is where the library's files lie; it need not exist.
    explicit GroupStore(std::filesystem::path folder, QObject* parent = nullptr);

    [[nodiscard]] const GroupLibrary& library() const { return m_library; }
    [[nodiscard]] const LibraryGroup* find(const QString& name) const; ///< nullptr when there is none
    /// Saves a definition of `graph` with those that it holds, in place of one of the same name.
    Status keep(const Graph& graph, const std::string& definition);
    Status remove(const QString& name);
    void reload();

    /// The user's own folder: groups/ in the application's data folder.
    static std::filesystem::path userFolder();

Q_SIGNALS:
    void changed();

private:
    std::filesystem::path m_folder;
    GroupLibrary m_library;
};

} // namespace athanor
