// GUI thread. What the window remembers between starts.
#pragma once

#include "ui/shell/mode.h"
#include "ui/theme/theme.h"

#include <QSettings>
#include <QStringList>

namespace athanor {

class Settings {
public:
    static constexpr int kRecentFiles = 10;

    /// `file` empty: the user's own settings.
    explicit Settings(const QString& file = {});

    /// For widgets that keep something under a key of their own.
    [[nodiscard]] QSettings& store() { return m_store; }

    [[nodiscard]] ColorScheme colorScheme() const;
    void setColorScheme(ColorScheme scheme);

    [[nodiscard]] QStringList recentFiles() const; ///< newest first; files that are gone included
    void addRecentFile(const QString& file);
    void removeRecentFile(const QString& file);
    void clearRecentFiles();

    [[nodiscard]] QString lastFolder() const; ///< of the last opened or saved project; home before the first
    void setLastFolder(const QString& folder);

    [[nodiscard]] QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray& geometry);

    [[nodiscard]] QByteArray dockLayout(Mode mode) const; ///< empty: the default
    void setDockLayout(Mode mode, const QByteArray& layout);

private:
    QSettings m_store;
};

} // namespace athanor
