#include "ui/plot/plot_legend.h"

#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

namespace athanor {
namespace {

constexpr int kSwatchWidth = 14;
constexpr int kChipHeight = 20;
constexpr int kRows = 2;
constexpr int kMoreWidth = 44;

} // namespace

LegendChip::LegendChip(Theme& theme, QWidget* parent) : QAbstractButton(parent), m_theme(theme)
{
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
}

void LegendChip::setEntry(const LegendEntry& entry)
{
    if (entry == m_entry)
        return;
    if (entry.series != m_entry.series) {
        m_widestValue = 0;
        setObjectName(QStringLiteral("chip:") + entry.series);
        setAccessibleName(tr("Curve %1").arg(entry.series));
        setToolTip(tr("%1\nClick: hide or show. Double click or Enter: show it alone.").arg(entry.series));
    }
    m_entry = entry;
    setChecked(entry.isShown);
    setAccessibleDescription(entry.value);
    update();
}

QSize LegendChip::sizeHint() const
{
    const QFontMetrics metrics(m_theme.font(FontRole::Small));
    m_widestValue = std::max(m_widestValue, metrics.horizontalAdvance(m_entry.value));
    const int value = m_widestValue > 0 ? m_widestValue + spacing::kInside : 0;
    return {spacing::kInside + kSwatchWidth + spacing::kInside + metrics.horizontalAdvance(m_entry.label) + value +
                spacing::kInside,
            kChipHeight};
}

void LegendChip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    if (underMouse() || m_entry.isHighlighted) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(ColorRole::Grid));
        painter.drawRoundedRect(frame, spacing::kRadius, spacing::kRadius);
    }
    if (hasFocus()) {
        painter.setPen(m_theme.color(ColorRole::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(frame, spacing::kRadius, spacing::kRadius);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    const bool isShown = isChecked();
    const int middle = height() / 2;
    painter.setPen(QPen(isShown ? m_entry.color : m_theme.color(ColorRole::Border), 2, m_entry.style, Qt::FlatCap));
    painter.drawLine(spacing::kInside, middle, spacing::kInside + kSwatchWidth, middle);
    QFont font = m_theme.font(FontRole::Small);
    font.setStrikeOut(!isShown);
    painter.setFont(font);
    painter.setPen(m_theme.color(isShown ? ColorRole::Text : ColorRole::Muted));
    QRect text = rect().adjusted(2 * spacing::kInside + kSwatchWidth, 0, -spacing::kInside, 0);
    painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft, m_entry.label);
    font.setStrikeOut(false);
    painter.setFont(font);
    painter.setPen(m_theme.color(ColorRole::Muted));
    text.setLeft(text.left() + painter.fontMetrics().horizontalAdvance(m_entry.label) + spacing::kInside);
    painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft, m_entry.value);
}

void LegendChip::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    click(); // takes the first half of the double click back
    Q_EMIT isolateRequested();
}

void LegendChip::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        Q_EMIT isolateRequested();
        return;
    }
    QAbstractButton::keyPressEvent(event);
}

PlotLegend::PlotLegend(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme), m_more(new QToolButton(this))
{
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_more->setObjectName(QStringLiteral("moreCurves"));
    m_more->setAccessibleName(tr("More curves"));
    m_more->setFocusPolicy(Qt::StrongFocus);
    connect(m_more, &QToolButton::clicked, this, &PlotLegend::openMenu);
    connect(&theme, &Theme::changed, this, [this] { place(); });
}

void PlotLegend::setEntries(const std::vector<LegendEntry>& entries)
{
    if (entries == m_entries)
        return;
    m_entries = entries;
    while (m_chips.size() > entries.size()) {
        delete m_chips.back();
        m_chips.pop_back();
    }
    while (m_chips.size() < entries.size()) {
        auto* chip = new LegendChip(m_theme, this);
        connect(chip, &LegendChip::clicked, this,
                [this, chip](bool isShown) { Q_EMIT shownChanged(chip->entry().series, isShown); });
        connect(chip, &LegendChip::isolateRequested, this,
                [this, chip] { Q_EMIT isolateRequested(chip->entry().series); });
        m_chips.push_back(chip);
    }
    for (std::size_t i = 0; i < entries.size(); ++i)
        m_chips[i]->setEntry(entries[i]);
    place();
    if (heightForWidth(width()) != height())
        updateGeometry(); // not for every new value: it would lay out the whole plot anew
}

PlotLegend::Places PlotLegend::placesFor(int width) const
{
    Places places;
    int x = 0;
    int row = 0;
    for (const LegendChip* chip : m_chips) {
        const int wanted = std::min(chip->sizeHint().width(), width);
        const int room = width - (row == kRows - 1 && chip != m_chips.back() ? kMoreWidth : 0);
        if (x > 0 && x + wanted > room) {
            if (row == kRows - 1) {
                places.more = QRect(x, row * kChipHeight, kMoreWidth, kChipHeight);
                break;
            }
            ++row;
            x = 0;
        }
        places.chips.emplace_back(x, row * kChipHeight, wanted, kChipHeight);
        x += wanted + spacing::kInside;
    }
    places.height = m_chips.empty() ? 0 : (row + 1) * kChipHeight;
    return places;
}

int PlotLegend::heightForWidth(int width) const
{
    return placesFor(width).height;
}

QSize PlotLegend::sizeHint() const
{
    return {0, heightForWidth(width())};
}

void PlotLegend::resizeEvent(QResizeEvent*)
{
    place();
}

void PlotLegend::place()
{
    const Places places = placesFor(width());
    m_placed = places.chips.size();
    for (std::size_t i = 0; i < m_chips.size(); ++i) {
        m_chips[i]->setVisible(i < m_placed);
        if (i < m_placed)
            m_chips[i]->setGeometry(places.chips[i]);
    }
    m_more->setVisible(!places.more.isEmpty());
    if (places.more.isEmpty())
        return;
    const auto hidden = static_cast<int>(m_chips.size() - m_placed);
    m_more->setGeometry(places.more);
    m_more->setText(QStringLiteral("+%1").arg(hidden));
    m_more->setToolTip(tr("%n more curve(s)", nullptr, hidden));
}

void PlotLegend::openMenu()
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (std::size_t i = m_placed; i < m_entries.size(); ++i) {
        const LegendEntry& entry = m_entries[i];
        QAction* action = menu->addAction(entry.label);
        action->setCheckable(true);
        action->setChecked(entry.isShown);
        connect(action, &QAction::triggered, this,
                [this, series = entry.series](bool isShown) { Q_EMIT shownChanged(series, isShown); });
    }
    menu->popup(m_more->mapToGlobal(QPoint(0, m_more->height())));
}

} // namespace athanor
