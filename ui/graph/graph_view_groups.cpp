// The view's part in groups: opening and leaving them, and what is asked about them.
#include "engine/graph/groups.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/group_store.h"

#include <QInputDialog>

namespace athanor {

void GraphView::openGroup(const NodeId& id)
{
    if (m_scene.editor().canOpen(id)) {
        m_scene.editor().open(id);
        showStart();
    }
}

void GraphView::leaveGroup()
{
    if (m_scene.part() != GraphPart::Network || m_scene.document().place().path.empty()) {
        return;
    }
    const NodeId instance = m_scene.document().place().path.back().instance;
    m_scene.editor().leave();
    showStart();
    m_scene.selectOnly(instance);
    showNode(instance);
}

void GraphView::askRepeat(const NodeId& id)
{
    const Node* node = m_scene.graph().find(id);
    if (!node) {
        return;
    }
    bool accepted = false;
    const int times = QInputDialog::getInt(
        this, tr("Repeat the group"),
        tr("How often %1 runs, one after the other:").arg(QString::fromStdString(id)),
        static_cast<int>(repeatOf(*node)), 1, static_cast<int>(kMostRepeats), 1, &accepted);
    if (accepted) {
        m_scene.editor().repeatGroup(id, times);
    }
}

void GraphView::askGroupName(const NodeId& id)
{
    const Node* node = m_scene.graph().find(id);
    if (!node) {
        return;
    }
    bool accepted = false;
    const QString name =
        QInputDialog::getText(this, tr("Rename the group"), tr("Name of the group, for all its uses:"),
                              QLineEdit::Normal, QString::fromStdString(definitionOf(*node)), &accepted);
    if (accepted && !name.isEmpty()) {
        m_scene.editor().renameGroup(id, name.toStdString());
    }
}

void GraphView::keepInLibrary(const NodeId& id)
{
    const Node* node = m_scene.graph().find(id);
    if (!node || !m_groups) {
        return;
    }
    const QString name = QString::fromStdString(definitionOf(*node));
    const Status kept = m_groups->keep(m_scene.document().wholeGraph(m_scene.part()), definitionOf(*node));
    showHint(kept ? tr("%1 is in the library, for all projects").arg(name) : refusalText(kept.error()),
             !kept);
    m_hintTimer.start();
}

void GraphView::addGroup(const QString& key, const QPointF& at)
{
    const QString name = key.section(u':', 1);
    if (key.startsWith(GroupStore::kOfProject)) {
        m_scene.editor().placeGroup(name.toStdString(), at);
    } else if (const LibraryGroup* group = m_groups ? m_groups->find(name) : nullptr) {
        m_scene.editor().placeFromLibrary(*group, at);
    }
}

} // namespace athanor
