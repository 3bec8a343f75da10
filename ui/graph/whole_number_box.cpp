#include "ui/graph/whole_number_box.h"

#include <QLineEdit>

#include <algorithm>
#include <limits>

namespace athanor {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

std::int64_t saturatedSum(std::int64_t a, std::int64_t b)
{
    if (b > 0) {
        return a > Limits::max() - b ? Limits::max() : a + b;
    }
    return a < Limits::min() - b ? Limits::min() : a + b;
}

} // namespace

WholeNumberBox::WholeNumberBox(QWidget* parent) : QAbstractSpinBox(parent), m_lowest(Limits::min()), m_highest(Limits::max())
{
    connect(lineEdit(), &QLineEdit::textEdited, this, &WholeNumberBox::readText);
    connect(this, &QAbstractSpinBox::editingFinished, this, [this] {
        if (lineEdit()->text() != valueText()) {
            lineEdit()->setText(valueText());
        }
    });
}

void WholeNumberBox::setRange(std::int64_t lowest, std::int64_t highest)
{
    m_lowest = lowest;
    m_highest = highest;
}

void WholeNumberBox::setEmptyText(const QString& text, bool mayBeEmpty)
{
    m_mayBeEmpty = mayBeEmpty;
    lineEdit()->setPlaceholderText(text);
}

void WholeNumberBox::setValue(std::optional<std::int64_t> value)
{
    m_value = value;
    if (lineEdit()->text() != valueText()) {
        lineEdit()->setText(valueText());
    }
    update(); // the arrows at the ends
}

QString WholeNumberBox::valueText() const
{
    return m_value ? QString::number(*m_value) : QString();
}

void WholeNumberBox::stepBy(int steps)
{
    const std::int64_t from = m_value.value_or(std::max<std::int64_t>(m_lowest, 0));
    const std::int64_t to = m_value ? saturatedSum(from, steps) : from;
    setValue(std::clamp(to, m_lowest, m_highest));
    lineEdit()->selectAll();
    Q_EMIT edited();
}

QAbstractSpinBox::StepEnabled WholeNumberBox::stepEnabled() const
{
    StepEnabled enabled = StepNone;
    if (!m_value || *m_value < m_highest) {
        enabled |= StepUpEnabled;
    }
    if (!m_value || *m_value > m_lowest) {
        enabled |= StepDownEnabled;
    }
    return enabled;
}

QValidator::State WholeNumberBox::validate(QString& text, int&) const
{
    if (text.isEmpty()) {
        return m_mayBeEmpty ? QValidator::Acceptable : QValidator::Intermediate;
    }
    if (text == u"-") {
        return m_lowest < 0 ? QValidator::Intermediate : QValidator::Invalid;
    }
    bool ok = false;
    const qlonglong number = text.toLongLong(&ok);
    if (!ok || (number < 0 && m_lowest >= 0)) {
        return QValidator::Invalid;
    }
    return number >= m_lowest && number <= m_highest ? QValidator::Acceptable : QValidator::Intermediate;
}

void WholeNumberBox::fixup(QString& text) const
{
    text = valueText();
}

void WholeNumberBox::readText(const QString& text)
{
    QString copy = text;
    int position = 0;
    if (validate(copy, position) != QValidator::Acceptable) {
        return;
    }
    const auto number = text.isEmpty() ? std::nullopt : std::optional<std::int64_t>(text.toLongLong());
    if (number != m_value) {
        m_value = number;
        Q_EMIT edited();
    }
}

} // namespace athanor
