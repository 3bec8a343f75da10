// The changing half of RunListModel: what a person writes, marks and deletes, and takes back again.
#include "engine/store/run_trash.h"
#include "ui/bridge/run_list_model.h"
#include "ui/bridge/run_list_reader.h"
#include "ui/bridge/text_format.h"

#include <QUndoCommand>

#include <algorithm>
#include <set>
#include <utility>

namespace athanor {
namespace {

/// A change that is made by `apply(true)` and taken back by `apply(false)`.
class RunCommand : public QUndoCommand {
public:
    RunCommand(const QString& text, std::function<void(bool isDone)> apply)
        : QUndoCommand(text), m_apply(std::move(apply))
    {}
    void redo() override { m_apply(true); }
    void undo() override { m_apply(false); }

private:
    std::function<void(bool)> m_apply;
};

std::vector<std::string> splitTags(const QString& text)
{
    std::vector<std::string> tags;
    for (const QString& part : text.split(u',', Qt::SkipEmptyParts)) {
        const std::string tag = part.trimmed().toStdString();
        if (!tag.empty() && std::find(tags.begin(), tags.end(), tag) == tags.end())
            tags.push_back(tag);
    }
    return tags;
}

} // namespace

bool RunListModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !flags(index).testFlag(Qt::ItemIsEditable))
        return false;
    const QString text = value.toString().trimmed();
    const RunInfo& info = m_rows[static_cast<std::size_t>(index.row())].info;
    const QString before = fixedText(info, index.column());
    if (text == before)
        return true;
    if (index.column() == Name && text.isEmpty())
        return false;
    const QString what = index.column() == Name   ? tr("Rename run")
                         : index.column() == Tags ? tr("Edit tags")
                                                  : tr("Edit note");
    m_undo.push(new RunCommand(what, [this, run = info.id, column = index.column(), before, text](
                                         bool isDone) { writeText(run, column, isDone ? text : before); }));
    return true;
}

void RunListModel::writeText(RunId run, int column, const QString& text)
{
    const int row = rowOf(run);
    if (row < 0)
        return;
    RunInfo& info = m_rows[static_cast<std::size_t>(row)].info;
    switch (column) {
    case Name:
        info.name = text.toStdString();
        m_reader->change([run, name = info.name](RunStore& store) { return store.rename(run, name); });
        break;
    case Tags:
        info.tags = splitTags(text);
        m_reader->change([run, tags = info.tags](RunStore& store) { return store.setTags(run, tags); });
        break;
    default:
        info.note = text.toStdString();
        m_reader->change([run, note = info.note](RunStore& store) { return store.setNote(run, note); });
        break;
    }
    Q_EMIT dataChanged(index(row, column), index(row, column));
}

void RunListModel::deleteRuns(const std::vector<RunId>& runs)
{
    if (runs.empty())
        return;
    const QString text = runs.size() == 1 ? tr("Delete 1 run") : tr("Delete %1 runs").arg(runs.size());
    m_undo.push(new RunCommand(text, [this, runs](bool isDone) { changeTrash(runs, isDone); }));
}

void RunListModel::restoreRuns(const std::vector<RunId>& runs)
{
    if (runs.empty())
        return;
    const QString text = runs.size() == 1 ? tr("Restore 1 run") : tr("Restore %1 runs").arg(runs.size());
    m_undo.push(new RunCommand(text, [this, runs](bool isDone) { changeTrash(runs, !isDone); }));
}

void RunListModel::purgeRuns(const std::vector<RunId>& runs)
{
    m_undo.clear(); // an older step may speak of these runs
    m_reader->change([runs](RunStore& store) -> athanor::Status {
        Result<RunTrash> trash = RunTrash::open(store.file());
        return trash ? trash->purge(runs) : athanor::Status(trash.error());
    });
}

void RunListModel::readTrash(std::function<void(const Result<std::vector<TrashedRun>>&)> done)
{
    m_reader->change([this, done = std::move(done)](RunStore& store) -> athanor::Status {
        const Result<RunTrash> trash = RunTrash::open(store.file());
        auto runs = trash ? trash->runs() : Result<std::vector<TrashedRun>>(trash.error());
        QMetaObject::invokeMethod(
            this, [done, runs = std::move(runs)] { done(runs); }, Qt::QueuedConnection);
        return Done{};
    });
}

