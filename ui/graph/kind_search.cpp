#include "ui/graph/kind_search.h"

#include "engine/graph/groups.h"
#include "ui/bridge/fuzzy_match.h"

#include <QTextDocument>

#include <algorithm>
#include <optional>

namespace athanor {
namespace {

constexpr int kNameBonus = 100000;  ///< whatever matches the name comes before whatever matches the title,
constexpr int kTitleBonus = 50000;  ///< and so on; the score orders within each
constexpr int kHelpBonus = 1;
constexpr int kLeastHelp = 3; ///< letters: shorter words occur in every help

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// Letters in order are enough for a kind's name; titles and helps are long, and must hold what was typed.
std::optional<int> scoreOf(const NodeKind& kind, const QString& pattern)
{
    if (const auto match = fuzzyMatch(pattern, text(kind.kind))) {
        const bool whole = text(kind.kind).startsWith(pattern, Qt::CaseInsensitive);
        return kNameBonus + match->score + (whole ? kTitleBonus : 0);
    }
    const QString title = text(kind.title);
    if (title.contains(pattern, Qt::CaseInsensitive)) {
        return kTitleBonus - static_cast<int>(title.indexOf(pattern, 0, Qt::CaseInsensitive));
    }
    const bool inFamily = text(familyName(kind.family)).contains(pattern, Qt::CaseInsensitive);
    if (pattern.size() >= kLeastHelp && (inFamily || text(kind.help).contains(pattern, Qt::CaseInsensitive))) {
        return kHelpBonus + (inFamily ? 1 : 0);
    }
    return std::nullopt;
}

} // namespace

std::vector<const NodeKind*> searchKinds(const NodeCatalog& catalog, const QString& typed, const KindFilter& filter)
{
    const QString pattern = typed.trimmed();
    std::vector<std::pair<int, const NodeKind*>> found;
    for (const NodeKind& kind : catalog.kinds()) {
        if (kind.kind == kGroupKind || (filter && !filter(kind))) {
            continue; // groups are placed by their names
        }
        if (pattern.isEmpty()) {
            found.emplace_back(0, &kind);
        } else if (const auto score = scoreOf(kind, pattern)) {
            found.emplace_back(*score, &kind);
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<const NodeKind*> kinds;
    kinds.reserve(found.size());
    for (const auto& entry : found) {
        kinds.push_back(entry.second);
    }
    return kinds;
}

QString kindToolTip(const NodeKind& kind)
{
    QTextDocument document;
    document.setMarkdown(text(kind.help));
    return QStringLiteral("<qt><b>%1</b> – %2<br>%3</qt>")
        .arg(text(kind.kind).toHtmlEscaped(), text(kind.title).toHtmlEscaped(),
             document.toPlainText().toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
}

} // namespace athanor
