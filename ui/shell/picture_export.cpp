#include "ui/shell/picture_export.h"

#include "ui/graph/build_view.h"
#include "ui/shell/settings.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>

namespace athanor {
namespace {

const auto kFolderKey = QStringLiteral("pictures/folder");
const auto kEndingKey = QStringLiteral("pictures/ending");
const auto kColorsKey = QStringLiteral("pictures/windowColors");

QString filterOf(const QString& ending)
{
    if (ending == u"png")
        return PictureExport::tr("Pixels (*.png)");
    if (ending == u"pdf")
        return PictureExport::tr("Page (*.pdf)");
    return PictureExport::tr("Drawing (*.svg)");
}

const char* const kEndings[] = {"svg", "png", "pdf"};

} // namespace

PictureExport::PictureExport(ProjectDocument& document, const BuildView& view, const Theme& theme,
                             Settings& settings, QWidget* window)
    : QObject(window), m_document(document), m_view(view), m_theme(theme), m_settings(settings), m_window(window)
{}

bool PictureExport::usesWindowColors() const
{
    return m_settings.store().value(kColorsKey, false).toBool();
}

void PictureExport::setUsesWindowColors(bool on)
{
    m_settings.store().setValue(kColorsKey, on);
}

CanvasPicture PictureExport::picture() const
{
    const bool dark = usesWindowColors() && m_theme.isDark();
    return CanvasPicture(m_document, m_view.activePart(), dark ? PictureColors::Dark : PictureColors::Light);
}

void PictureExport::chooseFile()
{
    const QString ending = m_settings.store().value(kEndingKey, QStringLiteral("svg")).toString();
    auto* dialog = new QFileDialog(m_window, tr("Export the canvas as a picture"),
                                   m_settings.store().value(kFolderKey, m_settings.lastFolder()).toString());
    dialog->setObjectName(QStringLiteral("pictureDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    QStringList filters;
    for (const char* one : kEndings)
        filters << filterOf(QString::fromLatin1(one));
    dialog->setNameFilters(filters);
    dialog->selectNameFilter(filterOf(ending));
    dialog->setDefaultSuffix(ending);
    const QString part = m_view.activePart() == GraphPart::Data ? QStringLiteral("-data") : QString();
    dialog->selectFile(m_document.displayName() + part + u'.' + ending);
    // A name without an ending gets that of the chosen kind; one that was typed counts.
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        for (const char* one : kEndings)
            if (filterOf(QString::fromLatin1(one)) == filter)
                dialog->setDefaultSuffix(QString::fromLatin1(one));
    });
    connect(dialog, &QFileDialog::fileSelected, this, &PictureExport::save);
    dialog->open();
}

void PictureExport::save(const QString& file)
{
    const Status done = picture().save(file);
    if (!done) {
        Q_EMIT failed(done.error());
        return;
    }
    m_settings.store().setValue(kFolderKey, QFileInfo(file).absolutePath());
    m_settings.store().setValue(kEndingKey, QFileInfo(file).suffix().toLower());
    Q_EMIT saved(file);
}

void PictureExport::copy()
{
    constexpr double kPixels = 2;
    const QImage image = picture().image(kPixels);
    if (image.isNull()) {
        Q_EMIT failed({ErrorCode::InvalidArgument, tr("There is no picture to copy.").toStdString(), {},
                       tr("The canvas is empty, or too large for pixels; export it as SVG.").toStdString(), {}});
        return;
    }
    QApplication::clipboard()->setImage(image);
    Q_EMIT copied();
}

} // namespace athanor
