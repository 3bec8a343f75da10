// GUI thread. Editors for `{"kind": …, parameters…}`: an optimizer, the schedulers.
#pragma once

#include "engine/project/project.h"
#include "ui/graph/param_form.h"

#include <QWidget>

#include <functional>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QToolButton;
class QVBoxLayout;

namespace athanor {

class Theme;

/// The kinds to choose from, and what each takes.
struct KindChoice {
    std::vector<std::string> kinds;
    std::function<const std::vector<ParamSpec>*(const std::string&)> paramsOf;
    std::vector<ParamSpec> besides; ///< parameters that every kind takes too (`interval`)
};

/// A box for the kind and a form for its parameters.
class KindForm : public QWidget {
    Q_OBJECT
public:
    /// `name` is the objectName; the box is called `<name>Kind`.
    KindForm(const QString& name, KindChoice choice, const Theme& theme, QWidget* parent);

    void showValue(const Json& value); ///< {"kind": …, parameters…}
    [[nodiscard]] const Json& value() const { return m_value; }
    [[nodiscard]] ParamForm* form() const { return m_form; }
    void setRunActive(bool active);
    void setCorner(QWidget* widget); ///< right of the kind's box

Q_SIGNALS:
    void kindChosen(const QString& kind);
    void edited(const athanor::ParamEdit& edit);
    void editingEnded();

private:
    void makeForm(const std::string& kind);
    KindChoice m_choice;
    const Theme& m_theme;
    Json m_value;
    std::string m_formKind;
    QHBoxLayout* m_kindRow;
    QComboBox* m_kind;
    ParamForm* m_form = nullptr;
    bool m_runActive = false;
};

/// The schedulers that run one after the other; adds and removes.
class ScheduleList : public QWidget {
    Q_OBJECT
public:
    ScheduleList(const Theme& theme, QWidget* parent);

    void showValue(const Json& schedulers); ///< an array of {"kind": …}
    /// Marks the problems below `training/scheduler`; details are `0/gamma`, or `gamma` for a single one.
    void showProblems(const std::vector<NodeProblem>& problems);
    [[nodiscard]] const Json& wished() const { return m_wished; }

Q_SIGNALS:
    /// The list is to become wished(); edits with the same key may merge.
    void edited(const QString& mergeKey);
    void editingEnded();

private:
    void makeEntry(std::size_t index);
    void wish(Json schedulers, const QString& mergeKey = {});
    void add();

    const Theme& m_theme;
    Json m_value = Json::array();
    Json m_wished = Json::array();
    std::vector<KindForm*> m_entries;
    QVBoxLayout* m_column = nullptr;
    QToolButton* m_add = nullptr;
};

} // namespace athanor
