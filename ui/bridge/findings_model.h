// GUI thread. Everything that is wrong, in one list: problems of the project and findings of the run.
#pragma once

#include "engine/diagnose/finding.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace athanor {

/// Problems of the project come first (they keep it from training), then the run's findings, likeliest root
/// cause first.
class FindingsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Message, Where, Steps, ColumnCount };
    enum Role { SeverityRole = Qt::UserRole + 1, PlaceRole, KeyRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setProblems(const std::vector<Problem>& problems);
    void setFindings(const std::vector<Finding>& findings);

    /// The row as a Finding; a Problem becomes one without steps, its hint the last of the fixes.
    [[nodiscard]] const Finding& finding(int row) const;
    [[nodiscard]] bool isOfRun(int row) const; ///< false: a problem of the project
    [[nodiscard]] int count(Severity severity) const;
    /// The row with this KeyRole (the same thing after an update), −1 when it is gone.
    [[nodiscard]] int rowOf(const QString& key) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        Finding finding;
        QString place; ///< project path or series; what a link follows
        QString key;
        bool ofRun = false;
    };
    void replaceRows(std::vector<Row> rows);

    std::vector<Row> m_rows;
};

} // namespace athanor
