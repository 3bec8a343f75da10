// GUI thread. A table's rows on demand, with a histogram above each column.
#pragma once

#include "engine/data/preview_facts.h"

#include <QAbstractTableModel>
#include <QCache>
#include <QHeaderView>

#include <optional>
#include <set>
#include <vector>

namespace athanor {

class Theme;

/// Rows come in blocks; those longest not looked at go.
class RowModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int kBlock = 128;
    static constexpr int kKeptBlocks = 64;
    using Block = std::vector<QStringList>; ///< per row: name, cells

    using QAbstractTableModel::QAbstractTableModel;

    void setTable(std::int64_t rows, QStringList columns);
    void setBlock(std::int64_t first, Block block);
    void forgetAsked(); ///< what was asked for and has not come is asked for again

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void blockWanted(qint64 first) const;

private:
    int m_rows = 0;
    QStringList m_columns;
    QCache<int, Block> m_blocks{kKeptBlocks};
    mutable std::set<int> m_asked;
};

/// Name, histogram, and in the tool tip the statistics of each column.
class HistogramHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit HistogramHeader(const Theme& theme, QWidget* parent = nullptr);
    void setFacts(std::optional<TableFacts> facts);
    [[nodiscard]] QString factsText(int section) const;

protected:
    [[nodiscard]] QSize sectionSizeFromContents(int section) const override;
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    bool viewportEvent(QEvent* event) override;

private:
    const Theme& m_theme;
    std::optional<TableFacts> m_facts;
};

/// Draws a histogram's bars into a box.
void drawHistogram(QPainter& painter, const QRect& box, const std::vector<std::int64_t>& bins, const QColor& color);

} // namespace athanor
