// GUI thread. Which columns the table of runs shows: its own, and any parameter and metric.
#pragma once

#include <QDialog>
#include <QStringList>

class QListWidget;

namespace athanor {

class ColumnChooser : public QDialog {
    Q_OBJECT
public:
    /// `own`: titles of columns that are there, `shown` those of them that are seen; `names`: what further columns can be
    /// called, `extra` those that there are.
    ColumnChooser(const QStringList& own, const QStringList& shown, const QStringList& names,
                  const QStringList& extra, QWidget* parent = nullptr);
    [[nodiscard]] QStringList shownColumns() const;
    [[nodiscard]] QStringList extraColumns() const;

private:
    void filter(const QString& text);
    [[nodiscard]] QStringList checked(bool isExtra) const;

    QListWidget* m_list;
};

} // namespace athanor
