#include "ui/shell/settings.h"

#include <QDir>
#include <QFileInfo>

namespace athanor {
namespace {

constexpr auto kColorScheme = "window/colorScheme";
constexpr auto kGeometry = "window/geometry";
constexpr auto kRecent = "files/recent";
constexpr auto kLastFolder = "files/lastFolder";

QString layoutKey(Mode mode)
{
    return QStringLiteral("docks/%1").arg(modeKey(mode));
}

QString pathOf(const QString& file)
{
    if (file.isEmpty()) {
        const QSettings users(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("athanor"),
                              QStringLiteral("athanor"));
        return users.fileName();
    }
    return file;
}

} // namespace

Settings::Settings(const QString& file) : m_store(pathOf(file), QSettings::IniFormat) {}

ColorScheme Settings::colorScheme() const
{
    const QString name = m_store.value(kColorScheme).toString();
    if (name == u"light")
        return ColorScheme::Light;
    return name == u"dark" ? ColorScheme::Dark : ColorScheme::System;
}

void Settings::setColorScheme(ColorScheme scheme)
{
    static constexpr const char* kNames[] = {"system", "light", "dark"};
    m_store.setValue(kColorScheme, QString::fromLatin1(kNames[static_cast<int>(scheme)]));
}

QStringList Settings::recentFiles() const
{
    return m_store.value(kRecent).toStringList();
}

void Settings::addRecentFile(const QString& file)
{
    QStringList files = recentFiles();
    const QString path = QFileInfo(file).absoluteFilePath();
    files.removeAll(path);
    files.prepend(path);
    m_store.setValue(kRecent, QStringList(files.mid(0, kRecentFiles)));
}

void Settings::removeRecentFile(const QString& file)
{
    QStringList files = recentFiles();
    files.removeAll(file);
    m_store.setValue(kRecent, files);
}

void Settings::clearRecentFiles()
{
    m_store.remove(kRecent);
}

QString Settings::lastFolder() const
{
    return m_store.value(kLastFolder, QDir::homePath()).toString();
}

void Settings::setLastFolder(const QString& folder)
{
    m_store.setValue(kLastFolder, folder);
}

QByteArray Settings::windowGeometry() const
{
    return m_store.value(kGeometry).toByteArray();
}

void Settings::setWindowGeometry(const QByteArray& geometry)
{
    m_store.setValue(kGeometry, geometry);
}

QByteArray Settings::dockLayout(Mode mode) const
{
    return m_store.value(layoutKey(mode)).toByteArray();
}

void Settings::setDockLayout(Mode mode, const QByteArray& layout)
{
    m_store.setValue(layoutKey(mode), layout);
}

} // namespace athanor
