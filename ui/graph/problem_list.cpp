#include "ui/graph/problem_list.h"

#include "ui/graph/fix_buttons.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kIcon = 16;

QLabel* makeText(const std::string& text, const char* name, QWidget* parent)
{
    auto* label = new QLabel(QString::fromStdString(text), parent);
    label->setObjectName(QString::fromLatin1(name));
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

ProblemList::ProblemList(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_column(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("problems"));
    setAccessibleName(tr("Problems"));
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(spacing::kBetween);
    hide();
}

void ProblemList::show(const std::vector<Problem>& problems)
{
    if (problems == m_problems) {
        return;
    }
    m_problems = problems;
    while (QLayoutItem* item = m_column->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater(); // the click of one of its buttons may be what brought the new problems
        delete item;
    }
    for (const Problem& problem : problems) {
        m_column->addWidget(makeRow(problem));
    }
    setVisible(!problems.empty());
}

QWidget* ProblemList::makeRow(const Problem& problem)
{
    const bool error = problem.severity == Severity::Error;
    auto* row = new QWidget(this);
    auto* columns = new QHBoxLayout(row);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(spacing::kBetween);
    auto* icon = new QLabel(row);
    icon->setAccessibleName(error ? tr("Error") : tr("Warning"));
    icon->setPixmap(m_theme.icon(error ? QStringLiteral("error") : QStringLiteral("warning"),
                                 error ? ColorRole::Bad : ColorRole::Warn)
                        .pixmap(kIcon, kIcon));
    columns->addWidget(icon, 0, Qt::AlignTop);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(spacing::kInside);
    texts->addWidget(makeText(problem.message, "problemMessage", row));
    if (!problem.hint.empty()) {
        QLabel* hint = makeText(problem.hint, "problemHint", row);
        hint->setProperty("look", QStringLiteral("muted"));
        texts->addWidget(hint);
    }
    auto* fixes = new FixButtons(m_theme, row);
    fixes->show(problem.fixes);
    connect(fixes, &FixButtons::fixRequested, this, &ProblemList::fixRequested);
    texts->addWidget(fixes);
    columns->addLayout(texts, 1);
    return row;
}

} // namespace athanor
