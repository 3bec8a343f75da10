#include "engine/project/project.h"

#include "engine/graph/flat_graph.h"
#include "engine/graph/loss_task.h"
#include "engine/graph/name_match.h"
#include "engine/graph/node_catalog.h"
#include "engine/graph/param_check.h"
#include "engine/project/kind_check.h"
#include "engine/project/train_spec_json.h"

#include <algorithm>
#include <set>

namespace athanor {
namespace {

// Initialisers that go by the numbers of inputs and outputs.
bool needsMatrix(const std::string& initializer)
{
    static const std::set<std::string> all{"xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal",
                                           "orthogonal",     "eye",           "dirac",           "sparse"};
    return all.contains(initializer);
}

// Part of the state that is measured or counted, and not trained.
bool isStatistic(const std::string& name)
{
    return name.ends_with("running_mean") || name.ends_with("running_var") || name.ends_with("num_batches_tracked");
}

// Whether a state tensor surely has one dimension.
bool isVector(const NodeKind& kind, const Json& params, const std::string& name)
{
    const std::string last = name.substr(name.rfind('.') + 1); // self_attn.out_proj.bias
    if (last == "bias_k" || last == "bias_v" || kind.family == NodeFamily::Script)
        return false;
    if (last.starts_with("bias") || last == "in_proj_bias" || kind.kind == "PReLU")
        return true;
    if (kind.family != NodeFamily::Normalization || last != "weight")
        return name.starts_with("norm") && last == "weight"; // norm1.weight of a Transformer layer
    const Json shape = params.value("normalized_shape", Json());
    return !shape.is_array() || shape.size() == 1;
}

class TrainingCheck {
public:
    explicit TrainingCheck(const Project& project)
        : m_project(project), m_spec(project.training), m_network(flattened(project.network).graph)
    {}
    std::vector<Problem> run();

private:
    void add(const std::string& where, Severity severity, std::string message, std::string hint = {});
    void error(const std::string& where, std::string message, std::string hint = {})
    {
        add(where, Severity::Error, std::move(message), std::move(hint));
    }
    void warning(const std::string& where, std::string message, std::string hint = {})
    {
        add(where, Severity::Warning, std::move(message), std::move(hint));
    }
    void take(std::vector<Problem> problems);
    void checkSettings();
    void checkLength();
    void checkDevice();
    void checkInit();
    void checkAveraging();
    void checkPatterns();
    void checkPattern(const std::string& where, const std::string& pattern);
    void checkNodePattern(const std::string& where, const std::string& pattern);
    void collectNames();
    void checkFreeze();
    void checkInitShapes();
    void checkMetrics();
    void misfit(const std::string& metric, bool classes, bool values);
    void checkMonitor(const std::string& section, const std::string& monitor, MonitorMode mode,
                      Severity unmeasured);
    [[nodiscard]] bool hasValidation() const;

