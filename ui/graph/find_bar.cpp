#include "ui/graph/find_bar.h"

#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace athanor {
namespace {

constexpr int kInputWidth = 220;
constexpr int kCountWidth = 64;

} // namespace

FindBar::FindBar(Search search, const Theme& theme, QWidget* parent) : QFrame(parent), m_search(std::move(search))
{
    setObjectName(QStringLiteral("findBar"));
    setProperty("look", QStringLiteral("card"));
    setAutoFillBackground(true);
    m_input = new QLineEdit(this);
    m_input->setObjectName(QStringLiteral("findInput"));
    m_input->setPlaceholderText(tr("Find by name, kind or shape"));
    m_input->setAccessibleName(m_input->placeholderText());
    m_input->setMinimumWidth(kInputWidth);
    m_input->installEventFilter(this);
    m_count = new QLabel(this);
    m_count->setObjectName(QStringLiteral("findCount"));
    m_count->setProperty("look", QStringLiteral("muted"));
    m_count->setMinimumWidth(kCountWidth);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(spacing::kInside, spacing::kInside, spacing::kInside, spacing::kInside);
    row->setSpacing(spacing::kInside);
    row->addWidget(m_input);
    row->addWidget(m_count);
    const auto button = [&](const char* name, const char* icon, const QString& tip) {
        auto* made = new QToolButton(this);
        made->setObjectName(QString::fromLatin1(name));
        made->setIcon(theme.icon(QString::fromLatin1(icon)));
        made->setToolTip(tip);
        made->setAccessibleName(tip);
        made->setFocusPolicy(Qt::NoFocus);
        row->addWidget(made);
        return made;
    };
    connect(button("findNextButton", "chevron-down", tr("Next (Enter)")), &QToolButton::clicked, this, [this] { step(1); });
    connect(button("findCloseButton", "close", tr("Close (Escape)")), &QToolButton::clicked, this, &FindBar::close);
    connect(m_input, &QLineEdit::textChanged, this, &FindBar::search);
    hide();
}

void FindBar::open()
{
    show();
    adjustSize(); // only now the theme's sheet says how high a field is
    raise();
    m_input->setFocus(Qt::ShortcutFocusReason);
    m_input->selectAll();
    search();
}

void FindBar::close()
{
    // The focus goes first: a hidden child hands it on like Tab does, which on a canvas selects the next node.
    if (!isHidden()) {
        parentWidget()->setFocus(Qt::OtherFocusReason);
        hide();
    }
}

void FindBar::search()
{
    m_found = m_search(m_input->text());
    m_current = 0;
    report();
}

void FindBar::step(int by)
{
    m_found = m_search(m_input->text()); // nodes may have come or gone
    if (!m_found.empty()) {
        const auto count = static_cast<int>(m_found.size());
        m_current = static_cast<std::size_t>((static_cast<int>(m_current) + by + count) % count);
    }
    report();
}

void FindBar::report()
{
    m_count->setText(m_input->text().isEmpty() ? QString()
                     : m_found.empty()         ? tr("none")
                                               : tr("%1 of %2").arg(m_current + 1).arg(m_found.size()));
    if (m_current < m_found.size()) {
        Q_EMIT found(m_found[m_current]);
    }
}

bool FindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride) {
        return QFrame::eventFilter(watched, event);
    }
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_F3;
    if (!enter && key->key() != Qt::Key_Escape) {
        return false;
    }
    event->accept();
    if (event->type() == QEvent::KeyPress) {
        if (enter) {
            step(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
        } else {
            close();
        }
    }
    return true;
}

} // namespace athanor
