#include "ui/graph/node_palette.h"

#include "engine/graph/groups.h"
#include "ui/bridge/project_document.h"
#include "ui/graph/canvas_mime.h"
#include "ui/graph/group_store.h"
#include "ui/graph/kind_search.h"
#include "ui/graph/node_text.h"

#include <QDrag>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QScrollBar>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>

#include <map>

namespace athanor {
namespace {

constexpr int kKindRole = Qt::UserRole;       ///< a kind's name; empty for a section
constexpr int kSectionRole = Qt::UserRole + 1; ///< a section's key

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// Drags a kind's name.
class KindTree : public QTreeWidget {
public:
    using QTreeWidget::QTreeWidget;

protected:
    [[nodiscard]] QMimeData* mimeData(const QList<QTreeWidgetItem*>& items) const override
    {
        const QString kind = items.isEmpty() ? QString() : items.front()->data(0, kKindRole).toString();
        if (kind.isEmpty()) {
            return nullptr;
        }
        auto* mime = new QMimeData;
        mime->setData(QString::fromLatin1(kKindMime), kind.toUtf8());
        return mime;
    }
    [[nodiscard]] QStringList mimeTypes() const override { return {QString::fromLatin1(kKindMime)}; }
};

bool isGroupKey(const QString& key)
{
    return key.startsWith(QLatin1String(GroupStore::kOfProject)) || key.startsWith(QLatin1String(GroupStore::kOfLibrary));
}

} // namespace

NodePalette::NodePalette(const Theme& theme, KindShelf& shelf, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_shelf(shelf)
{
    setObjectName(QStringLiteral("nodePalette"));
    m_search = new QLineEdit(this);
    m_search->setObjectName(QStringLiteral("paletteSearch"));
    m_search->setPlaceholderText(tr("Search kinds"));
    m_search->setAccessibleName(tr("Search the kinds of node"));
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this);
    m_tree = new KindTree(this);
    m_tree->setObjectName(QStringLiteral("paletteTree"));
    m_tree->setAccessibleName(tr("Kinds of node"));
    m_tree->setProperty("look", QStringLiteral("bare"));
    m_tree->setHeaderHidden(true);
    m_tree->setIndentation(spacing::kAround);
    m_tree->setUniformRowHeights(true);
    m_tree->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_tree->setDragEnabled(true);
    m_tree->setDragDropMode(QAbstractItemView::DragOnly);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->setTextElideMode(Qt::ElideRight);
    m_tree->installEventFilter(this);
    m_nothing = new QLabel(tr("No kind is called that, or has it in its help."), this);
    m_nothing->setProperty("look", QStringLiteral("muted"));
    m_nothing->setWordWrap(true);
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(spacing::kInside, spacing::kInside, spacing::kInside, 0);
    column->setSpacing(spacing::kInside);
    column->addWidget(m_search);
    column->addWidget(m_nothing);
    column->addWidget(m_tree, 1);
    setFocusProxy(m_search);
    connect(m_search, &QLineEdit::textChanged, this, &NodePalette::rebuild);
    connect(&shelf, &KindShelf::changed, this, &NodePalette::rebuild);
    connect(&theme, &Theme::changed, this, &NodePalette::rebuild);
    connect(m_tree, &QTreeWidget::itemDoubleClicked, this, &NodePalette::activate);
    connect(m_tree, &QTreeWidget::customContextMenuRequested, this, &NodePalette::showMenu);
    connect(m_tree, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) {
        if (item->data(0, kKindRole).toString().isEmpty()) {
            item->setExpanded(!item->isExpanded());
        }
    });
    const auto remember = [this](const QTreeWidgetItem* item) {
        m_folded[item->data(0, kSectionRole).toString()] = !item->isExpanded();
    };
    connect(m_tree, &QTreeWidget::itemExpanded, this, remember);
    connect(m_tree, &QTreeWidget::itemCollapsed, this, remember);
    rebuild();
}

void NodePalette::setPart(GraphPart part)
{
    if (part != m_part) {
        m_part = part;
        rebuild();
    }
}

void NodePalette::rebuild()
{
    const Place kept = place();
    m_tree->clear();
    const QString pattern = m_search->text().trimmed();
    if (!pattern.isEmpty()) {
        fillFound(pattern);
        return;
    }
    m_nothing->hide();
    m_tree->show();
    const NodeCatalog& catalog = catalogOf(m_part);
    const auto named = [&](const QStringList& names) {
        std::vector<const NodeKind*> kinds;
        for (const QString& name : names) {
            if (const NodeKind* kind = catalog.find(name.toStdString())) {
                kinds.push_back(kind);
            }
        }
        return kinds;
    };
    addSection(QStringLiteral("favourites"), tr("Favourites"), named(m_shelf.favourites(m_part)));
    addSection(QStringLiteral("recent"), tr("Recent"), named(m_shelf.recent(m_part)));
    std::map<NodeFamily, std::vector<const NodeKind*>> families;
    addGroups({});
    for (const NodeKind& kind : catalog.kinds()) {
        if (kind.kind != kGroupKind) { // they are placed by their names
            families[kind.family].push_back(&kind);
        }
    }
    for (const auto& [family, kinds] : families) {
        addSection(text(familyName(family)), text(familyName(family)), kinds);
    }
    comeBackTo(kept);
}

