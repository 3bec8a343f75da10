#include "ui/compare/table_look.h"

#include <QHeaderView>
#include <QTableWidget>

namespace athanor {

void useComparisonLook(QTableWidget& table)
{
    table.setProperty("look", QStringLiteral("bare"));
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setAlternatingRowColors(true);
    table.setShowGrid(false);
    table.setTabKeyNavigation(false);
    table.verticalHeader()->hide();
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table.horizontalHeader()->setHighlightSections(false);
}

} // namespace athanor
