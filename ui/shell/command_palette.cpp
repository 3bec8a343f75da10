#include "ui/shell/command_palette.h"

#include "ui/shell/palette_delegate.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kWidth = 560;
constexpr int kHeight = 380;
constexpr int kTop = 64;

} // namespace

CommandPalette::CommandPalette(Theme& theme, QWidget* parent) : QFrame(parent)
{
    setObjectName(QStringLiteral("commandPalette"));
    setProperty("look", QStringLiteral("card"));
    setAutoFillBackground(true);
    hide();

    m_input = new QLineEdit;
    m_input->setObjectName(QStringLiteral("paletteInput"));
    m_input->setPlaceholderText(tr("Find an action, a node, a series or a run"));
    m_input->setAccessibleName(m_input->placeholderText());
    m_input->installEventFilter(this);
    m_list = new QListView;
    m_list->setObjectName(QStringLiteral("paletteList"));
    m_list->setAccessibleName(tr("Found"));
    m_list->setModel(&m_model);
    m_list->setItemDelegate(new PaletteDelegate(theme, m_list));
    m_list->setUniformItemSizes(true);
    m_list->setProperty("look", QStringLiteral("bare"));
    m_list->setFocusPolicy(Qt::NoFocus); // the keys go to the input line, which hands them on
    m_nothing = new QLabel(tr("Nothing has these letters in this order."));
    m_nothing->setProperty("look", QStringLiteral("muted"));
    m_nothing->setAlignment(Qt::AlignCenter);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    layout->setSpacing(spacing::kBetween);
    layout->addWidget(m_input);
    layout->addWidget(m_nothing, 1);
    layout->addWidget(m_list, 1);

    connect(m_input, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_list, &QListView::clicked, this, &CommandPalette::carryOut);
    parent->installEventFilter(this);
}

void CommandPalette::open(std::vector<PaletteEntry> entries)
{
    m_focusBefore = QApplication::focusWidget();
    m_model.setEntries(std::move(entries));
    m_input->clear();
    filter();
    place();
    show();
    raise();
    m_input->setFocus(Qt::ShortcutFocusReason);
}

void CommandPalette::close()
{
    if (isHidden())
        return;
    const bool hadFocus = m_input->hasFocus();
    hide();
    if (hadFocus && m_focusBefore != nullptr && m_focusBefore->isVisible())
        m_focusBefore->setFocus(Qt::OtherFocusReason);
    m_focusBefore = nullptr;
}

void CommandPalette::place()
{
    const QSize room = parentWidget()->size();
    const QSize size(std::min(kWidth, room.width() - 2 * spacing::kAround),
                     std::min(kHeight, room.height() - kTop - spacing::kAround));
    setGeometry(QRect(QPoint((room.width() - size.width()) / 2, kTop), size));
}

void CommandPalette::filter()
{
    m_model.setPattern(m_input->text());
    const bool isEmpty = m_model.rowCount() == 0;
    m_list->setVisible(!isEmpty);
    m_nothing->setVisible(isEmpty);
    m_list->setCurrentIndex(m_model.index(0));
}

void CommandPalette::moveSelection(int by)
{
    const int count = m_model.rowCount();
    if (count > 0)
        m_list->setCurrentIndex(m_model.index(std::clamp(m_list->currentIndex().row() + by, 0, count - 1)));
}

void CommandPalette::carryOut(const QModelIndex& index)
{
    if (!index.isValid())
        return;
    const auto function = m_model.entry(index.row()).carryOut;
    close();
    function();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize && isVisible())
            place();
        return QFrame::eventFilter(watched, event);
    }
    if (event->type() == QEvent::FocusOut) {
        close();
        return false;
    }
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return QFrame::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool isOurs = key == Qt::Key_Escape || key == Qt::Key_Up || key == Qt::Key_Down ||
                        key == Qt::Key_PageUp || key == Qt::Key_PageDown || key == Qt::Key_Return ||
                        key == Qt::Key_Enter;
    if (!isOurs)
        return false;
    event->accept(); // also keeps the window's shortcuts from taking it
    if (event->type() == QEvent::ShortcutOverride)
        return true;
    constexpr int kPage = 10;
    switch (key) {
    case Qt::Key_Escape:
        close();
        break;
    case Qt::Key_Up:
        moveSelection(-1);
        break;
    case Qt::Key_Down:
        moveSelection(1);
        break;
    case Qt::Key_PageUp:
        moveSelection(-kPage);
        break;
    case Qt::Key_PageDown:
        moveSelection(kPage);
        break;
    default:
        carryOut(m_list->currentIndex());
        break;
    }
    return true;
}

} // namespace athanor
