// GUI thread. Export of the shown canvas as a picture, with what is remembered for the next time.
#pragma once

#include "engine/base/result.h"
#include "ui/graph/canvas_picture.h"

#include <QObject>

class QWidget;

namespace athanor {

class BuildView;
class ProjectDocument;
class Settings;
class Theme;

class PictureExport : public QObject {
    Q_OBJECT
public:
    /// All are borrowed and outlive the object; `window` is the parent of the dialog.
    PictureExport(ProjectDocument& document, const BuildView& view, const Theme& theme, Settings& settings, QWidget* window);

    void chooseFile(); ///< asks where, in the folder of the last picture
    void copy();       ///< to the clipboard, two pixels for each canvas unit
    /// Pictures in the colours of the window; else in the light ones, which print well.
    [[nodiscard]] bool usesWindowColors() const;
    void setUsesWindowColors(bool on);

Q_SIGNALS:
    void failed(const athanor::Error& error);
    void saved(const QString& file);
    void copied();

private:
    void save(const QString& file);
    [[nodiscard]] CanvasPicture picture() const;

    ProjectDocument& m_document;
    const BuildView& m_view;
    const Theme& m_theme;
    Settings& m_settings;
    QWidget* m_window;
};

} // namespace athanor
