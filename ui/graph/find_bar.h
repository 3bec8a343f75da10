// GUI thread. The bar over a canvas that finds nodes.
#pragma once

#include "engine/graph/graph.h"

#include <QFrame>

#include <functional>

class QLabel;
class QLineEdit;

namespace athanor {

class Theme;

/// Enter goes to the next one found, Shift+Enter back, Escape closes.
class FindBar : public QFrame {
    Q_OBJECT
public:
    using Search = std::function<std::vector<NodeId>(const QString&)>;
    FindBar(Search search, const Theme& theme, QWidget* parent);

    void open();
    void close();
    void step(int by); ///< to the next or the one before, round and round

Q_SIGNALS:
    void found(const std::string& node);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search();
    void report();

    Search m_search;
    QLineEdit* m_input = nullptr;
    QLabel* m_count = nullptr;
    std::vector<NodeId> m_found;
    std::size_t m_current = 0;
};

} // namespace athanor
