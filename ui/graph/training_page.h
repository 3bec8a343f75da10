// GUI thread. The inspector's page for the training part of the project.
#pragma once

#include "ui/bridge/project_document.h"

#include <QWidget>

#include <memory>

class QCheckBox;
class QComboBox;
class QVBoxLayout;

namespace athanor {

class FoldSection;
class KindForm;
class ParamForm;
class ProblemList;
class ScheduleList;
class ScheduleSketch;
class Theme;
class WholeNumberBox;
struct ParamEdit;
struct TrainingSection;

/// Name, length, batch size, optimizer, schedule and every other setting of trainingParams(); kinds and their
/// parameters come from optimizerParams() and schedulerParams(). Each edit is one undo step.
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
    void liveSettingChanged(const QString& path, const athanor::Json& value); ///< null: none
    void fixRequested(const athanor::SuggestedFix& fix);

private:
    struct Section;

    void makeBasics();
    QWidget* makeLength();
    void makeKinds();
    void makeSections();
    void makeToggle(Section& section);
    QWidget* makeWeightsButton();
    void chooseWeights();
    void addSection(const TrainingSection& section);
    void watch(ParamForm* form);
    void refreshBasics();
    void refreshLoader();
    void setLength();
    void setLoaderParameter(const ParamEdit& edit);
    void setOptimizerParameter(const ParamEdit& edit);
    void setInSection(const Section& section, const ParamEdit& edit);
    void set(const std::string& path, const Json& value, const QString& text, const QString& mergeKey = {});
    void showFailure(const Status& status);
    [[nodiscard]] const Node* loader() const;

    ProjectDocument& m_document;
    const Theme& m_theme;
    bool m_runActive = false;
    QVBoxLayout* m_column = nullptr;
    QVBoxLayout* m_basics = nullptr;
    ProblemList* m_failure = nullptr; ///< why the last change was refused
    ProblemList* m_problems = nullptr;
    ParamForm* m_nameForm = nullptr;
    QComboBox* m_lengthUnit = nullptr;
    WholeNumberBox* m_length = nullptr;
    ParamForm* m_loaderForm = nullptr;
    KindForm* m_optimizer = nullptr;
    ScheduleList* m_schedules = nullptr;
    ScheduleSketch* m_sketch = nullptr;
    std::vector<std::unique_ptr<Section>> m_sections;
};

} // namespace athanor
