// Optimizers and schedules over many steps against PyTorch's (tests/baseline/make_optimizer_cases.py).
#include "golden.h"

#include "engine/train/optimizer.h"
#include "engine/train/schedule.h"

#include <QtTest>

using namespace athanor;

namespace {

const Json& golden()
{
    static const Json all = goldenCases("optimizer_cases.json");
    return all;
}

KindSpec kindSpec(const Json& json)
{
    KindSpec spec{json["kind"].get<std::string>(), json};
    spec.params.erase("kind");
    return spec;
}

std::vector<double> baseRates(const Optimizer& optimizer)
{
    std::vector<double> rates;
    for (const auto& group : optimizer.groups())
        rates.push_back(group.rate);
    return rates;
}

std::unique_ptr<Optimizer> made(const KindSpec& spec, const std::vector<OptimizerGroup>& groups,
                                FlatParameters& parameters, UpdatePath path = UpdatePath::Automatic)
{
    auto optimizer = makeOptimizer(spec, groups, parameters, path);
    if (!optimizer.ok())
        throw std::runtime_error(optimizer.error().text());
    return std::move(optimizer.value());
}

/// Parameters of the optimizer cases under an optimizer.
class Case {
public:
    Case(const KindSpec& spec, UpdatePath path)
    {
        const auto groups = optimizerGroups(spec);
        std::vector<NamedParameter> named;
        for (const auto& [name, values] : golden()["start"].items()) {
            const auto shape = golden()["shapes"][name].get<std::vector<std::int64_t>>();
            named.push_back({name, floatsOf(values).view(shape).set_requires_grad(true), groupOf(groups, name)});
        }
        parameters = std::make_unique<FlatParameters>(std::move(named));
        optimizer = made(spec, groups, *parameters, path);
    }

    void step(std::size_t number)
    {
        parameters->zeroGradients();
        torch::Tensor loss;
        const Json& gradients = golden()["gradients"][number];
        for (const auto& slot : parameters->slots()) {
            if (gradients[slot.name].is_null())
                continue;
            const auto term = (slot.parameter * floatsOf(gradients[slot.name]).view(slot.parameter.sizes())).sum();
            loss = loss.defined() ? loss + term : term;
        }
        loss.backward();
        parameters->noteGradients();
        optimizer->step(baseRates(*optimizer));
    }

    std::unique_ptr<FlatParameters> parameters;
    std::unique_ptr<Optimizer> optimizer;
};

/// The two parameters of the cases that evaluate f = Σ (1 − a)² + 10 (b − a²)² themselves.
class Valley {
public:
    explicit Valley(const Json& one)
    {
        const KindSpec spec = kindSpec(one["optimizer"]);
        const auto groups = optimizerGroups(spec);
        std::vector<NamedParameter> named;
        for (const char* name : {"a", "b"})
            named.push_back({name, floatsOf(one["start"][name]).set_requires_grad(true)});
        parameters = std::make_unique<FlatParameters>(std::move(named));
        optimizer = made(spec, groups, *parameters);
        rate = groups.front().rate;
    }

    double evaluate()
    {
        const torch::AutoGradMode grad(true);
        parameters->zeroGradients();
        const auto& a = parameters->slots()[0].parameter;
        const auto& b = parameters->slots()[1].parameter;
        auto loss = ((1 - a).pow(2) + 10 * (b - a.pow(2)).pow(2)).sum();
        if (poisoned)
            loss = loss / 0;
        loss.backward();
        parameters->noteGradients();
        return loss.item<double>();
    }
    bool step() { return optimizer->stepEvaluating(rate, evaluate(), [this] { return evaluate(); }); }

