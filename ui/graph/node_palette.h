// GUI thread. All kinds of node that a canvas can hold, to be dragged or double clicked onto it.
#pragma once

#include "ui/graph/kind_shelf.h"

#include <QHash>
#include <QWidget>

class QLabel;
class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace athanor {

class GroupStore;
class Theme;
struct NodeKind;

/// Kinds by family, favourites and recent ones on top; typing filters over kind, title and help. Enter or a
/// double click asks for the kind; it can be dragged to a canvas; Ctrl+B makes it a favourite.
/// Groups stand in sections of their own, the project's and the library's.
class NodePalette : public QWidget {
    Q_OBJECT
public:
    /// Both references outlive the palette.
    NodePalette(const Theme& theme, KindShelf& shelf, QWidget* parent = nullptr);

    [[nodiscard]] GraphPart part() const { return m_part; }
    void setPart(GraphPart part); ///< which canvas it is for
    /// Groups of the project that is open, and of the library (it outlives the palette).
    void setGroups(const ProjectDocument& document, GroupStore& store);

Q_SIGNALS:
    void kindActivated(const QString& kind);
    void groupActivated(const QString& key); ///< by GroupStore's keys

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What is current, and where on the screen it stands.
    struct Place {
        QString section;
        QString kind;
        int top = 0;
    };
    void rebuild();
    [[nodiscard]] Place place() const;
    void comeBackTo(const Place& kept);
    void addSection(const QString& key, const QString& title, const std::vector<const NodeKind*>& kinds);
    void addGroups(const QString& pattern);
    void addGroupSection(const QString& title, const char* prefix, const QStringList& names, const QString& pattern);
    [[nodiscard]] QStringList projectGroups() const;
    void fillFound(const QString& pattern);
    void activate(const QTreeWidgetItem* item);
    void moveCurrent(int by);
    void showMenu(const QPoint& at);
    void toggleFavourite(const QString& kind);

    const Theme& m_theme;
    KindShelf& m_shelf;
    GraphPart m_part = GraphPart::Network;
    const ProjectDocument* m_document = nullptr;
    GroupStore* m_store = nullptr;
    QStringList m_shownGroups; ///< of the project
    QLineEdit* m_search = nullptr;
    QTreeWidget* m_tree = nullptr;
    QLabel* m_nothing = nullptr;
    QHash<QString, bool> m_folded; ///< by section
};

} // namespace athanor
