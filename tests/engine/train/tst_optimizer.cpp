#include "golden.h"

#include "engine/train/initialize.h"
#include "engine/train/optimizer.h"
#include "engine/train/schedule.h"

#include <QtTest>

using namespace athanor;

namespace {

KindSpec kindSpec(const Json& json)
{
    KindSpec spec{json["kind"].get<std::string>(), json};
    spec.params.erase("kind");
    return spec;
}

std::vector<Json> cases(const char* part)
{
    return goldenCases("training_cases.json")[part].get<std::vector<Json>>();
}

/// Parameters that a golden optimizer case starts from.
std::vector<NamedParameter> startOf(const Json& golden, const std::vector<OptimizerGroup>& groups)
{
    std::vector<NamedParameter> parameters;
    for (const auto& [name, values] : golden["start"].items()) {
        const auto shape = golden["shapes"][name].get<std::vector<std::int64_t>>();
        parameters.push_back({name, floatsOf(values).view(shape).set_requires_grad(true), groupOf(groups, name)});
    }
    return parameters;
}

/// Gives the parameters these gradients as a backward pass does; null: it does not reach them.
void backward(FlatParameters& parameters, const Json& gradients)
{
    parameters.zeroGradients();
    torch::Tensor loss;
    for (const auto& slot : parameters.slots()) {
        if (gradients[slot.name].is_null())
            continue;
        const auto term = (slot.parameter * floatsOf(gradients[slot.name]).view(slot.parameter.sizes())).sum();
        loss = loss.defined() ? loss + term : term;
    }
    loss.backward();
    parameters.noteGradients();
}

std::vector<double> baseRates(const Optimizer& optimizer)
{
    std::vector<double> rates;
    for (const auto& group : optimizer.groups())
        rates.push_back(group.rate);
    return rates;
}

Schedule scheduleOf(const Json& list, ScheduleInterval interval = ScheduleInterval::Step)
{
    std::vector<SchedulerSpec> specs;
    for (const auto& entry : list)
        specs.push_back({kindSpec(entry), interval});
    auto schedule = Schedule::make(specs);
    if (!schedule.ok())
        throw std::runtime_error(schedule.error().text());
    return *schedule;
}

} // namespace

class TestOptimizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsAsPyTorch_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<bool>("kernels");
        int index = 0;
        for (const auto& golden : cases("optimizers")) {
            const std::string name = golden["optimizer"].dump();
            QTest::newRow(("kernels " + name).c_str()) << index << true;
            QTest::newRow(("tensors " + name).c_str()) << index++ << false;
        }
    }
    void stepsAsPyTorch()
    {
        QFETCH(int, index);
        QFETCH(bool, kernels);
        const Json golden = cases("optimizers")[static_cast<std::size_t>(index)];
        const KindSpec spec = kindSpec(golden["optimizer"]);
        const auto groups = optimizerGroups(spec);
        FlatParameters parameters(startOf(golden, groups));
        auto optimizer = makeOptimizer(spec, groups, parameters, kernels ? UpdatePath::Automatic : UpdatePath::TensorOperations);
        QVERIFY(optimizer.ok());
        for (std::size_t step = 0; step < golden["after"].size(); ++step) {
            backward(parameters, golden["gradients"][step]);
            (*optimizer)->step(baseRates(**optimizer));
            for (const auto& slot : parameters.slots())
                COMPARE_TENSORS(slot.parameter.flatten(), floatsOf(golden["after"][step][slot.name]), 1e-6);
        }
    }

    void stateComesBack()
    {
        const Json golden = cases("optimizers")[9]; // AdamW with amsgrad
        const KindSpec spec = kindSpec(golden["optimizer"]);
        const auto groups = optimizerGroups(spec);
        FlatParameters first(startOf(golden, groups));
        auto optimizer = makeOptimizer(spec, groups, first);
        for (std::size_t step = 0; step < 3; ++step) {
            backward(first, golden["gradients"][step]);
            (*optimizer)->step(baseRates(**optimizer));
        }
        auto start = startOf(golden, groups);
        for (std::size_t i = 0; i < start.size(); ++i)
            start[i].parameter = first.slots()[i].parameter.detach().clone().set_requires_grad(true);
        FlatParameters second(start);
        auto other = makeOptimizer(spec, groups, second);
        QVERIFY((*other)->restore((*optimizer)->state()).ok());
        for (std::size_t step = 3; step < 6; ++step) {
            backward(second, golden["gradients"][step]);
            (*other)->step(baseRates(**other));
            for (const auto& slot : second.slots())
                COMPARE_TENSORS(slot.parameter.flatten(), floatsOf(golden["after"][step][slot.name]), 1e-6);
        }
        auto lacking = (*optimizer)->state();
        lacking.erase("exp_avg/b");
        const auto status = (*other)->restore(lacking);
        QVERIFY(!status.ok());
        QCOMPARE(status.error().code, ErrorCode::NotFound);
        QCOMPARE(status.error().where, std::string("b"));
    }

    void unknownOptimizersAreNamed()
    {
        FlatParameters parameters({{"w", torch::ones({2}).set_requires_grad(true)}});
        const auto optimizer = makeOptimizer({"Tiger"}, {}, parameters);
        QVERIFY(!optimizer.ok());
        QCOMPARE(optimizer.error().where, std::string("training/optimizer/kind"));
    }

    void normsAreThoseOfTheSlots()
    {
        FlatParameters parameters({{"a", torch::zeros({3}).set_requires_grad(true)},
                                   {"b", torch::ones({40000}).set_requires_grad(true)},
                                   {"c", torch::zeros({2}).set_requires_grad(true)}});
        parameters.zeroGradients();
        const auto& slots = parameters.slots();
        ((slots[0].parameter * torch::tensor({1.0F, 2.0F, -2.0F})).sum() + slots[1].parameter.sum() * 0.5).backward();
        parameters.noteGradients();
        const auto norms = gradientNorms(parameters);
        QVERIFY(slots[0].hasGradient && slots[1].hasGradient && !slots[2].hasGradient);
        QCOMPARE(norms.squares, (std::vector<double>{9, 10000, 0}));
        QCOMPARE(norms.total, std::sqrt(10009.0));
        QVERIFY(norms.finite);
        const auto squares = gradientSquares(parameters);
        QVERIFY(torch::equal(squares, torch::tensor({9.0, 10000.0, 0.0}, torch::kDouble)));

        const auto before = parameters.values().clone();
        {
            torch::NoGradGuard noGrad;
            slots[1].parameter.add_(0.25);
        }
        const auto update = updateNorms(parameters, before);
        QCOMPARE(update.before, (std::vector<double>{0, 40000, 0}));
        QCOMPARE(update.change, (std::vector<double>{0, 2500, 0}));
        QVERIFY(torch::equal(updateSquares(parameters, before),
                             torch::tensor({0.0, 0.0, 2500.0, 40000.0, 0.0, 0.0}, torch::kDouble).view({3, 2})));
    }

    void schedulesAsPyTorch_data()
    {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const auto& golden : cases("schedulers"))
            QTest::newRow(golden["schedulers"].dump().c_str()) << index++;
    }
    void schedulesAsPyTorch()
    {
        QFETCH(int, index);
        const Json golden = cases("schedulers")[static_cast<std::size_t>(index)];
        for (const auto interval : {ScheduleInterval::Step, ScheduleInterval::Epoch}) {
            Schedule schedule = scheduleOf(golden["schedulers"], interval);
            for (std::size_t i = 0; i < golden["rates"].size(); ++i) {
                for (std::size_t group = 0; group < 2; ++group) {
                    const double ours = schedule.rate(golden["bases"][group].get<double>());
                    const double theirs = golden["rates"][i][group].get<double>();
                    // PyTorch multiplies factor upon factor; a cosine's end is 0 up to rounding.
                    QVERIFY2(std::abs(ours - theirs) <= 1e-12 + 1e-9 * theirs, qPrintable(QString("interval %1: %2, not %3").arg(i).arg(ours).arg(theirs)));
                }
                const auto state = schedule.state();
                schedule = scheduleOf(golden["schedulers"], interval);
                schedule.restore(state); // after every interval: a checkpoint forgets nothing
                interval == ScheduleInterval::Step ? schedule.epochDone() : schedule.stepDone(); // the other clock
                interval == ScheduleInterval::Step ? schedule.stepDone() : schedule.epochDone();
            }
        }
    }

    void anEndlessSchedulerMustBeLast()
    {
        const auto schedule = Schedule::make({{{"StepLR", {{"step_size", 2}}}}, {{"ConstantLR", Json::object()}}});
        QVERIFY(!schedule.ok());
        QCOMPARE(schedule.error().where, std::string("training/scheduler/0"));
        QVERIFY(!Schedule::make({{{"Cosine", Json::object()}}}).ok());
    }

    void aSetRateScalesWhatFollows()
    {
        Schedule schedule = scheduleOf(Json::array({{{"kind", "StepLR"}, {"step_size", 2}, {"gamma", 0.5}}}));
        schedule.stepDone();
        schedule.setRate(0.4, 0.1);
        QCOMPARE(schedule.rate(0.4), 0.1);
        QCOMPARE(schedule.rate(0.8), 0.2); // other groups alike
        schedule.stepDone();
        QCOMPARE(schedule.rate(0.4), 0.05);
        schedule.setRate(0.4, 0);
        QCOMPARE(schedule.rate(0.4), 0.0);
        schedule.setRate(0.4, 0.3);
        QCOMPARE(schedule.rate(0.4), 0.3);
    }

    void aRateSetAtZeroHoldsUntilTheScheduleChanges()
    {
        Schedule schedule = scheduleOf(Json::array({{{"kind", "MultiStepLR"}, {"milestones", {1}}, {"gamma", 0.0}}}));
        schedule.stepDone();
        QCOMPARE(schedule.rate(0.4), 0.0);
        schedule.setRate(0.4, 0.1);
        schedule.stepDone();
        QCOMPARE(schedule.rate(0.4), 0.1);
        Schedule taken = scheduleOf(Json::array({{{"kind", "MultiStepLR"}, {"milestones", {1}}, {"gamma", 0.0}}}));
        taken.restore(schedule.state());
        QCOMPARE(taken.rate(0.4), 0.1);
    }

    void initialisesAsPyTorch_data()
    {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const auto& golden : cases("initializers"))
            QTest::newRow(golden["init"].dump().c_str()) << index++;
    }
    void initialisesAsPyTorch()
    {
        QFETCH(int, index);
        const Json golden = cases("initializers")[static_cast<std::size_t>(index)];
        const auto shape = golden["shape"].get<std::vector<std::int64_t>>();
        if (shape.size() > 2) {
            auto weight = torch::full(shape, 7.0F);
            torch::manual_seed(11);
            const KindSpec spec = kindSpec(golden["init"]);
            fillTensor(weight, spec.kind, spec.params);
            COMPARE_TENSORS(weight.flatten(), floatsOf(golden["values"]), 2e-6);
            return;
        }
        torch::nn::Linear layer(4, 6);
        torch::manual_seed(11);
        const auto status = initializeParameters(*layer, {{"*", kindSpec({{"kind", "zeros"}})}, {"weight", kindSpec(golden["init"])}});
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
        COMPARE_TENSORS(layer->weight.flatten(), floatsOf(golden["values"]), 2e-6);
        QVERIFY(torch::equal(layer->bias, torch::zeros({6}))); // the later entry did not match it
    }

    void anInitialiserThatDoesNotFitIsNamed()
    {
        torch::nn::Linear layer(4, 6);
        const auto status = initializeParameters(*layer, {{"weight", kindSpec({{"kind", "ones"}})}, {"*", kindSpec({{"kind", "xavier_uniform"}})}});
        QVERIFY(!status.ok());
        QCOMPARE(status.error().where, std::string("training/init/1"));
        QVERIFY(QString::fromStdString(status.error().message).contains("bias"));
    }

    void shapesThatDoNotFitAreNamed()
    {
        torch::nn::Conv1d layer(torch::nn::Conv1dOptions(2, 5, 3));
        for (const char* kind : {"eye", "sparse"})
            QVERIFY(!initializeParameters(*layer, {{"weight", kindSpec({{"kind", kind}, {"sparsity", 0.1}})}}).ok());
        const auto uneven = initializeParameters(*layer, {{"weight", kindSpec({{"kind", "dirac"}, {"groups", 2}})}});
        QVERIFY(!uneven.ok());
        QVERIFY(QString::fromStdString(uneven.error().message).contains("groups"));
        torch::nn::Linear flat(2, 2);
        QVERIFY(!initializeParameters(*flat, {{"weight", kindSpec({{"kind", "dirac"}})}}).ok());
    }

    void freezesByPattern()
    {
        torch::nn::Sequential model(torch::nn::Linear(2, 2), torch::nn::Linear(2, 1));
        QCOMPARE(freezeParameters(*model, {"0.*"}), (std::vector<std::string>{"0.weight", "0.bias"}));
        QVERIFY(!model->named_parameters()["0.weight"].requires_grad());
        QVERIFY(model->named_parameters()["1.bias"].requires_grad());
    }
};

QTEST_APPLESS_MAIN(TestOptimizer)
#include "tst_optimizer.moc"
