#include "engine/graph/catalog_parts.h"

#include <iterator>

namespace athanor {

namespace {

// More threads than any machine can use would only take minutes to make.
ParamSpec workers()
{
    ParamSpec spec =
        part::integer("num_workers", 0, "Threads that prepare batches; 0: the training thread does.", 0);
    spec.maximum = 1024;
    return spec;
}

} // namespace

std::vector<NodeKind> dataFlow()
{
    using namespace part;
    return {
        NodeKind{.kind = "Split",
                 .family = NodeFamily::Split,
                 .title = "Split into parts",
                 .help = "Draws the training, validation and test part from one set, at random by the seed. "
                         "Shares are of all samples; what is left over is not used.",
                 .inputs = oneInput(),
                 .outputs = oneOutput(),
                 .params = {real("train", 0.8, "Share of the samples to train on, 0 to 1.", 0, 1),
                            real("val", 0.2, "Share of the samples to validate on, 0 to 1.", 0, 1),
                            real("test", 0.0, "Share of the samples kept for the final test, 0 to 1.", 0, 1),
                            boolean("stratify", false, "Gives each part the same share of every class."),
                            integer("seed", 0, "Same seed, same parts.", 0)}},
        NodeKind{.kind = "Parts",
                 .family = NodeFamily::Split,
                 .title = "Join parts",
                 .help =
                     "Where sets meet that are apart already: a training set, a validation set, a test set.",
                 .inputs = {{"train"}, {.name = "val", .optional = true}, {.name = "test", .optional = true}},
                 .outputs = oneOutput(),
                 .params = {}},
        NodeKind{
            .kind = "Loader",
            .family = NodeFamily::Loader,
            .title = "Loader",
            .help = "Makes batches; the end of the data graph. The order depends on the seed and the epoch "
                    "only, never on the number of workers.\n\nAs PyTorch's `utils.data.DataLoader`.",
            .inputs = oneInput(),
            .outputs = {},
            .params = {integer("batch_size", 1, "Samples per batch.", 1),
                       boolean("shuffle", false, "A new random order of the training part each epoch."),
                       workers(),
                       integer("prefetch_factor", 2, "Batches that each worker prepares ahead.", 1),
                       boolean("drop_last", false, "Leaves out a last training batch that is not full.")}},
    };
}

const NodeCatalog& dataCatalog()
{
    static const NodeCatalog catalog = [] {
        std::vector<NodeKind> kinds;
        for (auto family : {dataSources, dataTransforms, dataFlow}) {
            std::vector<NodeKind> more = family();
            kinds.insert(kinds.end(), std::make_move_iterator(more.begin()),
                         std::make_move_iterator(more.end()));
        }
        return NodeCatalog(std::move(kinds));
    }();
    return catalog;
}

} // namespace athanor
