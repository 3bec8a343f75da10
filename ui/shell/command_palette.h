// GUI thread. Ctrl+K: everything there is to do or to go to, found by typing a few letters of it.
#pragma once

#include "ui/shell/palette_model.h"

#include <QFrame>
#include <QPointer>

class QLabel;
class QLineEdit;
class QListView;

namespace athanor {

class Theme;

/// Lies over its parent window. Enter or a click carries out the chosen entry, Escape or the loss of the
/// focus closes it; the focus returns to where it was.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    CommandPalette(Theme& theme, QWidget* parent);

    /// Opens with these entries; they are asked for anew each time, so nothing is out of date.
    void open(std::vector<PaletteEntry> entries);
    void close();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();
    void filter();
    void moveSelection(int by);
    void carryOut(const QModelIndex& index);

    PaletteModel m_model;
    QLineEdit* m_input = nullptr;
    QListView* m_list = nullptr;
    QLabel* m_nothing = nullptr;
    QPointer<QWidget> m_focusBefore;
};

} // namespace athanor
