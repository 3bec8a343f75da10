// GUI thread. Rows of findings and log lines with their severity as an icon in front.
#pragma once

#include "engine/graph/graph_check.h"

#include <QStyledItemDelegate>

#include <functional>

namespace athanor {

class Theme;

QIcon severityIcon(const Theme& theme, Severity severity);

class SeverityDelegate final : public QStyledItemDelegate {
public:
    using IconOf = std::function<QIcon(const QModelIndex& index)>; ///< a null icon leaves the place empty
    SeverityDelegate(IconOf iconOf, QObject* parent);

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    IconOf m_iconOf;
};

} // namespace athanor
