// GUI thread. The kinds of node that a person likes and used last, for both catalogs.
#pragma once

#include "ui/bridge/project_document.h"

#include <QObject>
#include <QStringList>

#include <array>

class QSettings;

namespace athanor {

class KindShelf : public QObject {
    Q_OBJECT
public:
    static constexpr int kRecent = 6; ///< as many as are kept

    using QObject::QObject;
    /// Reads what was kept, and keeps what changes from now on. `store` outlives the shelf.
    void setStore(QSettings& store);

    [[nodiscard]] const QStringList& favourites(GraphPart part) const { return shelf(part).favourites; }
    [[nodiscard]] const QStringList& recent(GraphPart part) const { return shelf(part).recent; } ///< newest first
    [[nodiscard]] bool isFavourite(GraphPart part, const QString& kind) const;
    void setFavourite(GraphPart part, const QString& kind, bool on);
    void addRecent(GraphPart part, const QString& kind);

Q_SIGNALS:
    void changed();

private:
    struct Shelf {
        QStringList favourites;
        QStringList recent;
    };
    [[nodiscard]] const Shelf& shelf(GraphPart part) const { return m_shelves[part == GraphPart::Data ? 0 : 1]; }
    [[nodiscard]] Shelf& shelf(GraphPart part) { return m_shelves[part == GraphPart::Data ? 0 : 1]; }
    void keep(GraphPart part);

    std::array<Shelf, 2> m_shelves;
    QSettings* m_store = nullptr;
};

} // namespace athanor
