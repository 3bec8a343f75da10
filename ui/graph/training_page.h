// GUI thread. The inspector's page for the training part of the project.
#pragma once

#include "ui/bridge/project_document.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QVBoxLayout;

namespace athanor {

class FoldSection;
class ParamForm;
class ProblemList;
class Theme;
struct ParamEdit;
struct TrainingSection;

/// Name, length, batch size, optimizer, schedule and all the rest; kinds and their parameters come from
/// optimizerParams() and schedulerParams().
class TrainingPage : public QWidget {
    Q_OBJECT
public:
    TrainingPage(ProjectDocument& document, const Theme& theme, QWidget* parent);
    ~TrainingPage() override;

    void refresh();      ///< after an edit or another project
    void refreshCheck(); ///< after a check
    void setRunActive(bool active);
    void focusPlace(const QString& where); ///< `training/optimizer/lr`

Q_SIGNALS:
    void liveSettingChanged(const QString& path, double value);

private:
    struct Form; ///< a ParamForm and where its values live
    struct Schedule;

    void makeBasics();
    void makeOptimizer();
    void makeSchedules();
    void makeSections();
    ParamForm* addForm(std::vector<ParamSpec> specs, const std::string& path, FoldSection& section);
    void refreshBasics();
    void refreshOptimizer();
    void refreshSchedules();
    void refreshSections();
    void setLength();
    void setLoaderParameter(const ParamEdit& edit);
    void setOptimizerKind(const std::string& kind);
    void setOptimizerParameter(const ParamEdit& edit);
    void setSchedules(const Json& schedules, const QString& text, const QString& mergeKey = {});
    void setInSection(const std::string& path, const ParamEdit& edit);
    void set(const std::string& path, const Json& value, const QString& text, const QString& mergeKey = {});
    [[nodiscard]] const Node* loader() const;

    ProjectDocument& m_document;
    const Theme& m_theme;
    bool m_runActive = false;
    Json m_shown; ///< the training part as it is shown
    QVBoxLayout* m_column = nullptr;
    ProblemList* m_failure = nullptr; ///< why the last change was refused
    ProblemList* m_problems = nullptr;
    ParamForm* m_nameForm = nullptr;
    QComboBox* m_lengthUnit = nullptr;
    QSpinBox* m_length = nullptr;
    ParamForm* m_loaderForm = nullptr;
    FoldSection* m_optimizerSection = nullptr;
    QComboBox* m_optimizerKind = nullptr;
    ParamForm* m_optimizerForm = nullptr;
    std::string m_optimizerFormKind;
    FoldSection* m_scheduleSection = nullptr;
    QCheckBox* m_earlyStopping = nullptr;
    std::vector<Form> m_forms;
    std::vector<Schedule> m_schedules;
};

} // namespace athanor
