// GUI thread. The Diagnose mode: the list of findings, and for the chosen one evidence, reason and fixes.
#pragma once

#include "engine/diagnose/finding.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTreeView;
class QVBoxLayout;

namespace athanor {

class FindingsModel;
class Theme;

class DiagnosePage : public QWidget {
    Q_OBJECT
public:
    DiagnosePage(Theme& theme, FindingsModel& model, QWidget* parent = nullptr);

    void showFinding(int row);
    /// Decides what the empty page says and offers.
    void setProjectOpen(bool open);
    void setRunActive(bool active);

Q_SIGNALS:
    void placeActivated(const QString& where);
    void fixRequested(const athanor::SuggestedFix& fix);
    void startRequested(); ///< button of the empty page
    void openRequested();  ///< button of the empty page

private:
    QWidget* makeEmptyPage();
    QWidget* makeFindingsPage(Theme& theme);
    void restoreChoice();
    void showDetails();
    void addHeading(const Finding& finding, const QString& place);
    void addEvidence(const Finding& finding);
    void addFixes(const Finding& finding);
    void updateEmptyPage();

    Theme& m_theme;
    FindingsModel& m_model;
    QStackedWidget* m_stack = nullptr;
    QLabel* m_emptyText = nullptr;
    QPushButton* m_emptyButton = nullptr;
    QTreeView* m_list = nullptr;
    QWidget* m_details = nullptr;
    QVBoxLayout* m_detailsLayout = nullptr;
    QString m_chosenKey; ///< survives updates of the model
    bool m_projectOpen = false;
    bool m_runActive = false;
};

} // namespace athanor
