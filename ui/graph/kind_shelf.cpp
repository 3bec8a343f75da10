#include "ui/graph/kind_shelf.h"

#include "ui/graph/node_text.h"

#include <QSettings>

namespace athanor {
namespace {

QString key(GraphPart part, const char* what)
{
    const auto name = partName(part);
    return QStringLiteral("palette/%1/%2").arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
                                              QString::fromLatin1(what));
}

} // namespace

void KindShelf::setStore(QSettings& store)
{
    m_store = &store;
    for (const GraphPart part : {GraphPart::Data, GraphPart::Network}) {
        shelf(part).favourites = store.value(key(part, "favourites")).toStringList();
        shelf(part).recent = store.value(key(part, "recent")).toStringList().mid(0, kRecent);
    }
    Q_EMIT changed();
}

bool KindShelf::isFavourite(GraphPart part, const QString& kind) const
{
    return shelf(part).favourites.contains(kind);
}

void KindShelf::setFavourite(GraphPart part, const QString& kind, bool on)
{
    if (on == isFavourite(part, kind)) {
        return;
    }
    if (on) {
        shelf(part).favourites << kind;
    } else {
        shelf(part).favourites.removeAll(kind);
    }
    keep(part);
}

void KindShelf::addRecent(GraphPart part, const QString& kind)
{
    QStringList& recent = shelf(part).recent;
    recent.removeAll(kind);
    recent.prepend(kind);
    recent = recent.mid(0, kRecent);
    keep(part);
}

void KindShelf::keep(GraphPart part)
{
    if (m_store) {
        m_store->setValue(key(part, "favourites"), shelf(part).favourites);
        m_store->setValue(key(part, "recent"), shelf(part).recent);
    }
    Q_EMIT changed();
}

} // namespace athanor
