// GUI thread, with two threads inside. Opens the data of the project for a node and reads from it.
#pragma once

#include "engine/data/preview_facts.h"
#include "ui/data/job_thread.h"
#include "ui/data/sample_grid.h"
#include "ui/data/table_view.h"

#include <QObject>

#include <functional>
#include <memory>

namespace athanor {

using PreviewPtr = std::shared_ptr<const DataPreview>;

/// What is looked at.
struct PreviewView {
    NodeId node;
    DataPart part = DataPart::Train;
    std::uint64_t epoch = 0;
    bool compare = true; ///< before beside after
};

/// A sample in full, for the window of its own.
struct FullSample {
    QString name;
    QString label;
    QImage before;
    QImage after;
    QString facts;                  ///< shapes, types and true ranges, a line each
    std::vector<QString> tokens;    ///< of a field of tokens: the words, or the numbers where there are none
    std::vector<std::int64_t> ids;
    QString text;
};

/// Every answer is of the newest question of its kind; answers to older ones are dropped.
class PreviewSource : public QObject {
    Q_OBJECT
public:
    using OpenFunction = std::function<Result<PreviewPtr>(const Project&, const NodeId&, std::stop_token)>;
    explicit PreviewSource(QObject* parent = nullptr);
    ~PreviewSource() override; ///< waits for what cannot be stopped half-way

    void setOpenFunction(OpenFunction function) { m_open = std::move(function); } ///< tests
    void open(const Project& project, const NodeId& node);
    void cancel();                 ///< of opening
    void close();                  ///< forgets all
    [[nodiscard]] bool isOpening() const { return m_opening; }
    [[nodiscard]] const PreviewPtr& preview() const { return m_preview; }

    void readCells(const PreviewView& view, const std::vector<std::int64_t>& positions);
    void readBlock(const PreviewView& view, std::int64_t first);
    void readFull(const PreviewView& view, std::int64_t position);
    void readFacts(const PreviewView& view); ///< of columns, else of the first samples' tensors
    void readClasses();
    void dropQuestions();          ///< the view is another one

Q_SIGNALS:
    void opened();
    void failed(const athanor::Error& error); ///< Cancelled included
    void cellRead(const athanor::SampleCell& cell);
    void blockRead(qint64 first, const athanor::RowModel::Block& block);
    void fullRead(qint64 position, const athanor::FullSample& sample);
    void columnsRead(const athanor::TableFacts& facts);
    void tensorsRead(const std::vector<athanor::ColumnFacts>& fields);
    void classesRead(const std::vector<athanor::PreviewClasses>& classes);

private:
    /// Calls `answer` on the GUI thread unless the view has changed meanwhile.
    template <typename Answer> void post(std::uint64_t generation, Answer answer);

    OpenFunction m_open;
    PreviewPtr m_preview;
    bool m_opening = false;
    std::uint64_t m_generation = 0; ///< of views
    std::uint64_t m_openings = 0;
    JobThread m_reader;
    JobThread m_counter; ///< long looks, which must not keep the samples waiting
};

/// How the samples of a view are laid out.
struct ViewLayout {
    QStringList fields;     ///< "image Float32 3×32×32"
    QStringList columns;    ///< of the table
    bool isTable = true;    ///< there is no picture among the fields
    bool hasTokens = false; ///< there is text, or tokens
};
ViewLayout layoutOf(const DataPreview& preview, const PreviewView& view);

} // namespace athanor
