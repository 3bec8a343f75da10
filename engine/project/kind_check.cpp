#include "engine/project/kind_check.h"

#include "engine/base/expression.h"
#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"

#include <algorithm>
#include <set>

namespace athanor {
namespace {

void addError(std::vector<Problem>& problems, const std::string& where, std::string message, std::string hint = {})
{
    problems.push_back({"training/" + where, Severity::Error, std::move(message), std::move(hint)});
}

double numberOf(const Json& params, const char* name, double otherwise = 0)
{
    const Json value = params.value(name, Json(otherwise));
    return value.is_number() ? value.get<double>() : otherwise;
}

// The parameters with what is not written filled in.
Json completed(const KindSpec& spec, const std::vector<ParamSpec>* params)
{
    return completeParams(params ? *params : std::vector<ParamSpec>{}, spec.params);
}

void checkNesterov(std::vector<Problem>& problems, const std::string& where, const Json& params)
{
    if (params.value("nesterov", Json()) != true)
        return;
    if (numberOf(params, "momentum") <= 0 || numberOf(params, "dampening") != 0)
        addError(problems, where + "/nesterov", "nesterov needs momentum above 0 and no dampening",
                 "set momentum to 0.9, or leave nesterov out");
}

void checkGroups(std::vector<Problem>& problems, const KindSpec& optimizer, const std::vector<ParamSpec>& params)
{
    const auto groups = optimizer.params.find("groups");
    if (groups == optimizer.params.end())
        return;
    if (!groups->is_array())
        return addError(problems, "optimizer/groups", "groups must be a list",
                        R"(such as [{"match": "backbone*", "lr": 0.0001}])");
    std::vector<ParamSpec> allowed;
    std::copy_if(params.begin(), params.end(), std::back_inserter(allowed),
                 [](const ParamSpec& spec) { return spec.name != "groups"; });
    allowed.push_back(
        {.name = "match", .type = ParamType::Text, .help = "a glob over state names", .required = true});
    for (std::size_t i = 0; i < groups->size(); ++i) {
        const std::string where = "optimizer/groups/" + std::to_string(i);
        const Json& group = (*groups)[i];
        if (!group.is_object()) {
            addError(problems, where, "a group must be an object", R"(such as {"match": "backbone*", "lr": 0.0001})");
            continue;
        }
        for (ShapeProblem& problem : checkParams(allowed, group, "a group"))
            addError(problems, where + "/" + problem.parameter, std::move(problem.message), std::move(problem.hint));
        Json merged = optimizer.params;
        merged.update(group);
        if (group.contains("nesterov") || group.contains("momentum") || group.contains("dampening"))
            checkNesterov(problems, where, merged);
    }
}

// A scheduler that says when it is over, unless a duration does.
bool hasLength(const KindSpec& scheduler)
{
    static const std::set<std::string> all{"CosineAnnealingLR", "LinearLR", "ConstantLR", "PolynomialLR"};
    return all.contains(scheduler.kind) ||
           (scheduler.kind == "OneCycleLR" && isInteger(scheduler.params.value("total_steps", Json())));
}

void checkMilestones(std::vector<Problem>& problems, const std::string& where, const KindSpec& scheduler)
{
    const auto milestones = scheduler.params.find("milestones");
    if (scheduler.kind == "MultiStepLR" && milestones != scheduler.params.end() && milestones->is_array() &&
        !std::is_sorted(milestones->begin(), milestones->end()))
        addError(problems, where + "/milestones", "the milestones do not rise", "write them in rising order");
}

void checkLambda(std::vector<Problem>& problems, const std::string& where, const KindSpec& scheduler)
{
    const Json written = scheduler.params.value("lr_lambda", Json());
    if (scheduler.kind != "LambdaLR" || !written.is_string())
        return;
    const auto expression = Expression::parse(written.get<std::string>(), {"step", "epoch", "t", "steps", "epochs"});
    if (!expression)
        addError(problems, where + "/lr_lambda", expression.error().message, expression.error().hint);
}

// As PyTorch refuses it.
void checkMomentum(std::vector<Problem>& problems, const std::string& where, const KindSpec& scheduler,
                   const std::string& optimizer)
{
    const bool cycles = scheduler.kind == "OneCycleLR" || scheduler.kind == "CyclicLR";
    const auto* params = optimizerParams(optimizer);
    if (!cycles || params == nullptr || completed(scheduler, schedulerParams(scheduler.kind))["cycle_momentum"] != true)
        return;
    const std::vector<std::string> names = namesOf(*params);
    const auto has = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
    if (!has("momentum") && !(scheduler.kind == "OneCycleLR" && has("betas")))
        addError(problems, where + "/cycle_momentum", optimizer + " has no momentum that " + scheduler.kind + " could change",
                 "set cycle_momentum to false");
}

void checkRates(std::vector<Problem>& problems, const std::string& where, const KindSpec& scheduler)
{
    if (scheduler.kind == "CyclicLR" && scheduler.params.contains("base_lr") && scheduler.params.contains("max_lr") &&
        numberOf(scheduler.params, "base_lr") > numberOf(scheduler.params, "max_lr"))
        addError(problems, where + "/max_lr", "max_lr must not be below base_lr");
}

void checkChained(std::vector<Problem>& problems, const std::string& where, const KindSpec& scheduler)
{
    if (scheduler.kind != "ChainedScheduler" || !scheduler.params.contains("schedulers"))
        return;
    const Json& list = scheduler.params["schedulers"];
    const std::vector<std::string> factors{"StepLR", "MultiStepLR", "ExponentialLR", "LinearLR", "ConstantLR", "PolynomialLR"};
    if (!list.is_array() || list.empty())
        return addError(problems, where + "/schedulers", "schedulers must be a list",
                        R"(such as [{"kind": "ConstantLR"}, {"kind": "ExponentialLR", "gamma": 0.9}])");
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string place = where + "/schedulers/" + std::to_string(i);
        if (!list[i].is_object() || !list[i].value("kind", Json()).is_string()) {
            addError(problems, place, "must be an object with a kind", R"(such as {"kind": "ConstantLR"})");
            continue;
        }
        KindSpec one{list[i]["kind"].get<std::string>(), list[i]};
        one.params.erase("kind");
        const bool isFactor = std::find(factors.begin(), factors.end(), one.kind) != factors.end();
        checkKind(problems, place, one, isFactor ? schedulerParams(one.kind) : nullptr, factors, "factor of a schedule");
        checkMilestones(problems, place, one);
    }
}

} // namespace

