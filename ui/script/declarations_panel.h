// GUI thread. What a script declares beside its source: tensors and numbers, as two small tables.
#pragma once

#include "engine/base/json.h"

#include <QWidget>

class QTableWidget;
class QToolButton;

namespace athanor {

class Theme;

class DeclarationsPanel : public QWidget {
    Q_OBJECT
public:
    DeclarationsPanel(const Theme& theme, QWidget* parent);

    void showValues(const Json& parameters, const Json& constants);
    [[nodiscard]] Json parameters() const; ///< a list, empty without any
    [[nodiscard]] Json constants() const;  ///< an object

Q_SIGNALS:
    void edited();

private:
    QTableWidget* makeTable(const QString& name, const QString& title, const QStringList& columns);
    void addTensorRow(const Json& entry);
    void addConstantRow(const QString& name, const QString& value);
    void addRow(QTableWidget* table);
    void removeRow(QTableWidget* table);
    static void fitHeight(QTableWidget* table);

    const Theme& m_theme;
    QTableWidget* m_tensors = nullptr;
    QTableWidget* m_constants = nullptr;
    bool m_isLoading = false;
};

} // namespace athanor
