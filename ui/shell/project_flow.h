// GUI thread. Opening and saving projects, with the guard of unsaved changes and the list of recent files.
#pragma once

#include "engine/base/result.h"

#include <QObject>
#include <QString>

#include <functional>

class QWidget;

namespace athanor {

class ProjectDocument;
class Settings;

/// A sample is a template: it opens like any project, and saving it asks for another place.
class ProjectFlow : public QObject {
    Q_OBJECT
public:
    /// References outlive the flow; `window` is the parent of its dialogs.
    ProjectFlow(ProjectDocument& document, Settings& settings, QString samplesFolder, QWidget* window);

    void createNew();               ///< an empty project, after the guard
    void chooseFile();              ///< file dialog, then open()
    void open(const QString& file); ///< after the guard
    /// Saves, then calls `then`, which is not called when it failed or was given up.
    void save(std::function<void()> then = {});
    void saveAs(std::function<void()> then = {});
    /// Calls `then` at once when nothing is unsaved; else asks: save, discard or cancel.
    void guard(std::function<void()> then);

    [[nodiscard]] bool isSample() const; ///< the open project is one

Q_SIGNALS:
    void created();
    void opened(const QString& file);
    void saved(const QString& file);
    void failed(const athanor::Error& error);
    void recentFilesChanged();

private:
    void load(const QString& file);
    void saveTo(const QString& file, const std::function<void()>& then);
    void remember(const QString& file);

    ProjectDocument& m_document;
    Settings& m_settings;
    QString m_samplesFolder;
    QWidget* m_window;
};

} // namespace athanor
