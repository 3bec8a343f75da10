#include "ui/graph/canvas_actions.h"

#include "ui/graph/comment_item.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/problem_places.h"
#include "ui/graph/node_text.h"

#include <QAction>
#include <QMenu>
#include <QPixmap>

namespace athanor {
namespace {

constexpr int kSwatch = 12;

QString colourName(const std::string& color)
{
    return color.empty() ? CanvasActions::tr("Grey") : CanvasActions::tr("Like %1").arg(QString::fromStdString(color));
}

} // namespace

CanvasActions::CanvasActions(GraphView& view) : QObject(&view), m_view(view)
{
    makeEditing();
    makeGrouping();
    makeArranging();
    makeViewing();
    refresh();
}

template <typename Run>
QAction* CanvasActions::add(const char* name, const QString& text, const QList<QKeySequence>& keys, Run run)
{
    auto* action = new QAction(text, this);
    action->setObjectName(QString::fromLatin1(name));
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    m_view.addAction(action);
    m_order << action;
    connect(action, &QAction::triggered, &m_view, run);
    return action;
}

void CanvasActions::makeEditing()
{
    GraphView& view = m_view;
    CanvasEditor& editor = view.graphScene()->editor();
    GraphScene& scene = *view.graphScene();
    add("cutAction", tr("Cut"), {QKeySequence::Cut}, [&] { editor.cut(scene.choice()); });
    add("copyAction", tr("Copy"), {QKeySequence::Copy}, [&] { editor.copy(scene.choice()); });
    add("pasteAction", tr("Paste"), {QKeySequence::Paste}, [&] { editor.paste(view.insertPoint()); });
    add("duplicateAction", tr("Duplicate"), {Qt::CTRL | Qt::Key_D}, [&] { editor.duplicate(scene.choice()); });
    add("deleteAction", tr("Delete, joining the neighbours"), {Qt::Key_Delete, Qt::Key_Backspace},
        [&] { editor.remove(scene.choice(), Healing::Join); });
    add("deleteOpenAction", tr("Delete, leaving a gap"), {Qt::SHIFT | Qt::Key_Delete},
        [&] { editor.remove(scene.choice(), Healing::Leave); });
    separate();
    add("renameAction", tr("Rename…"), {Qt::Key_F2}, [&] { view.editSelected(); });
    add("addNodeAction", tr("Add a node…"), {Qt::Key_Insert}, [&] { view.quickAdd({}); });
    add("connectAction", tr("Connect to…"), {Qt::CTRL | Qt::Key_J}, [&] { view.startWire(); });
    add("commentAction", tr("Add a comment"), {Qt::CTRL | Qt::Key_M}, [&] { view.addComment(); });
    separate();
    add("selectAllAction", tr("Select all"), {QKeySequence::SelectAll}, [&] { scene.selectAll(); });
    add("findAction", tr("Find a node…"), {QKeySequence::Find}, [&] { view.find(); });
    add("findNextAction", tr("Find the next one"), {Qt::Key_F3}, [&] { view.findNext(1); });
    add("findPreviousAction", tr("Find the one before"), {Qt::SHIFT | Qt::Key_F3}, [&] { view.findNext(-1); });
    separate();
}

void CanvasActions::makeGrouping()
{
    GraphView& view = m_view;
    CanvasEditor& editor = view.graphScene()->editor();
    GraphScene& scene = *view.graphScene();
    // Runs on the one node that is selected; refresh() sees to it that there is one.
    const auto onCurrent = [&](auto run) {
        return [&scene, run] {
            if (const auto id = scene.current()) {
                run(*id);
            }
        };
    };
    add("groupAction", tr("Make a group"), {Qt::CTRL | Qt::Key_G}, [&] { editor.makeGroup(scene.choice().nodes); });
    add("ungroupAction", tr("Ungroup"), {Qt::CTRL | Qt::SHIFT | Qt::Key_G},
        onCurrent([&](const NodeId& id) { editor.ungroup(id); }));
    add("openGroupAction", tr("Open the group"), {Qt::Key_Return, Qt::Key_Enter},
        onCurrent([&](const NodeId& id) { view.openGroup(id); }));
    add("leaveGroupAction", tr("Leave the group"), {Qt::CTRL | Qt::Key_Up}, [&] { view.leaveGroup(); });
    add("useAgainAction", tr("Use the group again"), {Qt::CTRL | Qt::ALT | Qt::Key_G},
        onCurrent([&](const NodeId& id) { editor.placeAgain(id); }));
    add("repeatGroupAction", tr("Repeat the group…"), {Qt::CTRL | Qt::Key_R},
        onCurrent([&](const NodeId& id) { view.askRepeat(id); }));
    add("renameGroupAction", tr("Rename the group…"), {Qt::SHIFT | Qt::Key_F2},
        onCurrent([&](const NodeId& id) { view.askGroupName(id); }));
    add("detachGroupAction", tr("Detach from the group"), {}, onCurrent([&](const NodeId& id) { editor.detachGroup(id); }));
    add("keepGroupAction", tr("Keep in the library"), {}, onCurrent([&](const NodeId& id) { view.keepInLibrary(id); }));
    add("shareAction", tr("Use its weights again"), {Qt::CTRL | Qt::SHIFT | Qt::Key_D},
        onCurrent([&](const NodeId& id) { editor.shareWeights(id); }));
    separate();
}

void CanvasActions::makeArranging()
{
    CanvasEditor& editor = m_view.graphScene()->editor();
    const auto align = [&](const char* name, const QString& text, const QList<QKeySequence>& keys, Alignment alignment) {
        add(name, text, keys, [&editor, alignment] { editor.align(alignment); });
    };
    align("alignLeftAction", tr("Align the left edges"), {Qt::CTRL | Qt::SHIFT | Qt::Key_Left}, Alignment::Left);
    align("alignCentreAction", tr("Align in a column"), {}, Alignment::Centre);
    align("alignRightAction", tr("Align the right edges"), {Qt::CTRL | Qt::SHIFT | Qt::Key_Right}, Alignment::Right);
    align("alignTopAction", tr("Align the top edges"), {Qt::CTRL | Qt::SHIFT | Qt::Key_Up}, Alignment::Top);
    align("alignMiddleAction", tr("Align in a row"), {}, Alignment::Middle);
    align("alignBottomAction", tr("Align the bottom edges"), {Qt::CTRL | Qt::SHIFT | Qt::Key_Down}, Alignment::Bottom);
    add("distributeAcrossAction", tr("Space evenly across"), {Qt::CTRL | Qt::ALT | Qt::Key_H},
        [&editor] { editor.distribute(Axis::Horizontal); });
    add("distributeDownAction", tr("Space evenly down"), {Qt::CTRL | Qt::ALT | Qt::Key_V},
        [&editor] { editor.distribute(Axis::Vertical); });
    separate();
}

void CanvasActions::makeViewing()
{
    GraphView& view = m_view;
    add("layoutAction", tr("Lay the graph out"), {Qt::CTRL | Qt::Key_L}, [&] { view.layOut(); });
    add("fitAction", tr("Show the whole graph"), {Qt::CTRL | Qt::Key_9}, [&] { view.fit(); });
    add("actualSizeAction", tr("Zoom to 100 %"), {Qt::CTRL | Qt::Key_0}, [&] { view.setZoom(1); });
    add("zoomInAction", tr("Zoom in"), {Qt::Key_Plus, Qt::Key_Equal, QKeySequence::ZoomIn}, [&] { view.zoomIn(); });
    add("zoomOutAction", tr("Zoom out"), {Qt::Key_Minus, QKeySequence::ZoomOut}, [&] { view.zoomOut(); });
}

QAction* CanvasActions::action(const char* name) const
{
    return findChild<QAction*>(QString::fromLatin1(name), Qt::FindDirectChildrenOnly);
}

void CanvasActions::refresh()
{
    const GraphScene& scene = *m_view.graphScene();
    const CanvasChoice choice = scene.choice();
    const auto enable = [&](std::initializer_list<const char*> names, bool on) {
        for (const char* name : names) {
            action(name)->setEnabled(on);
        }
    };
    const bool open = scene.projectIsOpen();
    enable({"cutAction", "copyAction", "duplicateAction"}, !choice.nodes.empty() || !choice.comments.empty());
    enable({"deleteAction", "deleteOpenAction"}, !choice.isEmpty());
    enable({"renameAction"}, choice.nodes.size() + choice.comments.size() == 1);
    enable({"connectAction"}, !choice.nodes.empty());
    enable({"alignLeftAction", "alignCentreAction", "alignRightAction", "alignTopAction", "alignMiddleAction",
            "alignBottomAction"},
           choice.nodes.size() >= 2);
    enable({"distributeAcrossAction", "distributeDownAction"}, choice.nodes.size() >= 3);
    const bool network = scene.part() == GraphPart::Network;
    const bool one = network && choice.nodes.size() == 1;
    const bool isInstance = one && scene.isGroupInstance(*choice.nodes.begin());
    enable({"groupAction"}, network && !choice.nodes.empty());
    enable({"openGroupAction"}, one && m_view.graphScene()->editor().canOpen(*choice.nodes.begin()));
    enable({"ungroupAction", "useAgainAction", "repeatGroupAction", "renameGroupAction", "detachGroupAction",
            "keepGroupAction"},
           isInstance);
    enable({"leaveGroupAction"}, network && !scene.document().place().path.empty());
    enable({"shareAction"}, one);
    enable({"addNodeAction", "pasteAction", "commentAction"}, open);
    enable({"selectAllAction", "findAction", "findNextAction", "findPreviousAction", "layoutAction", "fitAction"},
           !scene.isEmpty());
}

QMenu* CanvasActions::newMenu()
{
    refresh();
    auto* menu = new QMenu(&m_view);
    menu->setObjectName(QStringLiteral("canvasMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    return menu;
}

void CanvasActions::addTo(QMenu& menu, std::initializer_list<const char*> names) const
{
    for (const char* name : names) {
        if (QAction* found = action(name)) {
            menu.addAction(found);
        } else {
            menu.addSeparator();
        }
    }
}

QMenu* CanvasActions::arrangeMenu(QMenu* parent) const
{
    auto* menu = new QMenu(tr("Arrange"), parent);
    addTo(*menu, {"alignLeftAction", "alignCentreAction", "alignRightAction", "", "alignTopAction", "alignMiddleAction",
                  "alignBottomAction", "", "distributeAcrossAction", "distributeDownAction"});
    return menu;
}

QMenu* CanvasActions::canvasMenu()
{
    QMenu* menu = newMenu();
    if (action("leaveGroupAction")->isEnabled()) {
        addTo(*menu, {"leaveGroupAction", ""});
    }
    addTo(*menu, {"addNodeAction", "pasteAction", "commentAction", "", "selectAllAction", "findAction", "", "layoutAction",
                  "fitAction", "actualSizeAction"});
    return menu;
}

/// What cures the problems of the selected node, on top.
void CanvasActions::addFixes(QMenu& menu)
{
    const GraphScene& scene = *m_view.graphScene();
    const auto current = scene.current();
    const auto problems = problemsByNode(scene.document().check().problems, scene.part(), scene.graph());
    const auto own = current ? problems.find(*current) : problems.end();
    if (own == problems.end()) {
        return;
    }
    const std::vector<SuggestedFix> fixes = fixesOf(own->second);
    for (const SuggestedFix& fix : fixes) {
        QAction* action = menu.addAction(scene.theme().icon(QStringLiteral("fix"), ColorRole::Accent), QString::fromStdString(fix.text));
        action->setObjectName(QStringLiteral("fixAction"));
        connect(action, &QAction::triggered, &m_view, [this, fix] { Q_EMIT m_view.fixRequested(fix); });
    }
    if (!fixes.empty()) {
        menu.addSeparator();
    }
}

QMenu* CanvasActions::nodeMenu()
{
    QMenu* menu = newMenu();
    addFixes(*menu);
    addTo(*menu, {"renameAction", "connectAction", "", "cutAction", "copyAction", "duplicateAction", "", "deleteAction",
                  "deleteOpenAction", ""});
    if (m_view.graphScene()->part() == GraphPart::Network) {
        addTo(*menu, {"groupAction"});
        if (action("ungroupAction")->isEnabled()) {
            addTo(*menu, {"openGroupAction", "ungroupAction", "useAgainAction", "repeatGroupAction", "renameGroupAction",
                          "detachGroupAction", "keepGroupAction"});
        }
        addTo(*menu, {"shareAction", ""});
    }
    menu->addMenu(arrangeMenu(menu))->setEnabled(action("alignLeftAction")->isEnabled());
    addTo(*menu, {"commentAction"});
    return menu;
}

QMenu* CanvasActions::edgeMenu(const Edge& edge)
{
    QMenu* menu = newMenu();
    CanvasEditor& editor = m_view.graphScene()->editor();
    menu->addAction(tr("Put a node in…"), &m_view, [this, edge] { m_view.quickAddInto(edge); });
    menu->addAction(tr("Take the wire out"), &m_view, [&editor, edge] { editor.disconnectEdge(edge); });
    menu->addSeparator();
    const auto jump = [&](const NodeId& id) {
        menu->addAction(tr("Go to %1").arg(QString::fromStdString(id)), &m_view, [this, id] {
            m_view.graphScene()->selectOnly(id);
            m_view.showNode(id);
        });
    };
    jump(edge.from.node);
    jump(edge.to.node);
    return menu;
}

QMenu* CanvasActions::commentMenu(const std::string& name)
{
    QMenu* menu = newMenu();
    menu->addAction(tr("Edit the text…"), &m_view, [this, name] { m_view.editComment(name); });
    auto* colours = menu->addMenu(tr("Colour"));
    const auto& comments = m_view.graphScene()->graph().comments();
    const auto known = comments.find(name);
    for (const auto& [color, role] : commentColors()) {
        QPixmap swatch(kSwatch, kSwatch);
        swatch.fill(m_view.graphScene()->theme().color(role));
        QAction* choose = colours->addAction(swatch, colourName(color));
        choose->setCheckable(true);
        choose->setChecked(known != comments.end() && known->second.color == color);
        connect(choose, &QAction::triggered, &m_view, [this, name, color = color] {
            const auto& now = m_view.graphScene()->graph().comments();
            if (const auto comment = now.find(name); comment != now.end()) {
                Comment changed = comment->second;
                changed.color = color;
                m_view.graphScene()->editor().setComment(name, changed, tr("Colour a comment"));
            }
        });
    }
    menu->addSeparator();
    addTo(*menu, {"cutAction", "copyAction", "duplicateAction", "deleteAction"});
    return menu;
}

} // namespace athanor