void RunListModel::changeTrash(const std::vector<RunId>& runs, bool isDeleted)
{
    m_reader->change([runs, isDeleted](RunStore& store) -> athanor::Status {
        Result<RunTrash> trash = RunTrash::open(store.file());
        if (!trash)
            return trash.error();
        return isDeleted ? trash->put(runs) : trash->restore(runs);
    });
}

void RunListModel::setMarks(const std::vector<RunId>& runs, const QString& text,
                            const std::function<void(RunMark&)>& change)
{
    std::map<RunId, RunMark> before;
    std::map<RunId, RunMark> after;
    for (const RunId run : runs) {
        const int row = rowOf(run);
        if (row < 0)
            continue;
        before[run] = mark(row);
        change(after[run] = before[run]);
    }
    if (before == after)
        return;
    m_undo.push(
        new RunCommand(text, [this, before, after](bool isDone) { writeMarks(isDone ? after : before); }));
}

void RunListModel::writeMarks(const std::map<RunId, RunMark>& marks)
{
    for (const auto& [run, mark] : marks) {
        const int row = rowOf(run);
        if (row < 0)
            continue;
        m_rows[static_cast<std::size_t>(row)].mark = mark;
        Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
    }
    m_reader->change([marks](RunStore& store) -> athanor::Status {
        Result<RunMarks> home = RunMarks::open(store.file());
        return home ? home->set(marks) : athanor::Status(home.error());
    });
}

void RunListModel::takeMarks(const std::map<RunId, RunMark>& marks)
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const auto found = marks.find(m_rows[i].info.id);
        const RunMark mark = found == marks.end() ? RunMark{} : found->second;
        if (mark == m_rows[i].mark)
            continue;
        m_rows[i].mark = mark;
        Q_EMIT dataChanged(index(static_cast<int>(i), 0), index(static_cast<int>(i), columnCount() - 1));
    }
}

const RunFacts* RunListModel::facts(int row) const
{
    return row >= 0 && row < rowCount() ? m_rows[static_cast<std::size_t>(row)].facts.get() : nullptr;
}

RunMark RunListModel::mark(int row) const
{
    return row >= 0 && row < rowCount() ? m_rows[static_cast<std::size_t>(row)].mark : RunMark{};
}

QStringList RunListModel::factNames() const
{
    if (!m_factNames.isEmpty())
        return m_factNames;
    std::set<std::string> names;
    std::vector<std::string> last; // thousands of runs of one project have the same names
    for (const Row& row : m_rows) {
        if (row.facts == nullptr)
            continue;
        std::vector<std::string> fresh = row.facts->names();
        if (fresh == last)
            continue;
        names.insert(fresh.begin(), fresh.end());
        last = std::move(fresh);
    }
    for (const std::string& name : names)
        m_factNames << QString::fromStdString(name);
    return m_factNames;
}

void RunListModel::setExtraColumns(const QStringList& names)
{
    if (!m_extraNames.empty()) {
        beginRemoveColumns({}, firstExtra(), columnCount() - 1);
        m_extraNames.clear();
        endRemoveColumns();
    }
    if (names.isEmpty())
        return;
    beginInsertColumns({}, firstExtra(), firstExtra() + static_cast<int>(names.size()) - 1);
    for (const QString& name : names)
        m_extraNames.push_back(name.toStdString());
    endInsertColumns();
}

QStringList RunListModel::extraColumns() const
{
    QStringList names;
    for (const std::string& name : m_extraNames)
        names << QString::fromStdString(name);
    return names;
}

QVariant RunListModel::extraValue(const Row& row, int column) const
{
    if (row.facts == nullptr)
        return {};
    const auto values = row.facts->values(m_extraNames[static_cast<std::size_t>(column - firstExtra())]);
    if (values.empty())
        return {};
    if (values.size() == 1 && std::holds_alternative<double>(values.front()))
        return std::get<double>(values.front());
    QStringList texts;
    for (const RunValue& value : values)
        texts << (std::holds_alternative<double>(value)
                      ? numberText(std::get<double>(value))
                      : QString::fromStdString(std::get<std::string>(value)));
    texts.removeDuplicates();
    return texts.join(QStringLiteral(", "));
}

} // namespace athanor
