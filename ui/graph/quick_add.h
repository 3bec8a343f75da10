// GUI thread. The box that adds a node by typing: opens where the node is to be.
#pragma once

#include "ui/graph/kind_search.h"
#include "ui/graph/kind_shelf.h"

#include <QFrame>

class QLabel;
class QLineEdit;
class QListWidget;

namespace athanor {

class Theme;

/// Enter or a click adds the chosen kind, arrows choose, Escape or a click elsewhere gives up.
class QuickAdd : public QFrame {
    Q_OBJECT
public:
    /// `parent` is the view it lies over; all references outlive it.
    QuickAdd(const NodeCatalog& catalog, const Theme& theme, QWidget* parent);

    /// `at` in the parent's px. `note` says what the kinds are chosen by (a shape), empty: nothing to say.
    void open(const QPoint& at, const QString& typed, KindFilter filter = {}, const QString& note = {});
    void close();
    void setRecent(const QStringList& kinds) { m_recent = kinds; } ///< listed first while nothing is typed

Q_SIGNALS:
    void chosen(const athanor::NodeKind& kind);
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter();
    void choose();
    void moveRow(int by);

    const NodeCatalog& m_catalog;
    const Theme& m_theme;
    KindFilter m_filter;
    QString m_note;
    QStringList m_recent;
    QLineEdit* m_input = nullptr;
    QListWidget* m_list = nullptr;
    QLabel* m_label = nullptr;
};

} // namespace athanor