bool checkKind(std::vector<Problem>& problems, const std::string& where, const KindSpec& spec,
               const std::vector<ParamSpec>* params, const std::vector<std::string>& kinds, const std::string& what)
{
    if (params == nullptr) {
        std::string hint = didYouMean(spec.kind, kinds);
        if (hint.empty())
            for (const std::string& kind : kinds)
                hint += (hint.empty() ? "there are " : ", ") + kind;
        addError(problems, where + "/kind", "there is no " + what + " '" + spec.kind + "'", std::move(hint));
        return false;
    }
    for (ShapeProblem& problem : checkParams(*params, spec.params, spec.kind))
        addError(problems, where + "/" + problem.parameter, std::move(problem.message), std::move(problem.hint));
    return true;
}

std::vector<Problem> checkOptimizer(const TrainSpec& spec)
{
    std::vector<Problem> problems;
    const KindSpec& optimizer = spec.optimizer;
    const auto* params = optimizerParams(optimizer.kind);
    if (!checkKind(problems, "optimizer", optimizer, params, optimizerKinds(), "optimizer"))
        return problems;
    checkGroups(problems, optimizer, *params);
    if (optimizer.kind == "SGD")
        checkNesterov(problems, "optimizer", optimizer.params);
    if (optimizer.kind != "LBFGS")
        return problems;
    const char* reason = "LBFGS evaluates each batch several times, which does not go with ";
    if (spec.gradScaler || spec.precision == Precision::Fp16)
        addError(problems, spec.gradScaler ? "grad_scaler" : "precision", std::string(reason) + "a scaled loss",
                 "use fp32, or another optimizer");
    if (spec.gradNoise)
        addError(problems, "grad_noise", std::string(reason) + "noise on the gradients", "leave it out");
    return problems;
}

std::string schedulerPlace(const TrainSpec& spec, std::size_t index)
{
    return spec.schedulers.size() == 1 ? "scheduler" : "scheduler/" + std::to_string(index);
}

std::vector<Problem> checkSchedulers(const TrainSpec& spec)
{
    std::vector<Problem> problems;
    for (std::size_t i = 0; i < spec.schedulers.size(); ++i) {
        const KindSpec& scheduler = spec.schedulers[i].scheduler;
        const std::string where = schedulerPlace(spec, i);
        const auto& duration = spec.schedulers[i].duration;
        if (duration && *duration < 1)
            addError(problems, where + "/duration", "duration must be at least 1, is " + std::to_string(*duration));
        if (!checkKind(problems, where, scheduler, schedulerParams(scheduler.kind), schedulerKinds(), "scheduler"))
            continue;
        if (i + 1 < spec.schedulers.size() && !duration && !hasLength(scheduler))
            addError(problems, where, scheduler.kind + " has no end, so what follows it never starts",
                     "give it a duration, or make it the last");
        checkMilestones(problems, where, scheduler);
        checkLambda(problems, where, scheduler);
        checkMomentum(problems, where, scheduler, spec.optimizer.kind);
        checkRates(problems, where, scheduler);
        checkChained(problems, where, scheduler);
    }
    return problems;
}

} // namespace athanor