NodePalette::Place NodePalette::place() const
{
    const QTreeWidgetItem* current = m_tree->currentItem();
    if (!current) {
        return {};
    }
    const QTreeWidgetItem* section = current->parent();
    return {section ? section->data(0, kSectionRole).toString() : QString(), current->data(0, kKindRole).toString(),
            m_tree->visualItemRect(current).top()};
}

/// The same kind in the same section becomes current again, and stays where it was under the mouse, although the
/// recent kinds above it may have become more.
void NodePalette::comeBackTo(const Place& kept)
{
    if (kept.kind.isEmpty()) {
        return;
    }
    for (QTreeWidgetItemIterator item(m_tree); *item; ++item) {
        const QTreeWidgetItem* section = (*item)->parent();
        if ((*item)->data(0, kKindRole).toString() == kept.kind && section &&
            section->data(0, kSectionRole).toString() == kept.section) {
            m_tree->setCurrentItem(*item);
            QScrollBar& bar = *m_tree->verticalScrollBar();
            bar.setValue(bar.value() + m_tree->visualItemRect(*item).top() - kept.top);
            return;
        }
    }
}

void NodePalette::addSection(const QString& key, const QString& title, const std::vector<const NodeKind*>& kinds)
{
    if (kinds.empty()) {
        return;
    }
    auto* section = new QTreeWidgetItem(m_tree, {title});
    section->setData(0, kSectionRole, key);
    section->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    QFont heading = m_theme.font(FontRole::Body);
    heading.setWeight(QFont::DemiBold);
    section->setFont(0, heading);
    if (key == u"favourites" || key == u"recent") {
        section->setIcon(0, m_theme.icon(key == u"recent" ? QStringLiteral("history") : QStringLiteral("star"), ColorRole::Muted));
    }
    for (const NodeKind* kind : kinds) {
        auto* item = new QTreeWidgetItem(section, {QString::fromStdString(kind->kind)});
        item->setIcon(0, m_theme.icon(familyIcon(kind->family), familyRole(kind->family)));
        item->setToolTip(0, kindToolTip(*kind));
        item->setData(0, kKindRole, QString::fromStdString(kind->kind));
        item->setData(0, Qt::AccessibleDescriptionRole, QString::fromStdString(kind->title));
    }
    const QSignalBlocker quiet(m_tree);
    section->setExpanded(!m_folded.value(key, false));
}

void NodePalette::setGroups(const ProjectDocument& document, GroupStore& store)
{
    m_document = &document;
    m_store = &store;
    const auto follow = [this] {
        if (projectGroups() != m_shownGroups) {
            rebuild();
        }
    };
    connect(&document, &ProjectDocument::graphChanged, this, follow);
    connect(&document, &ProjectDocument::loaded, this, follow);
    connect(&store, &GroupStore::changed, this, &NodePalette::rebuild);
    rebuild();
}

QStringList NodePalette::projectGroups() const
{
    QStringList names;
    if (m_document) {
        for (const GroupDefinition& definition : m_document->wholeGraph(GraphPart::Network).definitions()) {
            names << QString::fromStdString(definition.name);
        }
    }
    return names;
}

/// Those whose names hold the pattern; all of them for an empty one.
void NodePalette::addGroups(const QString& pattern)
{
    m_shownGroups = projectGroups();
    if (m_part != GraphPart::Network || !m_store) {
        return;
    }
    addGroupSection(tr("Groups of this project"), GroupStore::kOfProject, m_shownGroups, pattern);
    QStringList kept;
    for (const LibraryGroup& group : m_store->library().groups) {
        kept << QString::fromStdString(group.name);
    }
    addGroupSection(tr("Library"), GroupStore::kOfLibrary, kept, pattern);
}

