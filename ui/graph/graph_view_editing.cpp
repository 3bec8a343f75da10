// The view's part in editing: boxes that open over the canvas, and where new things go.
#include "ui/graph/canvas_actions.h"
#include "ui/graph/comment_item.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/find_bar.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/inline_editor.h"
#include "ui/graph/node_item.h"
#include "ui/graph/node_search.h"
#include "ui/graph/node_text.h"
#include "ui/graph/quick_add.h"

#include <QLabel>
#include <QStyle>

#include <chrono>

namespace athanor {
namespace {

constexpr std::chrono::seconds kHintTime{6};
constexpr double kCommentMargin = 24; ///< around the nodes that a new comment frames
constexpr double kCommentHeader = 20;
constexpr QSizeF kCommentSize(240, 96);
constexpr int kEditorHeight = 26;

} // namespace

void GraphView::makeEditing()
{
    m_quickAdd = new QuickAdd(catalogOf(m_scene.part()), m_scene.theme(), this);
    m_inline = new InlineEditor(this);
    m_findBar = new FindBar([this](const QString& text) { return searchNodes(m_scene.document(), m_scene.part(), text); },
                            m_scene.theme(), this);
    m_hint = new QLabel(this);
    m_hint->setObjectName(QStringLiteral("canvasHint"));
    m_hint->setProperty("look", QStringLiteral("hint"));
    m_hint->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_hint->hide();
    m_hintTimer.setSingleShot(true);
    m_hintTimer.setInterval(kHintTime);
    m_actions = new CanvasActions(*this);
    connect(&m_hintTimer, &QTimer::timeout, this, [this] { showHint({}, false); });
    connect(m_quickAdd, &QuickAdd::chosen, this, [this](const NodeKind& kind) {
        if (const auto then = std::exchange(m_quickAddThen, nullptr)) {
            then(kind);
        }
    });
    connect(m_findBar, &FindBar::found, this, [this](const NodeId& id) {
        m_scene.clearSelection();
        m_scene.selectOnly(id);
        showNode(id);
    });
    connect(&m_scene.editor(), &CanvasEditor::refused, this, [this](const QString& why) {
        showHint(why, true);
        m_hintTimer.start();
    });
    connect(&m_scene.editor(), &CanvasEditor::kindUsed, this, [this](const QString& kind) {
        if (m_shelf) {
            m_shelf->addRecent(m_scene.part(), kind);
        }
    });
    connect(&m_scene.wire(), &WireTool::noteChanged, this, [this](const QString& note, bool refused) {
        m_hintTimer.stop();
        showHint(note, refused);
    });
    connect(&m_scene, &GraphScene::groupDropped, this, &GraphView::addGroup);
    connect(&m_scene.wire(), &WireTool::droppedInSpace, this, &GraphView::quickAddAtWire);
    connect(&m_scene.wire(), &WireTool::aimedAt, this, &GraphView::showNode);
    connect(&m_scene, &QGraphicsScene::selectionChanged, m_actions, &CanvasActions::refresh);
    connect(&m_scene, &GraphScene::contentChanged, m_actions, &CanvasActions::refresh);
    connect(&m_scene, &GraphScene::rebuilt, this, [this] {
        m_quickAdd->close();
        m_inline->close();
        showHint({}, false);
        m_actions->refresh();
    });
}

void GraphView::setShelf(KindShelf& shelf)
{
    m_shelf = &shelf;
}

void GraphView::showHint(const QString& text, bool refused)
{
    m_hint->setText(text);
    m_hint->setProperty("severity", refused ? QStringLiteral("error") : QString());
    m_hint->style()->unpolish(m_hint); // the sheet goes by the property
    m_hint->style()->polish(m_hint);
    m_hint->setVisible(!text.isEmpty());
    m_hint->setAccessibleName(text);
    m_hint->adjustSize();
    placeOverlays();
}

QPointF GraphView::insertPoint() const
{
    return mapToScene(m_cursor.value_or(viewport()->rect().center()));
}

void GraphView::addKind(const QString& name)
{
    const NodeKind* kind = catalogOf(m_scene.part()).find(name.toStdString());
    if (!kind || !m_scene.projectIsOpen()) {
        return;
    }
    const auto current = m_scene.current();
    const auto added = current ? m_scene.editor().addBehind(*kind, *current, m_scene.flow())
                               : m_scene.editor().add(*kind, insertPoint());
    if (added) {
        showNode(*added);
    }
}

void GraphView::openQuickAdd(const QPointF& at, const QString& typed, KindFilter filter, const QString& note,
                             std::function<void(const NodeKind&)> then)
{
    if (!m_scene.projectIsOpen()) {
        return;
    }
    m_quickAddThen = std::move(then);
    m_quickAdd->setRecent(m_shelf ? m_shelf->recent(m_scene.part()) : QStringList());
    m_quickAdd->open(viewport()->mapToParent(mapFromScene(at)), typed, std::move(filter), note);
}

/// Behind the selected node, so that a chain is typed kind by kind; without one, under the cursor.
void GraphView::quickAdd(const QString& typed)
{
    const auto current = m_scene.current();
    const NodeItem* item = current ? m_scene.nodeItem(*current) : nullptr;
    if (!item) {
        quickAddAt(insertPoint(), typed);
        return;
    }
    showNode(*current);
    openQuickAdd(item->box().bottomLeft(), typed, {}, tr("Behind %1").arg(QString::fromStdString(*current)),
                 [this](const NodeKind& kind) { addKind(QString::fromStdString(kind.kind)); });
}

void GraphView::quickAddAt(const QPointF& at, const QString& typed)
{
    openQuickAdd(at, typed, {}, {}, [this, at](const NodeKind& kind) { m_scene.editor().add(kind, at); });
}

void GraphView::quickAddInto(const Edge& edge)
{
    const EdgeItem* item = m_scene.edgeItem(edge);
    if (!item) {
        return;
    }
    const QPointF at = item->middle();
    const auto type = m_scene.editor().typeOf(edge.from);
    openQuickAdd(at, {}, [type](const NodeKind& kind) { return !kind.outputs.empty() && takes(kind, type); },
                 type ? tr("Kinds that take %1").arg(edgeShapeText(type)) : QString(),
                 [this, edge, at](const NodeKind& kind) { m_scene.editor().addIntoEdge(kind, edge, at); });
}

void GraphView::quickAddAtWire(const WireEnd& end, const QPointF& at)
{
    const auto type = end.isOutput ? m_scene.editor().typeOf(end.port) : std::nullopt;
    const auto fits = [isOutput = end.isOutput, type](const NodeKind& kind) {
        return isOutput ? takes(kind, type) : !kind.outputs.empty();
    };
    const QString note = type           ? tr("Kinds that take %1").arg(edgeShapeText(type))
                         : end.isOutput ? tr("Kinds that take an input")
                                        : tr("Kinds that have an output");
    openQuickAdd(at, {}, fits, note, [this, end, at](const NodeKind& kind) { m_scene.editor().addAtWire(kind, end, at); });
}

void GraphView::editSelected()
{
    const CanvasChoice choice = m_scene.choice();
    if (!choice.nodes.empty()) {
        editName(*choice.nodes.begin());
    } else if (!choice.comments.empty()) {
        editComment(*choice.comments.begin());
    }
}

void GraphView::editName(const NodeId& id)
{
    const NodeItem* item = m_scene.nodeItem(id);
    if (!item) {
        return;
    }
    showNode(id);
    QRect rect = mapFromScene(item->box()).boundingRect();
    rect.setHeight(kEditorHeight);
    rect.setWidth(std::max(rect.width(), 120));
    m_inline->open(rect.translated(viewport()->pos()), QString::fromStdString(id), InlineEditor::Lines::One,
                   [this, id](const QString& text) { return m_scene.editor().rename(id, text.toStdString()); });
}

void GraphView::editComment(const std::string& name)
{
    const CommentItem* item = m_scene.commentItem(name);
    const auto comment = m_scene.graph().comments().find(name);
    if (!item || comment == m_scene.graph().comments().end()) {
        return;
    }
    ensureVisible(item->box());
    const QRect rect = mapFromScene(item->box()).boundingRect();
    m_inline->open(rect.translated(viewport()->pos()), QString::fromStdString(comment->second.text),
                   InlineEditor::Lines::Many, [this, name](const QString& text) {
                       const auto& comments = m_scene.graph().comments();
                       if (const auto known = comments.find(name); known != comments.end()) {
                           Comment changed = known->second;
                           changed.text = text.toStdString();
                           m_scene.editor().setComment(name, changed, tr("Write a comment"));
                       }
                       return true;
                   });
}

void GraphView::addComment()
{
    QRectF rect;
    for (const NodeId& id : m_scene.choice().nodes) {
        if (const NodeItem* item = m_scene.nodeItem(id)) {
            rect |= item->box();
        }
    }
    if (rect.isNull()) {
        rect = QRectF(insertPoint(), kCommentSize);
    } else {
        rect.adjust(-kCommentMargin, -kCommentMargin - kCommentHeader, kCommentMargin, kCommentMargin);
    }
    if (const auto name = m_scene.editor().addComment(rect)) {
        editComment(*name);
    }
}

void GraphView::startWire()
{
    const auto current = m_scene.current();
    if (current && !m_scene.wire().startAt(*current)) {
        showHint(tr("%1 is an end: nothing can follow it").arg(QString::fromStdString(*current)), true);
        m_hintTimer.start();
    }
}

void GraphView::find()
{
    m_findBar->open();
    placeOverlays();
}

void GraphView::findNext(int by)
{
    m_findBar->step(by);
}

} // namespace athanor
