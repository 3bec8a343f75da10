// GUI thread. The entries of the command palette that fit what was typed, the best first.
#pragma once

#include <QAbstractListModel>
#include <QIcon>
#include <QString>

#include <functional>
#include <vector>

namespace athanor {

struct PaletteEntry {
    QString title;
    QString detail; ///< what kind of thing it is, or its shortcut; drawn muted on the right
    QIcon icon;
    std::function<void()> carryOut;
};

class PaletteModel : public QAbstractListModel {
    Q_OBJECT
public:
    static constexpr std::size_t kShown = 200; ///< at most; nobody scrolls further
    enum Role { DetailRole = Qt::UserRole + 1, PositionsRole };

    using QAbstractListModel::QAbstractListModel;

    void setEntries(std::vector<PaletteEntry> entries); ///< forgets what was typed
    void setPattern(const QString& pattern);
    [[nodiscard]] const PaletteEntry& entry(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    struct Shown {
        std::size_t entry = 0;
        int score = 0;
        std::vector<int> positions; ///< of the matched letters
    };
    std::vector<PaletteEntry> m_entries;
    std::vector<Shown> m_shown;
};

} // namespace athanor
