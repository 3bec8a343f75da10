// GUI thread. The series of a run as a tree of their paths, with their newest values.
#pragma once

#include "ui/plot/series_source.h"

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>
#include <QStringList>

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace athanor {

class Theme;

/// Paths are split at '/', and parameter names at '.': grad_norm › conv1 › weight. A row may be both a series
/// and a folder (grad_norm itself). Values are read from the source when a row is painted, so rows that
/// nobody sees cost nothing.
class SeriesTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { NameColumn, ValueColumn, ColumnCount };
    enum Role { PathRole = Qt::UserRole, IsSeriesRole };

    explicit SeriesTreeModel(Theme& theme, QObject* parent = nullptr);

    void setSource(std::shared_ptr<SeriesSource> source); ///< nullptr: empty
    void addNewSeries(); ///< takes in what the source registered since the last call
    void setPlotted(const std::set<QString>& series); ///< the checked ones
    void setHighlighted(const std::set<QString>& series);

    [[nodiscard]] QString path(const QModelIndex& index) const; ///< full name of a series; empty for a folder
    [[nodiscard]] QModelIndex indexOf(const QString& series) const;
    [[nodiscard]] QStringList seriesBelow(const QModelIndex& index) const; ///< itself included
    [[nodiscard]] QString seriesAt(int i) const { return m_names[static_cast<std::size_t>(i)]; } ///< i-th registered
    [[nodiscard]] int seriesCount() const { return static_cast<int>(m_bySeries.size()); }
    void valuesChanged(const QModelIndex& index); ///< repaints a row's value

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& = {}) const override { return ColumnCount; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void plotToggled(const QString& series, bool isPlotted); ///< asks for it; setPlotted() answers

private:
    struct Item {
        int parent = -1;
        int row = 0;
        QString name;
        std::vector<int> children;
        std::unordered_map<std::string, int> byName; ///< children
        std::optional<SeriesIndex> series;
    };
    int childNamed(int parent, const std::string& name, bool announce);
    void insert(const SeriesInfo& info, SeriesIndex series, bool announce);
    [[nodiscard]] int itemOf(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOfItem(int item, int column = NameColumn) const;
    [[nodiscard]] QVariant valueData(const Item& item, int role) const;
    [[nodiscard]] QVariant nameData(const Item& item, int role) const;
    void announceDifference(const std::set<QString>& before, const std::set<QString>& after);
    void collect(int item, QStringList& names) const;

    Theme& m_theme;
    std::shared_ptr<SeriesSource> m_source;
    std::uint64_t m_structureVersion = 0;
    std::vector<Item> m_items; ///< 0 = root
    std::vector<QString> m_names;
    std::vector<QString> m_units;
    std::vector<int> m_bySeries; ///< item of each series
    std::unordered_map<std::string, int> m_byName;
    std::set<QString> m_plotted;
    std::set<QString> m_highlighted;
};

/// Rows whose series' path holds all words of the filter, in any order and case, with their folders.
class SeriesTreeFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit SeriesTreeFilter(QObject* parent = nullptr);
    void setWords(const QString& text);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList m_words;
};

/// The node that a series belongs to (longest id that its path goes on with after the first part), or "".
std::string nodeOfSeries(const std::string& series, const std::vector<std::string>& nodeIds);

} // namespace athanor
