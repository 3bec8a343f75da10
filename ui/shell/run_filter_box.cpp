#include "ui/shell/run_filter_box.h"

#include "ui/theme/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStringListModel>
#include <QVBoxLayout>

namespace athanor {
namespace {

bool isNameCharacter(QChar c)
{
    return c.isLetterOrNumber() || c == u'_' || c == u'.' || c == u'/' || c == u'-';
}

} // namespace

RunFilterBox::RunFilterBox(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_line(new QLineEdit), m_problem(new QLabel),
      m_completer(new QCompleter(this)), m_model(new QStringListModel(this))
{
    m_line->setObjectName(QStringLiteral("runsSearch"));
    m_line->setPlaceholderText(tr("Filter: words, or lr < 1e-3 and val/accuracy > 0.9 and tag = base"));
    m_line->setAccessibleName(tr("Filter of the runs"));
    m_line->setToolTip(
        tr("Words that occur in name, status, project, tags or note, or an expression:\n"
           "lr < 1e-3 and (batch_size >= 64 or tag = \"base\") and not status = failed\n"
           "= != < <= > >= compare, ~ contains; a metric is its last value, val/loss.min its least one.\n"
           "Ctrl+Space completes names."));
    m_line->setClearButtonEnabled(true);
    m_line->addAction(theme.icon(QStringLiteral("search"), ColorRole::Muted), QLineEdit::LeadingPosition);
    m_line->installEventFilter(this);
    m_problem->setObjectName(QStringLiteral("runsFilterProblem"));
    m_problem->setWordWrap(true);
    m_problem->setFont(theme.font(FontRole::Small));
    m_problem->hide();
    m_completer->setModel(m_model);
    m_completer->setWidget(m_line);
    m_completer->setCompletionMode(QCompleter::PopupCompletion);
    m_completer->setFilterMode(Qt::MatchContains);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &RunFilterBox::insert);
    connect(m_line, &QLineEdit::textChanged, this, &RunFilterBox::textChanged);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::kInside);
    layout->addWidget(m_line);
    layout->addWidget(m_problem);
    setFocusProxy(m_line);
}

QString RunFilterBox::text() const
{
    return m_line->text();
}

void RunFilterBox::setText(const QString& text)
{
    m_line->setText(text);
}

void RunFilterBox::showResult(const Status& result)
{
    m_problem->setVisible(!result.ok());
    if (result.ok())
        return;
    const Error& error = result.error();
    QString text = QString::fromStdString(error.message);
    if (!error.where.empty())
        text = tr("%1: %2").arg(QString::fromStdString(error.where), text);
    if (!error.hint.empty())
        text += QStringLiteral(". ") + QString::fromStdString(error.hint);
    QPalette palette = m_problem->palette();
    palette.setColor(QPalette::WindowText, m_theme.color(ColorRole::Bad));
    m_problem->setPalette(palette);
    m_problem->setText(text);
}

int RunFilterBox::wordStart() const
{
    int start = m_line->cursorPosition();
    while (start > 0 && isNameCharacter(m_line->text().at(start - 1)))
        --start;
    return start;
}

bool RunFilterBox::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Space && key->modifiers() == Qt::ControlModifier) {
            complete();
            return true;
        }
    }
    if (event->type() == QEvent::KeyRelease && !static_cast<QKeyEvent*>(event)->text().isEmpty() &&
        isNameCharacter(static_cast<QKeyEvent*>(event)->text().at(0)) &&
        m_line->cursorPosition() - wordStart() >= 2)
        complete();
    return QWidget::eventFilter(object, event);
}

void RunFilterBox::complete()
{
    if (!m_names)
        return;
    m_model->setStringList(m_names());
    const int start = wordStart();
    m_completer->setCompletionPrefix(m_line->text().mid(start, m_line->cursorPosition() - start));
    if (m_completer->completionCount() > 0)
        m_completer->complete();
    else
        m_completer->popup()->hide();
}

void RunFilterBox::insert(const QString& name)
{
    const int start = wordStart();
    const QString text = m_line->text();
    const bool needsQuotes =
        std::any_of(name.begin(), name.end(), [](QChar c) { return !isNameCharacter(c); });
    const QString written = needsQuotes ? QStringLiteral("\"%1\"").arg(name) : name;
    m_line->setText(text.left(start) + written + text.mid(m_line->cursorPosition()));
    m_line->setCursorPosition(start + static_cast<int>(written.size()));
}

} // namespace athanor
