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

std::vector<ParamSpec> splitParams()
{
    using namespace part;
    return {real("train", 0.8, "Share of the samples to train on, 0 to 1.", 0, 1),
            real("val", 0.2, "Share of the samples to validate on, 0 to 1.", 0, 1),
            real("test", 0.0, "Share of the samples kept for the final test, 0 to 1.", 0, 1),
            boolean("stratify", false, "Gives each part the same share of every class. Where `by` is random."),
            integer("seed", 0, "Same seed, same parts.", 0),
            choice("by", {"random", "group", "folder", "time"}, "random",
                   "`random`: each sample by itself. `group`: samples with one text in `column` (a patient, a "
                   "camera) stay in one part. `folder`: the files of a folder do. `time`: in the order of `column`, or "
                   "as the samples stand, the first for training, the last for the test."),
            {.name = "column",
             .type = ParamType::Text,
             .standard = "",
             .help = "Column of the table that group and time go by."},
            integer("folds", 0, "Number of parts for k-fold validation, as sklearn's `KFold`; 0: none. The shares do "
                                "not count then.",
                    0),
            integer("fold", 0, "Which of the folds, from 0, is the validation part; the others are trained on.", 0)};
}

std::vector<ParamSpec> samplerParams()
{
    using namespace part;
    return {choice("sampler", {"none", "class_balanced", "weighted"}, "none",
                   "`class_balanced` draws every class equally often, `weighted` by `weights`; both draw at random, "
                   "whatever shuffle says. As PyTorch's `WeightedRandomSampler`."),
            nullable({.name = "weights",
                      .type = ParamType::RealList,
                      .help = "Weight of each class for the weighted sampler, in the order of their numbers.",
                      .minimum = 0}),
            boolean("replacement", true, "Whether a sampler may draw a sample several times in an epoch."),
            nullable(integer("num_samples", nullptr,
                             "Samples a sampler draws in an epoch; null: as many as there are.", 1)),
            integer("bucket_batches", 0,
                    "Fields of varying length: so many batches at a time are sorted by length, so that little is "
                    "padded; 0: none are.",
                    0)};
}

std::vector<ParamSpec> loaderParams()
{
    using namespace part;
    std::vector<ParamSpec> params{
        integer("batch_size", 1, "Samples per batch. A run that is on takes a new one with its next epoch.", 1),
        boolean("shuffle", false, "A new random order of the training part each epoch."), workers(),
        integer("prefetch_factor", 2, "Batches that each worker prepares ahead.", 1),
        boolean("persistent_workers", false,
                "Workers go on with the next epoch's first batches while the validation is on."),
        boolean("drop_last", false, "Leaves out a last training batch that is not full.")};
    params.front().live = true;
    for (ParamSpec& spec : samplerParams())
        params.push_back(std::move(spec));
    params.push_back(boolean("pin_memory", false, "Where CUDA is: batches in memory that the device reads by itself."));
    params.push_back(choice("cache", {"none", "memory", "disk"}, "none",
                            "Keeps the decoded samples, as they are before anything random happens to them: in memory, or in "
                            "a temporary file (in TMPDIR, or /var/tmp) that goes with the run."));
    params.push_back(real("cache_limit", 2.0, "Most room for the cache of each part, in gigabytes.", 0, 1e6));
    params.push_back(choice("on_error", {"stop", "skip"}, "stop",
                            "A sample that cannot be read stops the run, or is left out of its batch and counted."));
    params.push_back(integer("max_errors", 100, "So many samples may be skipped in a pass; one more stops the run.", 0));
    return params;
}

NodeKind collateKind()
{
    using namespace part;
    return {.kind = "Collate",
            .family = NodeFamily::Transform,
            .title = "Collate in TorchScript",
            .help = "Puts the samples of a batch together in a way of your own, where the Loader would stack them and fill "
                    "those of varying length up with zeros. Each argument of `forward` is named after a field and gets a "
                    "list of its tensors, one per sample; what is returned are fields of the batch, one row per sample. "
                    "Random numbers depend on the seed, the epoch and the batch only. Stands behind all transforms of "
                    "samples.\n\nAs `collate_fn` of PyTorch's `utils.data.DataLoader`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = {{.name = "source",
                        .type = ParamType::Source,
                        .standard = "def forward(self, image: List[Tensor], label: List[Tensor]) -> Tuple[Tensor, Tensor]:\n"
                                    "    return torch.stack(image), torch.stack(label)\n",
                        .help = "TorchScript with a function forward(self, …); each argument is a List[Tensor]."},
                       nullable({.name = "outputs",
                                 .type = ParamType::TextList,
                                 .help = "Names of the fields that are returned; empty: those of the arguments."})}};
}

NodeKind batchStep(const std::string& kind, const std::string& title, const std::string& help)
{
    using namespace part;
    return {.kind = kind,
            .family = NodeFamily::Transform,
            .title = title,
            .help = help + " Labels become the probabilities of the classes, which CrossEntropyLoss takes. Acts on "
                           "whole training batches, so it stands last before the Loader.\n\nAs in torchvision's "
                           "reference training code.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = {real("p", 0.5, "Share of the batches that are mixed.", 0, 1),
                       positive(real("alpha", 1.0, "Of the Beta(alpha, alpha) that the share of the other sample is "
                                                   "drawn from."))}};
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
                 .params = splitParams()},
        collateKind(),
        batchStep("Mixup", "Mixup", "Each sample becomes a weighted sum of itself and the one before it."),
        batchStep("CutMix", "CutMix", "A rectangle of each image is taken from the one before it."),
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
            .params = loaderParams()},
    };
}

const NodeCatalog& dataCatalog()
{
    static const NodeCatalog catalog = [] {
        std::vector<NodeKind> kinds;
        for (auto family : {dataSources, dataTableSources, dataTransforms, dataFittedSteps, dataFlow}) {
            std::vector<NodeKind> more = family();
            kinds.insert(kinds.end(), std::make_move_iterator(more.begin()),
                         std::make_move_iterator(more.end()));
        }
        return NodeCatalog(std::move(kinds));
    }();
    return catalog;
}

} // namespace athanor
