// GUI thread. The status of a run as an icon and a word.
#pragma once

#include "engine/store/run_store.h"

#include <QStyledItemDelegate>

namespace athanor {

class Theme;

QString runStatusText(RunStatus status); ///< for people, translated

/// The icon repeats what the word says, it never says it alone.
class RunStatusDelegate final : public QStyledItemDelegate {
public:
    RunStatusDelegate(const Theme& theme, QObject* parent);

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    const Theme& m_theme;
};

} // namespace athanor
