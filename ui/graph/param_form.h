// GUI thread. A form for a set of parameters, made from their ParamSpecs.
#pragma once

#include "engine/graph/node_catalog.h"
#include "ui/graph/problem_places.h"

#include <QWidget>

#include <filesystem>
#include <memory>
#include <set>

class QGridLayout;
class QLabel;
class QToolButton;

namespace athanor {

class Theme;
class ValueEditor;

/// Width of the names' column, so that forms below each other line up, px.
inline constexpr int kNameWidth = 112;

/// What the user did to a parameter.
struct ParamEdit {
    std::string name;
    Json value;         ///< may be a null that means something ("none")
    bool reset = false; ///< back to the default: the parameter is no longer written
    /// What SetParameter takes.
    [[nodiscard]] std::optional<Json> written() const { return reset ? std::nullopt : std::optional(value); }
};

/// One row per parameter: name, editor, a button back to the default once the value is written. Defaults
/// are muted; values that follow from the input are shown, not edited. It holds no values of its own.
class ParamForm : public QWidget {
    Q_OBJECT
public:
    ParamForm(std::vector<ParamSpec> specs, const Theme& theme, std::filesystem::path folder, QWidget* parent);
    ~ParamForm() override;

    /// `written` is what the project says, `complete` holds defaults and inferred values too. Written values
    /// that no spec knows get rows as well, so that they can be seen and removed. A row whose value did not
    /// change is left alone, also while something invalid stands in it.
    void showValues(const Json& written, const Json& complete);
    /// For several nodes at once: parameters whose values differ. Call before showValues().
    void setMixed(std::set<std::string> names) { m_mixed = std::move(names); }
    /// Names of parameters that are written and can go back to a default.
    [[nodiscard]] std::vector<std::string> resettable() const;
    /// Marks the names of parameters that have a problem.
    void showProblems(const std::vector<NodeProblem>& problems);
    /// Shows the lightning at parameters that apply at once while a run is on.
    void setRunActive(bool active);

Q_SIGNALS:
    void edited(const athanor::ParamEdit& edit);
    void editingEnded();
    void detailsRequested(const QString& name); ///< of a parameter that has a window of its own
    void fixRequested(const athanor::SuggestedFix& fix);

private:
    struct Row;
    void addRow(const ParamSpec& spec);
    void report(const Row& row);
    void showRow(Row& row);
    void styleRow(const Row& row);
    void offerFixes(Row& row, std::vector<SuggestedFix> fixes);
    void applyFix(Row& row);
    void restyle();
    [[nodiscard]] Row* find(const std::string& name) const;

    const Theme& m_theme;
    std::filesystem::path m_folder;
    QGridLayout* m_grid;
    std::vector<std::unique_ptr<Row>> m_rows;
    std::set<std::string> m_mixed;
    bool m_runActive = false;
};

} // namespace athanor
