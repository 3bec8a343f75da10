// GUI thread. Samples as a grid, of which only what is in view is ever there.
#pragma once

#include <QAbstractScrollArea>
#include <QCache>
#include <QImage>
#include <QString>

#include <cstdint>
#include <set>
#include <vector>

namespace athanor {

class Theme;

/// A sample as it is drawn.
struct SampleCell {
    std::int64_t position = 0;
    QString name;
    QString label; ///< below the picture
    QString text;  ///< in place of a picture
    QImage before; ///< null: nothing to compare with
    QImage after;
    QString error; ///< it cannot be read
};

class SampleGrid : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit SampleGrid(const Theme& theme, QWidget* parent = nullptr);

    /// Another set of samples: everything drawn so far is forgotten. `pairs`: room for before and after.
    void setSamples(std::int64_t count, bool pairs);
    /// The same samples anew (another draw): old pictures stay until the new ones are here.
    void reload();
    void setCell(SampleCell cell);
    void setCurrent(std::int64_t position); ///< scrolls to it
    [[nodiscard]] std::int64_t current() const { return m_current; }
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] const SampleCell* cell(std::int64_t position) const { return m_cells.object(position); }
    [[nodiscard]] QRect cellRect(std::int64_t position) const; ///< in the viewport
    [[nodiscard]] std::vector<std::int64_t> visible() const;

    static constexpr int kKeptBytes = 160 << 20; ///< of pictures; more than the largest screen shows

Q_SIGNALS:
    void wanted(const std::vector<std::int64_t>& positions); ///< in view and not here
    void currentChanged(std::int64_t position);
    void activated(std::int64_t position); ///< click or Enter: the sample at its own size

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    [[nodiscard]] QSize cellSize() const;
    [[nodiscard]] int columns() const;
    [[nodiscard]] std::int64_t positionAt(const QPoint& point) const; ///< −1: none
    [[nodiscard]] std::int64_t firstRow() const;
    void layOut();
    void ask();
    void drawCell(QPainter& painter, const QRect& box, const SampleCell* cell, bool isCurrent) const;
    void drawPicture(QPainter& painter, const QRect& box, const QImage& image) const;

    const Theme& m_theme;
    std::int64_t m_count = 0;
    std::int64_t m_current = -1;
    std::int64_t m_pressed = -1;
    bool m_pairs = false;
    QCache<std::int64_t, SampleCell> m_cells{kKeptBytes};
    std::set<std::int64_t> m_stale; ///< drawn, but of an older draw
};

} // namespace athanor
