// GUI thread. The tensors of a network and what fills them from a file of weights.
#pragma once

#include "ui/weights/weights_choice.h"

#include <QAbstractTableModel>

namespace athanor {

class Theme;

/// Columns: name and shape in the network, name and shape in the file, how it is filled. The name in the file is edited: the
/// edit role is that name, an empty one goes back to what fits by name.
class WeightsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Shape, From, FileShape, State, ColumnCount };

    WeightsModel(const Theme& theme, QObject* parent);

    void setReport(WeightsReport report, WeightsMap byHand);
    void clear();
    [[nodiscard]] bool hasReport() const { return m_report.has_value(); }
    [[nodiscard]] const WeightsReport& report() const { return *m_report; } ///< hasReport()
    [[nodiscard]] const WeightsMap& byHand() const { return m_byHand; }
    void setByHand(WeightsMap byHand); ///< maps anew

    /// Names of the file's tensors that have the shape of a row's tensor, those that fill nothing yet first.
    [[nodiscard]] QStringList candidates(int row) const;
    [[nodiscard]] bool isLoaded(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

Q_SIGNALS:
    void mappingChanged();

private:
    [[nodiscard]] QString text(const WeightsRow& row, int column) const;
    [[nodiscard]] QString explanation(const WeightsRow& row) const;
    [[nodiscard]] QColor color(const WeightsRow& row, int column) const;
    void map();

    const Theme& m_theme;
    std::optional<WeightsReport> m_report;
    WeightsMap m_byHand;
    std::vector<WeightsRow> m_rows;
};

} // namespace athanor
