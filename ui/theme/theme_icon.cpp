#include "ui/theme/theme_icon.h"

#include <QFile>
#include <QGuiApplication>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <utility>

namespace athanor {
namespace {

constexpr double kDisabledOpacity = 0.35;

QString svgPath(const QString& name)
{
    return QStringLiteral(":/icons/%1.svg").arg(name);
}

QPixmap renderSvg(const QString& name, const QSize& size, const QColor& color)
{
    QPixmap result(size);
    result.fill(Qt::transparent);
    QFile file(svgPath(name));
    if (!file.open(QIODevice::ReadOnly))
        return result;
    QByteArray text = file.readAll();
    text.replace("currentColor", color.name(QColor::HexRgb).toLatin1());
    QSvgRenderer renderer(text);
    QPainter painter(&result);
    painter.setOpacity(color.alphaF());
    renderer.setAspectRatioMode(Qt::KeepAspectRatio);
    renderer.render(&painter, QRectF(QPointF(), QSizeF(size)));
    return result;
}

} // namespace

ThemeIconEngine::ThemeIconEngine(const Theme& theme, QString name, ColorRole tint)
    : m_theme(&theme), m_name(std::move(name)), m_tint(tint)
{}

QColor ThemeIconEngine::color(QIcon::Mode mode) const
{
    if (!m_theme)
        return QGuiApplication::palette().color(QPalette::WindowText);
    // A selected row is filled with the accent colour; what lies on it is drawn like its text.
    QColor color = m_theme->color(mode == QIcon::Selected ? ColorRole::AccentText : m_tint);
    if (mode == QIcon::Disabled)
        color.setAlphaF(kDisabledOpacity);
    return color;
}

void ThemeIconEngine::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state)
{
    const qreal ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1.0;
    QPixmap drawn = pixmap((QSizeF(rect.size()) * ratio).toSize(), mode, state);
    drawn.setDevicePixelRatio(ratio);
    painter->drawPixmap(rect, drawn);
}

QPixmap ThemeIconEngine::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State)
{
    if (size.isEmpty())
        return {};
    const QColor tint = color(mode);
    const QString key = QStringLiteral("athanor-icon/%1/%2x%3/%4")
                            .arg(m_name)
                            .arg(size.width())
                            .arg(size.height())
                            .arg(tint.name(QColor::HexArgb));
    QPixmap result;
    if (!QPixmapCache::find(key, &result)) {
        result = renderSvg(m_name, size, tint);
        QPixmapCache::insert(key, result);
    }
    return result;
}

QIconEngine* ThemeIconEngine::clone() const
{
    return new ThemeIconEngine(*this);
}

QString ThemeIconEngine::key() const
{
    return QStringLiteral("athanor-icon");
}

bool ThemeIconEngine::isNull()
{
    return !QFile::exists(svgPath(m_name));
}

} // namespace athanor
