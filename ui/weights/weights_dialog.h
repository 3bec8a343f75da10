// GUI thread; files are read on a worker. Chooses the weights that a run starts from.
#pragma once

#include "ui/bridge/newest_worker.h"
#include "ui/weights/weights_choice.h"

#include <QDialog>

class QCheckBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace athanor {

class Theme;
class WeightsModel;

/// A file (typed, chosen or dropped), what it holds, and a table of the network's tensors with what fills each; names that
/// do not fit are joined by hand or by the suggestion of order and shape. What is not loaded is always said.
class WeightsDialog : public QDialog {
    Q_OBJECT
public:
    /// Starts with the file and the names of `project`. `inspect` is for tests.
    WeightsDialog(Project project, const Theme& theme, QWidget* parent, InspectFunction inspect = &inspectWeights);
    ~WeightsDialog() override;

    /// Valid after accept(); an empty file: fresh weights.
    [[nodiscard]] const WeightsChoice& choice() const { return m_choice; }
    [[nodiscard]] bool isReading() const;

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct Job {
        Project project;
        std::filesystem::path file;
        InspectFunction inspect;
    };
    using Answer = std::optional<Result<WeightsReport>>;

    QLayout* makeFileRow();
    QWidget* makeTable();
    QLayout* makeTools();
    QWidget* makeButtons();
    void browse();
    void read();
    void receive(const Result<WeightsReport>& report);
    void showError(const Error& error);
    enum class Summary { Plain, Error };
    void showSummary(const QString& text, Summary kind);
    void showMapping();
    void showLeftOver();
    void applyFilter();
    void take(const std::filesystem::path& file);
    void finish(WeightsChoice choice);

    Project m_project;
    const Theme& m_theme;
    InspectFunction m_inspect;
    WeightsChoice m_choice;
    WeightsModel* m_model;
    QSortFilterProxyModel* m_shown;
    QLineEdit* m_file = nullptr;
    QProgressBar* m_busy = nullptr;
    QLabel* m_contents = nullptr;
    QLabel* m_summary = nullptr;
    QLineEdit* m_filter = nullptr;
    QCheckBox* m_onlyOpen = nullptr;
    QTableView* m_table = nullptr;
    QLabel* m_leftOverTitle = nullptr;
    QListWidget* m_leftOver = nullptr;
    QPushButton* m_suggest = nullptr;
    QPushButton* m_forget = nullptr;
    QPushButton* m_accept = nullptr;
    NewestWorker<Job, Answer> m_worker; ///< last: joined first
};

} // namespace athanor
