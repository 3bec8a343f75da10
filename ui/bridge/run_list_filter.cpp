#include "ui/bridge/run_list_model.h"

#include <QRegularExpression>

#include <cmath>

namespace athanor {
namespace {

enum class ValueClass { Finite, Infinite, NotANumber, Missing };

ValueClass classOf(const QVariant& value)
{
    if (!value.isValid())
        return ValueClass::Missing;
    if (value.typeId() != QMetaType::Double)
        return ValueClass::Finite;
    const double number = value.toDouble();
    if (std::isnan(number))
        return ValueClass::NotANumber;
    return std::isinf(number) ? ValueClass::Infinite : ValueClass::Finite;
}

} // namespace

RunListFilter::RunListFilter(QObject* parent) : QSortFilterProxyModel(parent)
{
    setSortRole(RunListModel::SortRole);
}

Status RunListFilter::setText(const QString& text)
{
    static const QRegularExpression comparison(QStringLiteral("[=<>~]"));
    if (text.contains(comparison)) {
        auto parsed = RunFilter::parse(text.toStdString());
        if (!parsed)
            return parsed.error();
        m_expression = std::move(*parsed);
        m_words.clear();
    } else {
        m_expression.reset();
        m_words = text.split(u' ', Qt::SkipEmptyParts);
    }
    invalidateFilter();
    return unknownNames();
}

/// A name that no run has is most likely misspelt; asked only when nothing is left, as all runs are looked at.
Status RunListFilter::unknownNames() const
{
    const auto* model = qobject_cast<const RunListModel*>(sourceModel());
    if (!m_expression || model == nullptr || rowCount() > 0)
        return Done{};
    std::vector<RunFacts> facts;
    for (int row = 0; row < model->rowCount(); ++row)
        if (const RunFacts* one = model->facts(row))
            facts.push_back(*one);
    return m_expression->checkNames(facts);
}

void RunListFilter::setArchivedShown(bool isShown)
{
    m_archivedShown = isShown;
    invalidateFilter();
}

bool RunListFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(sortRole());
    const QVariant b = right.data(sortRole());
    const ValueClass classA = classOf(a);
    const ValueClass classB = classOf(b);
    if (classA !=
        classB) // the proxy turns the answer round when it sorts downwards; the classes keep their order
        return sortOrder() == Qt::AscendingOrder ? classA < classB : classB < classA;
    if (classA == ValueClass::Missing || classA == ValueClass::NotANumber)
        return false;
    if (a.typeId() == QMetaType::Double)
        return a.toDouble() < b.toDouble();
    return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
}

bool RunListFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const auto* model = qobject_cast<const RunListModel*>(sourceModel());
    if (!m_archivedShown && model != nullptr && model->mark(row).archived)
        return false;
    if (m_expression && model != nullptr) {
        if (const RunFacts* facts = model->facts(row))
            return m_expression->accepts(*facts);
        return m_expression->accepts(RunFacts(*model->run(row), {}, {})); // what is known so far
    }
    if (m_words.isEmpty())
        return true;
    QString text;
    for (const int column : {RunListModel::Name, RunListModel::Status, RunListModel::Project,
                             RunListModel::Tags, RunListModel::Note})
        text += sourceModel()->index(row, column, parent).data().toString() + u'\n';
    for (const QString& word : m_words) {
        if (!text.contains(word, Qt::CaseInsensitive))
            return false;
    }
    return true;
}

} // namespace athanor
