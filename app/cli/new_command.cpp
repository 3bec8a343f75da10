#include "app/cli/output.h"
#include "app/cli/task_progress.h"
#include "engine/preflight/proposal.h"

#include <spdlog/fmt/fmt.h>

#include <iostream>

namespace athanor::cli {
namespace {

constexpr std::int64_t kThousandths = 1000;

void printText(const Proposal& proposal, const std::filesystem::path& file)
{
    std::cout << printable(proposal.recognized) << "\n";
    TextTable table({"choice", "chosen", "why"});
    for (const ProposalChoice& choice : proposal.choices)
        table.add({choice.what, printable(choice.chosen), printable(choice.why)});
    std::cout << table.text();
    for (const std::string& note : proposal.notes)
        std::cout << "note: " << printable(note) << "\n";
    std::cout << fmt::format("Written to {}; train it with: athanor-cli train {}\n", file.string(),
                             file.string());
}

} // namespace

int propose(const Common& common, const NewArguments& arguments)
{
    std::error_code ignored;
    if (!arguments.force && std::filesystem::exists(arguments.file, ignored))
        return fail(common, {ErrorCode::InvalidArgument,
                             "There is a file of that name already",
                             arguments.file.string(),
                             "Choose another name, or add --force to write over it",
                             {}});
    const std::filesystem::path folder = std::filesystem::absolute(arguments.file).parent_path();
    Result<Proposal> proposal = [&] {
        TaskProgress bar("Looking at the data");
        return proposeProject(arguments.input, folder, [&](const ProposalProgress& p) {
            if (p.share >= 0)
                bar.update(static_cast<std::int64_t>(p.share * kThousandths), kThousandths, -1);
        });
    }();
    if (!proposal)
        return fail(common, proposal.error());
    if (!arguments.name.empty())
        proposal->project.name = arguments.name;
    std::filesystem::create_directories(folder, ignored);
    if (const Status saved = saveProject(proposal->project, arguments.file); !saved)
        return fail(common, saved.error());
    if (common.json) {
        Json json = proposalJson(*proposal);
        json["project"] = arguments.file.string();
        printJson(json);
    } else {
        printText(*proposal, arguments.file);
    }
    return kDone;
}

} // namespace athanor::cli
