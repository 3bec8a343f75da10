#include "ui/graph/quick_add.h"

#include "ui/graph/node_text.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr QSize kSize(300, 320);
constexpr int kPage = 8;

} // namespace

QuickAdd::QuickAdd(const NodeCatalog& catalog, const Theme& theme, QWidget* parent)
    : QFrame(parent), m_catalog(catalog), m_theme(theme)
{
    setObjectName(QStringLiteral("quickAdd"));
    setProperty("look", QStringLiteral("card"));
    setAutoFillBackground(true);
    setFixedSize(kSize);
    hide();
    m_input = new QLineEdit(this);
    m_input->setObjectName(QStringLiteral("quickAddInput"));
    m_input->setPlaceholderText(tr("Add a node: type its kind"));
    m_input->setAccessibleName(m_input->placeholderText());
    m_input->installEventFilter(this);
    m_label = new QLabel(this);
    m_label->setObjectName(QStringLiteral("quickAddNote"));
    m_label->setProperty("look", QStringLiteral("small"));
    m_label->setWordWrap(true);
    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("quickAddList"));
    m_list->setAccessibleName(tr("Kinds that fit"));
    m_list->setProperty("look", QStringLiteral("bare"));
    m_list->setUniformItemSizes(true);
    m_list->setFocusPolicy(Qt::NoFocus); // the keys go to the input, which hands them on
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    column->setSpacing(spacing::kInside);
    column->addWidget(m_input);
    column->addWidget(m_label);
    column->addWidget(m_list, 1);
    connect(m_input, &QLineEdit::textChanged, this, &QuickAdd::filter);
    connect(m_list, &QListWidget::itemClicked, this, &QuickAdd::choose);
}

void QuickAdd::open(const QPoint& at, const QString& typed, KindFilter filter, const QString& note)
{
    m_filter = std::move(filter);
    m_note = note;
    const QRect room = parentWidget()->rect();
    move(std::clamp(at.x(), 0, std::max(0, room.width() - width())),
         std::clamp(at.y(), 0, std::max(0, room.height() - height())));
    m_input->setText(typed);
    this->filter();
    show();
    raise();
    m_input->setFocus(Qt::ShortcutFocusReason);
    m_input->end(false);
}

void QuickAdd::close()
{
    // The focus goes first: a hidden child hands it on like Tab does, which on a canvas selects the next node.
    if (m_input->hasFocus()) {
        parentWidget()->setFocus(Qt::OtherFocusReason); // comes back here, when the input loses it
    }
    if (!isHidden()) {
        hide();
        Q_EMIT closed();
    }
}

void QuickAdd::filter()
{
    std::vector<const NodeKind*> kinds = searchKinds(m_catalog, m_input->text(), m_filter);
    if (m_input->text().trimmed().isEmpty()) {
        std::stable_sort(kinds.begin(), kinds.end(), [&](const NodeKind* a, const NodeKind* b) {
            const auto rank = [&](const NodeKind* kind) {
                const auto place = m_recent.indexOf(QString::fromStdString(kind->kind));
                return place < 0 ? m_recent.size() : place;
            };
            return rank(a) < rank(b);
        });
    }
    m_list->clear();
    for (const NodeKind* kind : kinds) {
        auto* item = new QListWidgetItem(m_theme.icon(familyIcon(kind->family), familyRole(kind->family)),
                                         QString::fromStdString(kind->kind) + QStringLiteral("   ") +
                                             QString::fromStdString(kind->title),
                                         m_list);
        item->setToolTip(kindToolTip(*kind));
        item->setData(Qt::UserRole, QString::fromStdString(kind->kind));
    }
    m_list->setCurrentRow(0);
    m_label->setText(kinds.empty() ? tr("No kind is called that, or has it in its help.") : m_note);
    m_label->setVisible(!m_label->text().isEmpty());
}

void QuickAdd::choose()
{
    const QListWidgetItem* item = m_list->currentItem();
    const NodeKind* kind = item ? m_catalog.find(item->data(Qt::UserRole).toString().toStdString()) : nullptr;
    if (!kind) {
        return;
    }
    close(); // before the answer, which may open something else
    Q_EMIT chosen(*kind);
}

void QuickAdd::moveRow(int by)
{
    if (m_list->count() > 0) {
        m_list->setCurrentRow(std::clamp(m_list->currentRow() + by, 0, m_list->count() - 1));
    }
}

bool QuickAdd::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut) {
        close();
        return false;
    }
    const bool press = event->type() == QEvent::KeyPress;
    if (!press && event->type() != QEvent::ShortcutOverride) {
        return QFrame::eventFilter(watched, event);
    }
    const int key = static_cast<QKeyEvent*>(event)->key();
    switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down:
        event->accept();
        if (press) {
            moveRow(key == Qt::Key_Up ? -1 : 1);
        }
        return true;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        event->accept();
        if (press) {
            moveRow(key == Qt::Key_PageUp ? -kPage : kPage);
        }
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        event->accept();
        if (press) {
            choose();
        }
        return true;
    case Qt::Key_Escape:
        event->accept(); // also keeps the window's shortcuts from taking it
        if (press) {
            close();
        }
        return true;
    default:
        return false;
    }
}

} // namespace athanor