void NodePalette::addGroupSection(const QString& title, const char* prefix, const QStringList& names,
                                  const QString& pattern)
{
    const QStringList found = names.filter(pattern, Qt::CaseInsensitive);
    if (found.isEmpty()) {
        return;
    }
    QTreeWidgetItem* section = nullptr;
    if (pattern.isEmpty()) {
        section = new QTreeWidgetItem(m_tree, {title});
        section->setData(0, kSectionRole, QString::fromLatin1(prefix));
        section->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        QFont heading = m_theme.font(FontRole::Body);
        heading.setWeight(QFont::DemiBold);
        section->setFont(0, heading);
    }
    for (const QString& name : found) {
        auto* item = section ? new QTreeWidgetItem(section, {name}) : new QTreeWidgetItem(m_tree, {name});
        item->setIcon(0, m_theme.icon(familyIcon(NodeFamily::Group), familyRole(NodeFamily::Group)));
        item->setToolTip(0, section ? title : title + QStringLiteral(": ") + name);
        item->setData(0, kKindRole, QString::fromLatin1(prefix) + name);
        item->setData(0, Qt::AccessibleDescriptionRole, title);
    }
    if (section) {
        const QSignalBlocker quiet(m_tree);
        section->setExpanded(!m_folded.value(QString::fromLatin1(prefix), false));
    }
}

void NodePalette::fillFound(const QString& pattern)
{
    addGroups(pattern);
    const bool hasGroup = m_tree->topLevelItemCount() > 0;
    const auto kinds = searchKinds(catalogOf(m_part), pattern);
    for (const NodeKind* kind : kinds) {
        auto* item = new QTreeWidgetItem(m_tree, {QString::fromStdString(kind->kind)});
        item->setIcon(0, m_theme.icon(familyIcon(kind->family), familyRole(kind->family)));
        item->setToolTip(0, kindToolTip(*kind));
        item->setData(0, kKindRole, QString::fromStdString(kind->kind));
    }
    m_nothing->setVisible(kinds.empty() && !hasGroup);
    m_tree->setVisible(!kinds.empty() || hasGroup);
    m_tree->setCurrentItem(m_tree->topLevelItem(0));
}

void NodePalette::activate(const QTreeWidgetItem* item)
{
    const QString kind = item ? item->data(0, kKindRole).toString() : QString();
    if (isGroupKey(kind)) {
        Q_EMIT groupActivated(kind);
    } else if (!kind.isEmpty()) {
        Q_EMIT kindActivated(kind);
    }
}

void NodePalette::moveCurrent(int by)
{
    QTreeWidgetItem* current = m_tree->currentItem();
    QTreeWidgetItem* next = !current ? m_tree->topLevelItem(0) : by < 0 ? m_tree->itemAbove(current) : m_tree->itemBelow(current);
    if (next) {
        m_tree->setCurrentItem(next);
    }
}

void NodePalette::toggleFavourite(const QString& kind)
{
    m_shelf.setFavourite(m_part, kind, !m_shelf.isFavourite(m_part, kind));
}

void NodePalette::showMenu(const QPoint& at)
{
    const QTreeWidgetItem* item = m_tree->itemAt(at);
    const QString kind = item ? item->data(0, kKindRole).toString() : QString();
    if (kind.isEmpty()) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (isGroupKey(kind)) {
        const QString name = kind.section(u':', 1);
        menu->addAction(tr("Add %1").arg(name), this, [this, kind] { Q_EMIT groupActivated(kind); });
        if (kind.startsWith(QLatin1String(GroupStore::kOfLibrary))) {
            menu->addAction(tr("Remove from the library"), this, [this, name] { (void)m_store->remove(name); });
        }
        menu->popup(m_tree->viewport()->mapToGlobal(at));
        return;
    }
    menu->addAction(tr("Add %1").arg(kind), this, [this, kind] { Q_EMIT kindActivated(kind); });
    menu->addAction(m_shelf.isFavourite(m_part, kind) ? tr("Remove from the favourites") : tr("Add to the favourites"), this,
                    [this, kind] { toggleFavourite(kind); });
    menu->popup(m_tree->viewport()->mapToGlobal(at));
}

bool NodePalette::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress) {
        return QWidget::eventFilter(watched, event);
    }
    const auto* key = static_cast<QKeyEvent*>(event);
    const QTreeWidgetItem* current = m_tree->currentItem();
    switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        activate(current);
        return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (watched != m_search) {
            return false; // the tree knows better
        }
        moveCurrent(key->key() == Qt::Key_Up ? -1 : 1);
        return true;
    case Qt::Key_B:
        if (!key->modifiers().testFlag(Qt::ControlModifier) || !current) {
            return false;
        }
        if (const QString kind = current->data(0, kKindRole).toString(); !kind.isEmpty() && !isGroupKey(kind)) {
            toggleFavourite(kind);
        }
        return true;
    case Qt::Key_Escape:
        if (m_search->text().isEmpty()) {
            return false;
        }
        m_search->clear();
        return true;
    default:
        return false;
    }
}

} // namespace athanor
