#include "ui/shell/severity_delegate.h"

#include "ui/theme/theme.h"

#include <utility>

namespace athanor {

QIcon severityIcon(const Theme& theme, Severity severity)
{
    switch (severity) {
    case Severity::Error:
        return theme.icon(QStringLiteral("error"), ColorRole::Bad);
    case Severity::Warning:
        return theme.icon(QStringLiteral("warning"), ColorRole::Warn);
    case Severity::Info:
        return theme.icon(QStringLiteral("info"), ColorRole::Accent);
    }
    return {};
}

SeverityDelegate::SeverityDelegate(IconOf iconOf, QObject* parent)
    : QStyledItemDelegate(parent), m_iconOf(std::move(iconOf))
{}

void SeverityDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    option->icon = m_iconOf(index);
    option->decorationSize = QSize(16, 16);
    option->features |= QStyleOptionViewItem::HasDecoration; // rows without an icon keep its place
}

} // namespace athanor
