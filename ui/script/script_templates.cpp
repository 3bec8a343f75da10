#include "ui/script/script_templates.h"

#include <QCoreApplication>

namespace athanor {
namespace {

struct ScriptTexts {
    Q_DECLARE_TR_FUNCTIONS(athanor::ScriptTexts)
};

constexpr const char* kLayer = R"(def forward(self, x: Tensor) -> Tensor:
    return torch.relu(torch.matmul(x, self.weight.t()) + self.bias)
)";

constexpr const char* kSequence = R"(def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
    h = torch.zeros(x.size(0), self.hidden, device=x.device)
    steps: List[Tensor] = []
    for t in range(x.size(1)):
        h = torch.tanh(torch.matmul(x[:, t], self.w_in) + torch.matmul(h, self.w_hidden) + self.bias)
        steps.append(h)
    return torch.stack(steps, 1), h
)";

constexpr const char* kBranch = R"(def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    if mask is not None:
        x = x * mask.to(torch.float32)
    if x.dim() > 2:
        x = x.flatten(1)
    return x
)";

constexpr const char* kSample = R"(def forward(self, mean: Tensor, logvar: Tensor) -> Tensor:
    if self.training:
        return mean + torch.exp(0.5 * logvar) * torch.randn_like(mean)
    return mean
)";

constexpr const char* kRunning = R"(def forward(self, x: Tensor) -> Tensor:
    if self.training:
        self.mean = (1.0 - self.momentum) * self.mean + self.momentum * x.detach().mean(0)
    return x - self.mean
)";

constexpr const char* kLoss = R"(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    error = input - target
    return torch.mean(torch.where(error > 0, error * error, error * error * self.below))
)";

constexpr const char* kVaeLoss =
    R"(def forward(self, input: Tensor, target: Tensor, mean: Tensor, logvar: Tensor) -> Tensor:
    rebuilt = torch.sum((input - target) ** 2) / input.size(0)
    distance = -0.5 * torch.sum(1.0 + logvar - mean ** 2 - torch.exp(logvar)) / input.size(0)
    return rebuilt + self.beta * distance
)";

Json tensor(const char* name, Json shape, Json init = Json())
{
    Json entry{{"name", name}, {"shape", std::move(shape)}};
    if (!init.is_null()) {
        entry["init"] = std::move(init);
    }
    return entry;
}

std::vector<ScriptTemplate> layerTemplates()
{
    const Json hidden{{"hidden", 32}};
    Json running = tensor("mean", {"x.size(1)"});
    running["buffer"] = true;
    return {
        {ScriptTexts::tr("Layer with weights (features)"),
         {"Script",
          {{"source", kLayer},
           {"parameters",
            Json::array({tensor("weight", {"hidden", "x.size(1)"}), tensor("bias", {"hidden"})})},
           {"constants", hidden}}}},
        {ScriptTexts::tr("Loop over a sequence (N × time × features)"),
         {"Script",
          {{"source", kSequence},
           {"parameters", Json::array({tensor("w_in", {"x.size(2)", "hidden"}),
                                       tensor("w_hidden", {"hidden", "hidden"}, "orthogonal"),
                                       tensor("bias", {"hidden"})})},
           {"constants", hidden},
           {"outputs", {"steps", "last"}}}}},
        {ScriptTexts::tr("Optional input and a branch"), {"Script", {{"source", kBranch}}}},
        {ScriptTexts::tr("Random sample (the middle of a VAE)"), {"Script", {{"source", kSample}}}},
        {ScriptTexts::tr("Running mean (features)"),
         {"Script",
          {{"source", kRunning},
           {"parameters", Json::array({running})},
           {"constants", {{"momentum", 0.1}}}}}},
    };
}

std::vector<ScriptTemplate> lossTemplates()
{
    return {
        {ScriptTexts::tr("Errors below weigh more"),
         {"ScriptLoss", {{"source", kLoss}, {"constants", {{"below", 3.0}}}}}},
        {ScriptTexts::tr("VAE: reconstruction and distance"),
         {"ScriptLoss", {{"source", kVaeLoss}, {"constants", {{"beta", 1.0}}}}}},
    };
}

constexpr const char* kLogarithm = R"(def forward(self, x: Tensor) -> Tensor:
    return torch.sign(x) * torch.log(1.0 + torch.abs(x))
)";

constexpr const char* kNoise = R"(def forward(self, x: Tensor) -> Tensor:
    return x + 0.05 * torch.randn_like(x)
)";

constexpr const char* kChannels = R"(def forward(self, x: Tensor) -> Tensor:
    return torch.cat([x, x.mean(0, keepdim=True)])
)";

constexpr const char* kParity = R"(def forward(self, x: Tensor) -> Tensor:
    return x % 2
)";

