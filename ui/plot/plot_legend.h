// GUI thread. The legend of a MetricPlot: one button per curve, in at most two rows.
#pragma once

#include <QAbstractButton>
#include <QColor>
#include <QString>
#include <QStringList>

#include <vector>

class QToolButton;

namespace athanor {

class Theme;

struct LegendEntry {
    QString series; ///< full name
    QString label;  ///< what tells it from the others
    QString value;  ///< newest value, may be empty
    QColor color;
    Qt::PenStyle style = Qt::SolidLine;
    bool isShown = true;
    bool isHighlighted = false;
    bool operator==(const LegendEntry&) const = default;
};

/// One curve: checked = shown.
class LegendChip : public QAbstractButton {
    Q_OBJECT
public:
    LegendChip(Theme& theme, QWidget* parent);
    void setEntry(const LegendEntry& entry);
    [[nodiscard]] const LegendEntry& entry() const { return m_entry; }
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void isolateRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    Theme& m_theme;
    LegendEntry m_entry;
    mutable int m_widestValue = 0; ///< the place for the value only grows, so that chips do not tremble
};

/// Click hides or shows a curve, double click (or Enter) shows it alone, and all again. Curves that find no
/// place are in the menu of the last button.
class PlotLegend : public QWidget {
    Q_OBJECT
public:
    explicit PlotLegend(Theme& theme, QWidget* parent = nullptr);
    void setEntries(const std::vector<LegendEntry>& entries);
    [[nodiscard]] const std::vector<LegendEntry>& entries() const { return m_entries; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void shownChanged(const QString& series, bool isShown);
    void isolateRequested(const QString& series);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Places {
        std::vector<QRect> chips; ///< of those that fit
        QRect more;               ///< empty: all fit
        int height = 0;
    };
    [[nodiscard]] Places placesFor(int width) const;
    void place();
    void openMenu();

    Theme& m_theme;
    std::vector<LegendEntry> m_entries;
    std::vector<LegendChip*> m_chips;
    QToolButton* m_more;
    std::size_t m_placed = 0; ///< chips that have a place
};

} // namespace athanor