    const Project& m_project;
    const TrainSpec& m_spec;
    Graph m_network; // with its groups opened: weights are named so
    std::vector<Problem> m_problems;
    std::vector<std::string> m_stateNames; // of the network, as far as its kinds are known
    std::vector<std::string> m_vectors;    // those of one dimension
    bool m_hasUnknownKind = false;         // its names are not known
    bool m_allNamesKnown = false;
};

void TrainingCheck::add(const std::string& where, Severity severity, std::string message, std::string hint)
{
    m_problems.push_back({"training/" + where, severity, std::move(message), std::move(hint)});
}

// Ranges and choices of all single values, by their table.
void TrainingCheck::checkSettings()
{
    const Json all = trainSpecJson(m_spec, TrainingDetail::Full);
    for (const ParamSpec& spec : trainingParams()) {
        const auto dot = spec.name.find('.');
        const Json& section = dot == std::string::npos ? all : all[spec.name.substr(0, dot)];
        if (section.is_null())
            continue; // no early stopping
        const std::string key = dot == std::string::npos ? spec.name : spec.name.substr(dot + 1);
        if (auto problem = checkValue(spec, section[key])) {
            std::string where = spec.name;
            std::replace(where.begin(), where.end(), '.', '/');
            error(where, key + " " + problem->message, problem->hint);
        }
    }
}

void TrainingCheck::checkLength()
{
    if (m_spec.epochs && m_spec.steps)
        error("steps", "epochs and steps are both set", "remove one: it decides when the run ends");
}

void TrainingCheck::checkDevice()
{
    const std::string& device = m_spec.device;
    const bool numbered = device.starts_with("cuda:") && device.size() > 5 && device.size() <= 8 &&
                          device.find_first_not_of("0123456789", 5) == std::string::npos;
    if (device != "auto" && device != "cpu" && device != "cuda" && !numbered)
        error("device", "there is no device '" + device + "'", "use auto, cpu, cuda or cuda:0");
    if (m_spec.precision == Precision::Fp16 && device == "cpu")
        error("precision", "fp16 needs a GPU", "use bf16 on the CPU, or device auto");
}

void TrainingCheck::take(std::vector<Problem> problems)
{
    for (Problem& problem : problems)
        m_problems.push_back(std::move(problem));
}

void TrainingCheck::checkInit()
{
    for (std::size_t i = 0; i < m_spec.init.size(); ++i) {
        const InitSpec& init = m_spec.init[i];
        const std::string where = "init/" + std::to_string(i);
        if (init.match.empty())
            error(where + "/match", "matches nothing", "a glob over state names, such as *.weight");
        checkKind(m_problems, where, init.init, initializerParams(init.init.kind), initializerKinds(), "initializer");
        const Json params =
            completeParams(initializerParams(init.init.kind) != nullptr ? *initializerParams(init.init.kind)
                                                                        : std::vector<ParamSpec>{},
                           init.init.params);
        const Json low = params.value("a", Json()), high = params.value("b", Json());
        if (low.is_number() && high.is_number() && low.get<double>() >= high.get<double>())
            error(where + "/b", "b must be above a");
    }
}

// A pattern with a slip in it would silently do nothing.
void TrainingCheck::checkPattern(const std::string& where, const std::string& pattern)
{
    const bool matches = std::any_of(m_stateNames.begin(), m_stateNames.end(),
                                     [&](const std::string& name) { return matchesGlob(pattern, name); });
    if (matches || pattern.empty())
        return;
    std::vector<std::string> ends = m_stateNames; // "conv1.weight", and "conv1*" for all of a node
    for (const std::string& name : m_stateNames)
        ends.push_back(name.substr(0, name.rfind('.')) + "*");
    warning(where, "'" + pattern + "' matches no weight of the network", didYouMean(pattern, ends));
}

void TrainingCheck::checkNodePattern(const std::string& where, const std::string& pattern)
{
    std::vector<std::string> nodes;
    for (const Node& node : m_network.nodes())
        nodes.push_back(node.id);
    if (std::none_of(nodes.begin(), nodes.end(), [&](const std::string& id) { return matchesGlob(pattern, id); }))
        warning(where, "'" + pattern + "' matches no node of the network", didYouMean(pattern, nodes));
}

void TrainingCheck::collectNames()
{
    m_allNamesKnown = true;
    for (const Node& node : m_network.nodes()) {
        const NodeKind* kind = layerCatalog().find(node.kind);
        m_hasUnknownKind = m_hasUnknownKind || kind == nullptr;
        if (kind == nullptr || kind->family == NodeFamily::Script)
            m_allNamesKnown = false;
        if (kind == nullptr || !kind->stateNames)
            continue;
        const Json params = completeParams(*kind, node.params);
        std::string prefix = node.id;
        std::replace(prefix.begin(), prefix.end(), '/', '.');
        for (const std::string& name : kind->stateNames(params)) {
            m_stateNames.push_back(prefix + "." + name);
            if (isVector(*kind, params, name))
                m_vectors.push_back(m_stateNames.back());
        }
    }
}

void TrainingCheck::checkFreeze()
{
    const auto isTrained = [&](const std::string& name) {
        return std::none_of(m_spec.freeze.begin(), m_spec.freeze.end(),
                            [&](const std::string& pattern) { return matchesGlob(pattern, name); });
    };
    std::vector<std::string> parameters;
    std::copy_if(m_stateNames.begin(), m_stateNames.end(), std::back_inserter(parameters),
                 [](const std::string& name) { return !isStatistic(name); });
    if (m_allNamesKnown && !parameters.empty() && std::none_of(parameters.begin(), parameters.end(), isTrained))
        error("freeze", "freezes every parameter, so there is none to train", "freeze less, such as the first layers");
}

// What needs a matrix cannot fill a bias; the last entry that matches a parameter fills it.
void TrainingCheck::checkInitShapes()
{
    std::set<std::size_t> told;
    for (const std::string& name : m_vectors) {
        const auto entry = std::find_if(m_spec.init.rbegin(), m_spec.init.rend(), [&](const InitSpec& init) {
            return matchesGlob(init.match, name);
        });
        if (entry == m_spec.init.rend() || !needsMatrix(entry->init.kind))
            continue;
        const auto index = static_cast<std::size_t>(m_spec.init.rend() - entry) - 1;
        if (told.insert(index).second)
            error("init/" + std::to_string(index),
                  entry->init.kind + " cannot fill " + name + ", which has one dimension",
                  "narrow the pattern, such as *.weight, or let a later entry fill it");
    }
}

void TrainingCheck::checkPatterns()
{
    if (m_hasUnknownKind)
        return;
    for (std::size_t i = 0; i < m_spec.freeze.size(); ++i)
        checkPattern("freeze/" + std::to_string(i), m_spec.freeze[i]);
    for (std::size_t i = 0; i < m_spec.init.size(); ++i)
        checkPattern("init/" + std::to_string(i) + "/match", m_spec.init[i].match);
    for (const auto& [name, from] : m_spec.weightsMap)
        checkPattern("weights_map/" + name, name);
    for (std::size_t i = 0; i < m_spec.autocastExclude.size(); ++i)
        checkNodePattern("autocast_exclude/" + std::to_string(i), m_spec.autocastExclude[i]);
    const Json groups = m_spec.optimizer.params.value("groups", Json());
    for (std::size_t i = 0; groups.is_array() && i < groups.size(); ++i)
        if (groups[i].is_object() && groups[i].value("match", Json()).is_string())
            checkPattern("optimizer/groups/" + std::to_string(i) + "/match",
                         groups[i]["match"].get<std::string>());
}

void TrainingCheck::misfit(const std::string& metric, bool classes, bool values)
{
    if (!classes && !values)
        error("metrics", metric + " does not fit the loss, which compares neither classes nor numbers",
              "leave it out: the loss itself is measured");
    else
        error("metrics", metric + " does not fit the loss, which is made for " + (classes ? "classes" : "numbers"),
              classes ? "use accuracy or f1" : "use mae, mse, rmse or r2");
}

void TrainingCheck::checkMetrics()
{
    bool classes = false, values = false, losses = false;
    for (const Node& node : m_network.nodes()) {
        const NodeKind* kind = layerCatalog().find(node.kind);
        if (kind == nullptr || !kind->isLoss())
            continue;
        const LossTask task = lossTask(node.kind, node.params);
        const bool oneHot = node.params.value("one_hot", Json()) == true;
        losses = true;
        classes = classes || oneHot || task == LossTask::Classes || task == LossTask::Binary;
        values = values || task == LossTask::Values;
    }
    std::set<std::string> seen;
    const std::vector<std::string> known = metricNames();
    for (const std::string& metric : m_spec.metrics) {
        if (!seen.insert(metric).second)
            warning("metrics", metric + " is there twice", "remove one");
        if (!losses || std::find(known.begin(), known.end(), metric) == known.end())
            continue;
        if (metricTask(metric) == MetricTask::Classes ? !classes : !values)
            misfit(metric, classes, values);
    }
}

bool TrainingCheck::hasValidation() const
{
    for (const Node& node : m_project.data.nodes()) {
        if (node.kind == "Split") {
            const Json share = completeParams(*dataCatalog().find("Split"), node.params)["val"];
            return share.is_number() && share.get<double>() > 0;
        }
        if (node.kind == "Parts") {
            const auto edges = m_project.data.incoming(node.id);
            return std::any_of(edges.begin(), edges.end(),
                               [](const Edge& edge) { return edge.to.port == "val"; });
        }
        if (dataCatalog().find(node.kind) == nullptr)
            return true; // it may well yield one
    }
    return false;
}

void TrainingCheck::checkMonitor(const std::string& section, const std::string& monitor, MonitorMode mode,
                                 Severity unmeasured)
{
    const std::string where = section + "/monitor";
    std::vector<std::string> series;
    std::vector<std::string> parts{"val/", "train/"};
    if (m_spec.averaging)
        parts.push_back(std::string("val/") + kAveragingNames[static_cast<std::size_t>(m_spec.averaging->kind)] + "/");
    for (const std::string& part : parts) {
        series.push_back(part + "loss");
        for (const std::string& metric : m_spec.metrics)
            if (metric != "confusion_matrix")
                series.push_back(part + metric);
    }
    if (std::find(series.begin(), series.end(), monitor) == series.end()) {
        const std::string metric = monitor.substr(monitor.rfind('/') + 1);
        const std::vector<std::string> metrics = metricNames();
        const bool couldBe = std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
        std::string hint = couldBe ? "add " + metric + " to metrics" : didYouMean(monitor, series);
        return error(where, "no series '" + monitor + "' will be measured",
                     hint.empty() ? "such as val/loss" : std::move(hint));
    }
    if (monitor.starts_with("val/") && !hasValidation())
        return add(where, unmeasured, "there is no validation part, so '" + monitor + "' is never measured",
                   "give the Split a val share, or monitor train/loss");
    if (mode != naturalMode(monitor))
        warning(section + "/mode", "takes the worst '" + monitor + "' for the best",
                std::string("set mode to ") + (mode == MonitorMode::Min ? "max" : "min"));
}

void TrainingCheck::checkAveraging()
{
    if (!m_spec.averaging || m_spec.averaging->useBuffers)
        return;
    const bool hasStatistics = std::any_of(m_stateNames.begin(), m_stateNames.end(), isStatistic);
    if (hasStatistics && m_spec.averaging->kind == AveragingKind::Swa)
        warning("averaging/use_buffers", "BatchNorm's statistics of the newest weights do not fit averaged ones",
                "set use_buffers to true");
}

std::vector<Problem> TrainingCheck::run()
{
    checkSettings();
    checkLength();
    checkDevice();
    take(checkOptimizer(m_spec));
    take(checkSchedulers(m_spec));
    checkInit();
    collectNames();
    checkPatterns();
    checkFreeze();
    checkInitShapes();
    checkMetrics();
    checkAveraging();
    for (std::size_t i = 0; i < m_spec.schedulers.size(); ++i) {
        const KindSpec& scheduler = m_spec.schedulers[i].scheduler;
        const Json monitor = scheduler.params.value("monitor", Json("val/loss"));
        const Json mode = scheduler.params.value("mode", Json("min"));
        if (scheduler.kind == "ReduceLROnPlateau" && monitor.is_string())
            checkMonitor(schedulerPlace(m_spec, i), monitor.get<std::string>(),
                         mode == "max" ? MonitorMode::Max : MonitorMode::Min, Severity::Error);
    }
    // A run without validation is legitimate and its checkpoints then are the newest; but it would never stop early.
    checkMonitor("checkpoint", m_spec.checkpoint.monitor, m_spec.checkpoint.mode, Severity::Warning);
    if (m_spec.earlyStopping)
        checkMonitor("early_stopping", m_spec.earlyStopping->monitor, m_spec.earlyStopping->mode,
                     Severity::Error);
    return std::move(m_problems);
}

} // namespace

std::vector<Problem> checkTraining(const Project& project)
{
    return TrainingCheck(project).run();
}

} // namespace athanor