constexpr const char* kStack = R"(def forward(self, image: List[Tensor], label: List[Tensor]) -> Tuple[Tensor, Tensor]:
    return torch.stack(image), torch.stack(label)
)";

constexpr const char* kRepeatPadding = R"(def forward(self, text: List[Tensor]) -> Tensor:
    longest = 0
    for one in text:
        longest = max(longest, one.size(0))
    rows: List[Tensor] = []
    for one in text:
        times = (longest + one.size(0) - 1) // max(one.size(0), 1)
        rows.append(one.repeat([times])[:longest])
    return torch.stack(rows)
)";

std::vector<ScriptTemplate> lambdaTemplates()
{
    return {{ScriptTexts::tr("Logarithm that keeps the sign"), {"Lambda", {{"source", kLogarithm}}}},
            {ScriptTexts::tr("Noise (floats)"), {"Lambda", {{"source", kNoise}}}},
            {ScriptTexts::tr("One channel more: the mean (images behind ToTensor)"), {"Lambda", {{"source", kChannels}}}},
            {ScriptTexts::tr("Odd or even (labels)"), {"Lambda", {{"source", kParity}}}}};
}

std::vector<ScriptTemplate> collateTemplates()
{
    return {{ScriptTexts::tr("Images and labels, stacked"), {"Collate", {{"source", kStack}}}},
            {ScriptTexts::tr("Texts repeated to the longest, where zeros would be put"), {"Collate", {{"source", kRepeatPadding}}}}};
}

QString dataPorts(const std::string& kind)
{
    return kind == "Lambda"
               ? ScriptTexts::tr("### A step of data\n"
                                 "`forward` gets a sample's tensor and returns another. An image is `uint8`, height × width × "
                                 "channels, before ToTensor, and `float`, channels × height × width, behind it.\n\n"
                                 "Random numbers depend on the seed, the epoch and the sample only: with any number of workers "
                                 "a run is the same.\n\n")
               : ScriptTexts::tr("### A collate function\n"
                                 "Each argument is named after a field and gets a list of its tensors, one for each sample of a "
                                 "batch. What is returned are fields of the batch, one row for each sample; `outputs` names "
                                 "them where they differ from the arguments.\n\n");
}

} // namespace

std::vector<ScriptTemplate> scriptTemplates(const std::string& kind)
{
    if (kind == "Lambda") {
        return lambdaTemplates();
    }
    if (kind == "Collate") {
        return collateTemplates();
    }
    return kind == "ScriptLoss" ? lossTemplates() : layerTemplates();
}

QString scriptHelp(const std::string& kind)
{
    const bool isData = kind == "Lambda" || kind == "Collate";
    const QString ports =
        isData ? dataPorts(kind)
        : kind == "ScriptLoss"
            ? ScriptTexts::tr(
                  "### A loss\n"
                  "`forward` returns **one number**. Its first argument is the network's output; an argument "
                  "called `target`, `targets`, `label` or `labels` takes what the data says. It adds to the "
                  "total "
                  "with the node's `weight`.\n\n")
            : ScriptTexts::tr(
                  "### A layer\n"
                  "Each argument of `forward` is an input port, each tensor it returns an output port. "
                  "`Optional[Tensor]` may stay unconnected and is `None` then; `List[Tensor]` takes any "
                  "number of "
                  "edges.\n\n");
    const QString members = ScriptTexts::tr("### self\n"
                       "**Parameters** are tensors: trained, or buffers that only keep a value (`self.mean = "
                       "…`). A shape may use "
                       "constants and the inputs: `4*hidden, x.size(1)`. The initialiser is one of "
                       "torch.nn.init's: `normal(std=0.02)`, "
                       "`xavier_uniform`, `zeros`; without one, weights of two axes and more start as in "
                       "`torch.nn.Linear`, all "
                       "else at 0.\n\n"
                       "**Constants** are numbers. `self.training` is true while training.\n\n");
    return ports +
           ScriptTexts::tr("### The language\n"
                           "TorchScript, a part of Python: `if`, `for`, `while`, lists, tuples, other functions "
                           "beside `forward`. "
                           "`torch.*`, the methods of tensors and `math` are there; nothing can be imported.\n\n"
                           "A list needs its type: `steps: List[Tensor] = []`. A branch on data needs a number: "
                           "`if float(x.max()) > 1.0:`.\n\n") +
           (isData ? QString() : members) +
           ScriptTexts::tr("### Keys\n"
                       "Ctrl+Space: names that fit · Tab, Enter: take one · Ctrl+Enter: apply · Esc: close · "
                       "F6: next part\n\n"
                       "### What is refused\n"
                       "Files, other processes, and seeding the random numbers of the whole run.");
}

} // namespace athanor
