// GUI thread. Samples as they leave the data node that is selected.
#pragma once

#include "ui/bridge/project_document.h"
#include "ui/data/preview_source.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

class QComboBox;
class QDialog;
class QLabel;
class QProgressBar;
class QPushButton;
class QSettings;
class QStackedWidget;
class QTableView;
class QTabWidget;
class QTextBrowser;
class QToolButton;
class QVBoxLayout;

namespace athanor {

class ClassBars;
class TaskList;
class Theme;

/// Opens the data when it is first looked at, and again after a change of the data graph; never while hidden.
class PreviewPanel : public QWidget {
    Q_OBJECT
public:
    /// References outlive the panel.
    PreviewPanel(const Theme& theme, ProjectDocument& document, Selection& selection, TaskList& tasks,
                 QSettings& settings, QWidget* parent = nullptr);
    ~PreviewPanel() override;

    [[nodiscard]] PreviewSource& source() { return m_source; }
    /// Goes to a sample: an index of its data set, as findings name it.
    void showSample(const NodeId& node, DataPart part, std::int64_t index);
    [[nodiscard]] const NodeId& node() const { return m_view.node; }

Q_SIGNALS:
    void placeActivated(const QString& where);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeMessage();
    QWidget* makeSamplesPage();
    QWidget* makeTensorPage();
    void wireSource();
    void follow();            ///< the selection
    void dataChanged();
    void refresh();           ///< opens what is not open, else shows it
    void showOpened();
    void showPart();          ///< of what is open
    void showDraw();          ///< another epoch
    void showError(const Error& error);
    void showMessage(const QString& title, const QString& text, const QString& button);
    void showTensors(const std::vector<ColumnFacts>& fields);
    void readFull(std::int64_t position);
    void showFull(qint64 position, const FullSample& sample);
    void endTask();
    [[nodiscard]] NodeId nodeToShow() const;
    [[nodiscard]] bool isTable() const;
    [[nodiscard]] PreviewView view() const;

    const Theme& m_theme;
    ProjectDocument& m_document;
    Selection& m_selection;
    TaskList& m_tasks;
    QSettings& m_settings;
    PreviewView m_view;
    bool m_stale = true;     ///< the data graph is another one since opening
    int m_task = 0;
    std::optional<std::pair<DataPart, std::int64_t>> m_goal; ///< of showSample(), once it is open
    QString m_errorPlace;
    QTimer m_reopen;
    QTimer m_redraw; ///< many quick draws are one

    QLabel* m_title = nullptr;
    QLabel* m_shape = nullptr;
    QComboBox* m_part = nullptr;
    QToolButton* m_compare = nullptr;
    QPushButton* m_reroll = nullptr;
    QLabel* m_note = nullptr;
    QWidget* m_progress = nullptr;
    QStackedWidget* m_stack = nullptr;
    QLabel* m_messageTitle = nullptr;
    QLabel* m_messageText = nullptr;
    QPushButton* m_messageButton = nullptr;
    QTabWidget* m_tabs = nullptr;
    QStackedWidget* m_samples = nullptr;
    SampleGrid* m_grid = nullptr;
    QTableView* m_table = nullptr;
    RowModel* m_rows = nullptr;
    HistogramHeader* m_header = nullptr;
    QTextBrowser* m_tokens = nullptr;
    QVBoxLayout* m_tensors = nullptr;
    ClassBars* m_classes = nullptr;
    QPointer<QDialog> m_dialog;

    PreviewSource m_source; ///< last: its threads end before the rest goes
};

} // namespace athanor
