#include "app/cli/output.h"
#include "engine/store/run_trash.h"

#include <algorithm>
#include <iostream>

namespace athanor::cli {
namespace {

/// Ids by whatever finds a run by its id or name; the same run named twice counts once.
template <typename Home>
Result<std::vector<RunId>> findAll(const Home& home, Result<RunId> (Home::*find)(const std::string&) const,
                                   const std::vector<std::string>& names)
{
    std::vector<RunId> out;
    for (const std::string& name : names) {
        const Result<RunId> id = (home.*find)(name);
        if (!id)
            return id.error();
        if (std::find(out.begin(), out.end(), *id) == out.end())
            out.push_back(*id);
    }
    return out;
}

/// The store, which must be there, to be written to.
Result<RunStore> storeToEdit(const Common& common)
{
    if (const auto there = RunStore::openToRead(common.store); !there)
        return there.error();
    return RunStore::open(common.store);
}

Result<RunTrash> trashToEdit(const Common& common)
{
    if (const auto there = RunStore::openToRead(common.store); !there)
        return there.error();
    return RunTrash::open(common.store);
}

/// Applies `change` to every run that is named and prints what each of them was before, so that it can be undone.
template <typename Change, typename Describe>
int editRuns(const Common& common, const EditArguments& arguments, Change change, Describe describe)
{
    Result<RunStore> store = storeToEdit(common);
    if (!store)
        return fail(common, store.error());
    const auto ids = findAll(*store, &RunStore::findRun, arguments.runs);
    if (!ids)
        return fail(common, ids.error());
    Json out = Json::array();
    for (const RunId id : *ids) {
        const auto before = store->run(id);
        if (!before)
            return fail(common, before.error());
        if (const Status changed = change(*store, *before); !changed.ok())
            return fail(common, changed.error());
        const auto after = store->run(id);
        if (!after)
            return fail(common, after.error());
        out.push_back({{"run", id}, {"before", describe(*before)}, {"after", describe(*after)}});
    }
    if (common.json)
        printJson(out);
    else
        for (const Json& run : out)
            std::cout << printable("Run " + run["run"].dump() + ": " + run["before"].dump() + " is now " + run["after"].dump())
                      << "\n";
    return kDone;
}

int tell(const Common& common, const std::vector<RunId>& ids, const std::string& what)
{
    if (common.json)
        printJson({{"runs", ids}});
    else
        std::cout << ids.size() << (ids.size() == 1 ? " run " : " runs ") << what << "\n";
    return kDone;
}

} // namespace

int tagRuns(const Common& common, const EditArguments& arguments)
{
    const auto change = [&](RunStore& store, const RunInfo& run) {
        std::vector<std::string> tags;
        for (const std::string& tag : run.tags)
            if (std::find(arguments.removeTags.begin(), arguments.removeTags.end(), tag) == arguments.removeTags.end())
                tags.push_back(tag);
        for (const std::string& tag : arguments.addTags)
            if (std::find(tags.begin(), tags.end(), tag) == tags.end())
                tags.push_back(tag);
        return store.setTags(run.id, tags);
    };
    return editRuns(common, arguments, change, [](const RunInfo& run) { return Json(run.tags); });
}

int noteRuns(const Common& common, const EditArguments& arguments)
{
    const auto change = [&](RunStore& store, const RunInfo& run) { return store.setNote(run.id, arguments.text); };
    return editRuns(common, arguments, change, [](const RunInfo& run) { return Json(run.note); });
}

int renameRun(const Common& common, const EditArguments& arguments)
{
    const auto change = [&](RunStore& store, const RunInfo& run) { return store.rename(run.id, arguments.text); };
    return editRuns(common, arguments, change, [](const RunInfo& run) { return Json(run.name); });
}

int deleteRuns(const Common& common, const EditArguments& arguments)
{
    Result<RunTrash> trash = trashToEdit(common);
    if (!trash)
        return fail(common, trash.error());
    if (arguments.forGood) {
        const auto ids = findAll(*trash, &RunTrash::find, arguments.runs);
        if (!ids)
            return fail(common, ids.error());
        const Status done = trash->purge(*ids);
        return done.ok() ? tell(common, *ids, "deleted for good") : fail(common, done.error());
    }
    const Result<RunStore> store = RunStore::openToRead(common.store);
    if (!store)
        return fail(common, store.error());
    const auto ids = findAll(*store, &RunStore::findRun, arguments.runs);
    if (!ids)
        return fail(common, ids.error());
    const Status done = trash->put(*ids);
    return done.ok() ? tell(common, *ids, "in the trash (athanor-cli runs restore brings them back)") : fail(common, done.error());
}

int restoreRuns(const Common& common, const EditArguments& arguments)
{
    Result<RunTrash> trash = trashToEdit(common);
    if (!trash)
        return fail(common, trash.error());
    const auto ids = findAll(*trash, &RunTrash::find, arguments.runs);
    if (!ids)
        return fail(common, ids.error());
    const Status done = trash->restore(*ids);
    return done.ok() ? tell(common, *ids, "back from the trash") : fail(common, done.error());
}

} // namespace athanor::cli