    std::unique_ptr<FlatParameters> parameters;
    std::unique_ptr<Optimizer> optimizer;
    double rate = 0;
    bool poisoned = false;
};

Schedule scheduleOf(const Json& list)
{
    std::vector<SchedulerSpec> specs;
    for (const auto& entry : list) {
        SchedulerSpec spec{kindSpec(entry), ScheduleInterval::Step, {}};
        if (entry.contains("duration"))
            spec.duration = entry["duration"].get<std::int64_t>();
        spec.scheduler.params.erase("duration");
        specs.push_back(std::move(spec));
    }
    auto schedule = Schedule::make(specs);
    if (!schedule.ok())
        throw std::runtime_error(schedule.error().text());
    return *schedule;
}

} // namespace

class TestOptimizerParity : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsAsPyTorch_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<bool>("kernels");
        int index = 0;
        for (const auto& one : golden()["optimizers"]) {
            const std::string name = one["optimizer"].dump();
            QTest::newRow(("kernels " + name).c_str()) << index << true;
            QTest::newRow(("tensors " + name).c_str()) << index++ << false;
        }
    }
    void stepsAsPyTorch()
    {
        QFETCH(int, index);
        QFETCH(bool, kernels);
        const Json& one = golden()["optimizers"][static_cast<std::size_t>(index)];
        Case run(kindSpec(one["optimizer"]), kernels ? UpdatePath::Automatic : UpdatePath::TensorOperations);
        for (std::size_t step = 0; step < golden()["gradients"].size(); ++step) {
            run.step(step);
            const auto shown = one["after"].find(std::to_string(step + 1));
            if (shown == one["after"].end())
                continue;
            for (const auto& slot : run.parameters->slots())
                COMPARE_TENSORS(slot.parameter.flatten(), floatsOf((*shown)[slot.name]), 1e-6);
        }
    }

    void aStateComesBackBitForBit_data() { stepsAsPyTorch_data(); }
    void aStateComesBackBitForBit()
    {
        QFETCH(int, index);
        QFETCH(bool, kernels);
        const KindSpec spec = kindSpec(golden()["optimizers"][static_cast<std::size_t>(index)]["optimizer"]);
        const auto path = kernels ? UpdatePath::Automatic : UpdatePath::TensorOperations;
        Case whole(spec, path), first(spec, path), second(spec, path);
        for (std::size_t step = 0; step < 20; ++step) {
            whole.step(step);
            if (step < 9)
                first.step(step);
        }
        {
            torch::NoGradGuard noGrad;
            second.parameters->values().copy_(first.parameters->values());
        }
        const auto status = second.optimizer->restore(first.optimizer->state());
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
        for (std::size_t step = 9; step < 20; ++step)
            second.step(step);
        QVERIFY(torch::equal(whole.parameters->values(), second.parameters->values()));
    }

    void evaluatesAsPyTorch_data()
    {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const auto& one : golden()["losses"])
            QTest::newRow(one["optimizer"].dump().c_str()) << index++;
    }
    void evaluatesAsPyTorch()
    {
        QFETCH(int, index);
        const Json& one = golden()["losses"][static_cast<std::size_t>(index)];
        Valley valley(one);
        for (std::size_t step = 1; step <= 50; ++step) {
            QVERIFY(valley.step());
            if (const auto shown = one["after"].find(std::to_string(step)); shown != one["after"].end())
                for (const auto& slot : valley.parameters->slots())
                    COMPARE_TENSORS(slot.parameter, floatsOf((*shown)[slot.name]), 1e-6);
        }
    }

    void anEvaluatingStateComesBackBitForBit()
    {
        for (const auto& one : golden()["losses"]) {
            Valley whole(one), second(one);
            for (int step = 0; step < 3; ++step)
                whole.step();
            {
                torch::NoGradGuard noGrad;
                second.parameters->values().copy_(whole.parameters->values());
            }
            QVERIFY(second.optimizer->restore(whole.optimizer->state()).ok());
            for (int step = 0; step < 4; ++step) {
                whole.step();
                second.step();
            }
            QVERIFY(torch::equal(whole.parameters->values(), second.parameters->values()));
            auto lacking = whole.optimizer->state();
            lacking.erase("lbfgs/d");
            QVERIFY(!second.optimizer->restore(lacking).ok());
        }
    }

    void aStepThatMeetsNoNumberIsTakenBack()
    {
        for (const auto& one : golden()["losses"]) {
            Valley valley(one), other(one);
            valley.step();
            other.step();
            const auto before = valley.parameters->values().clone();
            const double loss = valley.evaluate();
            valley.poisoned = true;
            QVERIFY(!valley.optimizer->stepEvaluating(valley.rate, loss, [&] { return valley.evaluate(); }));
            QVERIFY(torch::equal(valley.parameters->values(), before));
            valley.poisoned = false;
            valley.step();
            other.step(); // nothing was remembered of the one that was taken back
            QVERIFY(torch::equal(valley.parameters->values(), other.parameters->values()));
        }
    }

    void biasesAndNormsCanBeLeftOutOfTheDecay()
    {
        for (const char* kind : {"SGD", "Adam", "AdamW", "RAdam", "NAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "Lion"}) {
            const auto run = [&](bool isMatrix, Json params) {
                params["lr"] = 0.1;
                const KindSpec spec{kind, std::move(params)};
                const auto groups = optimizerGroups(spec);
                FlatParameters parameters({{"w", torch::ones({4}).set_requires_grad(true), 0, isMatrix}});
                auto optimizer = made(spec, groups, parameters);
                parameters.zeroGradients();
                (parameters.slots()[0].parameter * 0.5).sum().backward();
                parameters.noteGradients();
                optimizer->step({0.1});
                optimizer->step({0.1});
                return parameters.slots()[0].parameter.detach().clone();
            };
            const Json decay{{"weight_decay", 0.5}}, left{{"weight_decay", 0.5}, {"decay_bias_and_norm", false}};
            QVERIFY2(torch::equal(run(false, left), run(true, {{"weight_decay", 0.0}})), kind);
            QVERIFY2(torch::equal(run(true, left), run(true, decay)), kind);
            QVERIFY2(torch::equal(run(false, decay), run(true, decay)), kind);
        }
    }

    void settingsChangeInFlight()
    {
        Case changed({"SGD", {{"lr", 0.1}}}, UpdatePath::Automatic);
        changed.step(1);
        changed.optimizer->reconfigure(optimizerGroups({"SGD", {{"lr", 0.1}, {"momentum", 0.9}, {"weight_decay", 0.2}}}));
        const auto before = changed.parameters->slots()[1].parameter.detach().clone();
        changed.step(2);
        // A momentum that is new starts from nothing: w − lr (g + 0.2 w).
        const auto gradient = floatsOf(golden()["gradients"][2]["b"]);
        COMPARE_TENSORS(changed.parameters->slots()[1].parameter, before - 0.1 * (gradient + 0.2 * before), 1e-6);
        QCOMPARE(changed.optimizer->state().count("momentum_buffer/b"), 1U);
        changed.optimizer->setMomentum(0.25);
        QCOMPARE(changed.optimizer->groups()[0].params["momentum"], Json(0.25));
        Case adam({"AdamW", {}}, UpdatePath::Automatic);
        adam.optimizer->setMomentum(0.85);
        QVERIFY(adam.optimizer->groups()[0].params["betas"] == Json::array({0.85, 0.999}));
    }

    void schedulesAsPyTorch_data()
    {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const auto& one : golden()["schedulers"])
            QTest::newRow(one["schedulers"].dump().c_str()) << index++;
    }
    void schedulesAsPyTorch()
    {
        QFETCH(int, index);
        const Json& one = golden()["schedulers"][static_cast<std::size_t>(index)];
        Schedule schedule = scheduleOf(one["schedulers"]);
        for (std::size_t i = 0; i < one["rates"].size(); ++i) {
            for (std::size_t group = 0; group < 2; ++group) {
                const double ours = schedule.rate(one["bases"][group].get<double>());
                const double theirs = one["rates"][i][group].get<double>();
                // PyTorch multiplies factor upon factor, which rounds a hundred times.
                QVERIFY2(std::abs(ours - theirs) <= 1e-13 + 1e-12 * theirs,
                         qPrintable(QString("interval %1: %2, not %3").arg(i).arg(ours, 0, 'g', 17).arg(theirs, 0, 'g', 17)));
            }
            QCOMPARE(schedule.momentum().has_value(), one.contains("momenta"));
            if (one.contains("momenta"))
                QVERIFY(std::abs(*schedule.momentum() - one["momenta"][i].get<double>()) < 1e-13);
            const auto state = schedule.state();
            schedule = scheduleOf(one["schedulers"]);
            schedule.restore(state); // after every interval: a checkpoint forgets nothing
            schedule.epochDone();    // the other clock
            schedule.stepDone();
            if (one.contains("metrics"))
                schedule.observe("val/loss", one["metrics"][i].get<double>());
        }
    }

    void aPlateauIgnoresOtherSeriesAndNoNumbers()
    {
        Schedule schedule = scheduleOf(Json::array({{{"kind", "ReduceLROnPlateau"}, {"patience", 1}, {"monitor", "val/mae"}}}));
        QCOMPARE(schedule.watched(), std::string("val/mae"));
        for (int i = 0; i < 10; ++i)
            schedule.observe("val/loss", 1);
        QCOMPARE(schedule.rate(1), 1.0);
        schedule.observe("val/mae", std::nan(""));
        schedule.observe("val/mae", 3);
        schedule.observe("val/mae", std::nan(""));
        QCOMPARE(schedule.rate(1), 1.0);
        schedule.observe("val/mae", std::nan(""));
        QCOMPARE(schedule.rate(1), 0.1);
    }

    void aScheduleIsKnownBeforeTheRun()
    {
        TrainSpec spec;
        spec.optimizer = {"SGD", {{"lr", 0.5}, {"momentum", 0.9}}};
        spec.schedulers = {{{"OneCycleLR", {{"max_lr", 1.0}}}, ScheduleInterval::Step, {}}};
        const auto curve = previewSchedule(spec, 10, 100);
        QVERIFY(curve.ok());
        QCOMPARE(curve->steps.size(), 100U);
        QCOMPARE(curve->momenta.size(), 100U);
        auto made = Schedule::make(spec.schedulers, {100, 10});
        QVERIFY(made.ok());
        Schedule schedule = *made;
        for (std::size_t i = 0; i < 100; ++i) {
            QCOMPARE(curve->rates[i], schedule.rate(0.5));
            schedule.stepDone();
        }
        QVERIFY(std::abs(curve->rates.back() - 1.0 / 25 / 1e4) < 1e-15); // the cycle is as long as the run

        spec.schedulers = {{{"LambdaLR", {{"lr_lambda", "epoch + step / 1000"}}}, ScheduleInterval::Step, {}}};
        const auto fewer = previewSchedule(spec, 10, 1000, 11);
        QVERIFY(fewer.ok());
        QCOMPARE(fewer->steps.size(), 11U);
        QCOMPARE(fewer->steps.front(), std::int64_t(1));
        QCOMPARE(fewer->steps.back(), std::int64_t(1000));
        QCOMPARE(fewer->rates.back(), 0.5 * (99 + 0.999));
        QVERIFY(fewer->momenta.empty());

        spec.schedulers = {{{"LambdaLR", {{"lr_lambda", "epoch +"}}}, ScheduleInterval::Step, {}}};
        const auto broken = previewSchedule(spec, 10, 10);
        QVERIFY(!broken.ok());
        QCOMPARE(broken.error().where, std::string("training/scheduler/lr_lambda"));
    }
};

QTEST_APPLESS_MAIN(TestOptimizerParity)
#include "tst_optimizer_parity.moc"
