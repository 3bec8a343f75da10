#include "ui/plot/plot_export.h"

#include "ui/bridge/text_format.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>
#include <QPixmap>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>
#include <optional>

namespace athanor {
namespace {

constexpr int kPictureScale = 2;
constexpr int kPixelsPerInch = 96;

QString translated(const char* text)
{
    return QCoreApplication::translate("athanor::MetricPlot", text);
}

Error writeError(const QString& file, const QString& reason)
{
    return Error{ErrorCode::Unreadable, translated("The file could not be written: %1").arg(reason).toStdString(),
                 file.toStdString(), translated("Choose another folder, or make room there.").toStdString(), {}};
}

QString csvCell(const std::string& name)
{
    QString text = QString::fromStdString(name);
    if (!text.contains(u',') && !text.contains(u'"') && !text.contains(u'\n'))
        return text;
    return u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
}

} // namespace

QString csvText(const std::vector<NamedPoints>& curves)
{
    QString text = QStringLiteral("step");
    for (const NamedPoints& curve : curves)
        text += u',' + csvCell(curve.name);
    text += u'\n';
    std::vector<std::size_t> next(curves.size(), 0);
    while (true) {
        std::optional<std::int64_t> step;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (next[i] < curves[i].points.steps.size())
                step = std::min(step.value_or(curves[i].points.steps[next[i]]), curves[i].points.steps[next[i]]);
        }
        if (!step)
            return text;
        text += QString::number(*step);
        for (std::size_t i = 0; i < curves.size(); ++i) {
            text += u',';
            if (next[i] < curves[i].points.steps.size() && curves[i].points.steps[next[i]] == *step)
                text += exactText(curves[i].points.values[next[i]++]);
        }
        text += u'\n';
    }
}

Status writeText(const QString& file, const QString& text)
{
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return writeError(file, out.errorString());
    out.write(text.toUtf8());
    if (!out.commit())
        return writeError(file, out.errorString());
    return Done{};
}

Status writePicture(const QString& file, const QSize& size, const QString& title, const PaintPicture& paint)
{
    // The libraries' writers do not say why they fail; a file that opens here opens for them too.
    QFile probe(file);
    if (!probe.open(QIODevice::WriteOnly))
        return writeError(file, probe.errorString());
    probe.close();
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix == QStringLiteral("svg")) {
        QSvgGenerator svg;
        svg.setFileName(file);
        svg.setSize(size);
        svg.setViewBox(QRect(QPoint(0, 0), size));
        svg.setResolution(kPixelsPerInch);
        svg.setTitle(title);
        paint(svg);
    } else if (suffix == QStringLiteral("pdf")) {
        QPdfWriter pdf(file);
        pdf.setResolution(kPixelsPerInch);
        pdf.setTitle(title);
        const QSizeF points = QSizeF(size) * 72.0 / kPixelsPerInch;
        pdf.setPageLayout(QPageLayout(QPageSize(points, QPageSize::Point), QPageLayout::Portrait, QMarginsF()));
        paint(pdf);
    } else {
        QPixmap picture(size * kPictureScale);
        picture.setDevicePixelRatio(kPictureScale);
        paint(picture);
        if (!picture.save(file, "PNG"))
            return writeError(file, translated("the picture could not be saved"));
    }
    return Done{};
}

} // namespace athanor
