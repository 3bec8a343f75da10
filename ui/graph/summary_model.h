// GUI thread. A network's layers as rows for a table.
#pragma once

#include "engine/graph/network_summary.h"

#include <QAbstractTableModel>

namespace athanor {

class SummaryModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Layer, Input, Output, Parameters, Macs, Field, Memory, ColumnCount };
    static constexpr int kSortRole = Qt::UserRole + 1; ///< numbers as numbers, for the order

    using QAbstractTableModel::QAbstractTableModel;

    void setSummary(NetworkSummary summary);
    [[nodiscard]] const NetworkSummary& summary() const { return m_summary; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    NetworkSummary m_summary;
};

} // namespace athanor
