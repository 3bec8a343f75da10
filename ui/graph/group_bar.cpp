#include "ui/graph/group_bar.h"

#include "engine/graph/groups.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace athanor {

GroupBar::GroupBar(ProjectDocument& document, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_document(document), m_theme(theme)
{
    setObjectName(QStringLiteral("groupBar"));
    m_row = new QHBoxLayout(this);
    m_row->setContentsMargins(spacing::kBetween, spacing::kInside, spacing::kBetween, spacing::kInside);
    m_row->setSpacing(spacing::kInside);
    connect(&document, &ProjectDocument::placeChanged, this, &GroupBar::refresh);
    connect(&document, &ProjectDocument::loaded, this, &GroupBar::refresh);
    connect(&document, &ProjectDocument::graphChanged, this,
            &GroupBar::refresh); // names and copies may be others
    refresh();
}

void GroupBar::refresh()
{
    while (QLayoutItem* item = m_row->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater(); // it may be the one that was clicked
        }
        delete item;
    }
    const GroupPath& path = m_document.place().path;
    setVisible(!path.empty());
    if (path.empty()) {
        return;
    }
    addStep(tr("Network"), 0);
    for (std::size_t depth = 1; depth <= path.size(); ++depth) {
        m_row->addWidget(new QLabel(QStringLiteral("›"), this));
        const GroupPath upTo(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth));
        const GroupPlace place = placeAt(m_document.wholeGraph(GraphPart::Network), upTo);
        addStep(QStringLiteral("%1 (%2)").arg(QString::fromStdString(upTo.back().instance),
                                              QString::fromStdString(place.definition)),
                depth);
    }
    addCopyChoice();
    m_row->addStretch(1);
    auto* note = new QLabel(tr("Changes every %1").arg(QString::fromStdString(m_document.place().definition)), this);
    note->setToolTip(tr("What you change here changes wherever this group is used."));
    note->setObjectName(QStringLiteral("groupNote"));
    note->setProperty("look", QStringLiteral("muted"));
    note->setMinimumWidth(0);
    note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_row->addWidget(note, 100);
    note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
}

void GroupBar::addStep(const QString& text, std::size_t depth)
{
    auto* button = new QToolButton(this);
    button->setObjectName(QStringLiteral("groupStep%1").arg(depth));
    button->setText(text);
    const GroupPath& path = m_document.place().path;
    button->setEnabled(depth < path.size());
    button->setToolTip(depth + 1 == path.size() ? tr("Back to %1 (Esc)").arg(text)
                                                : tr("Back to %1").arg(text));
    connect(button, &QToolButton::clicked, this, [this, depth] {
        const GroupPath& now = m_document.place().path;
        m_document.showPlace(
            {now.begin(), now.begin() + static_cast<std::ptrdiff_t>(std::min(depth, now.size()))});
    });
    m_row->addWidget(button);
}

void GroupBar::addCopyChoice()
{
    const GroupPath path = m_document.place().path;
    const GroupPath above(path.begin(), path.end() - 1);
    const GroupPlace place = placeAt(m_document.wholeGraph(GraphPart::Network), above);
    const Graph level = place.definition.empty()
                            ? m_document.wholeGraph(GraphPart::Network)
                            : insideOf(m_document.wholeGraph(GraphPart::Network), place.definition);
    const Node* node = level.find(path.back().instance);
    if (node && isShared(*node)) {
        node = level.find(ownerOf(*node));
    }
    const std::int64_t copies = node ? repeatOf(*node) : 1;
    if (copies < 2) {
        return;
    }
    auto* box = new QComboBox(this);
    box->setObjectName(QStringLiteral("groupCopy"));
    box->setAccessibleName(tr("Copy whose shapes are shown"));
    box->setToolTip(box->accessibleName());
    for (std::int64_t copy = 0; copy < copies; ++copy) {
        box->addItem(tr("copy %1 of %2").arg(copy + 1).arg(copies));
    }
    box->setCurrentIndex(static_cast<int>(path.back().copy));
    connect(box, &QComboBox::activated, this, [this](int copy) {
        GroupPath other = m_document.place().path;
        other.back().copy = copy;
        m_document.showPlace(other);
    });
    m_row->addWidget(box);
}

} // namespace athanor
