// What completion offers, and how declarations are written as text.
#include "ui/script/script_completion.h"
#include "ui/script/script_draft.h"
#include "ui/script/script_templates.h"

#include "engine/train/script/script_typer.h"

#include <QtTest>

using namespace athanor;

namespace {

QStringList offered(const QString& before, bool asked = false)
{
    ScriptNames names;
    names.members = {QStringLiteral("weight"), QStringLiteral("wide"), QStringLiteral("training")};
    return completionAt(before, before, names, asked).names;
}

const QString kHead = QStringLiteral("def forward(self, pixels: Tensor) -> Tensor:\n    ");

} // namespace

class TestScriptCompletion : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void offersWhatFits()
    {
        QVERIFY(offered(kHead + "return torch.rel").contains(QStringLiteral("relu")));
        QVERIFY(!offered(kHead + "return torch.rel").contains(QStringLiteral("sigmoid")));
        QVERIFY(offered(kHead + "return pixels.tran").contains(QStringLiteral("transpose")));
        QVERIFY(offered(kHead + "return (pixels + 1).sq").contains(QStringLiteral("squeeze")));
        QVERIFY(offered(kHead + "x = pixels.").contains(QStringLiteral("shape")));
        QCOMPARE(offered(kHead + "x = self.w"),
                 (QStringList{QStringLiteral("weight"), QStringLiteral("wide")}));
        QCOMPARE(offered(kHead + "x = pi"), QStringList{QStringLiteral("pixels")});
        QVERIFY(offered(kHead + "x = math.p").contains(QStringLiteral("pi")));
        QVERIFY(offered(kHead + "y: Opt").contains(QStringLiteral("Optional")));
    }

    void offersNothingUnasked()
    {
        QVERIFY(offered(kHead + "x").isEmpty());
        QVERIFY(!offered(kHead, true).isEmpty());
        QVERIFY(offered(kHead + "# torch.rel").isEmpty());
        QVERIFY(offered(kHead + "print('torch.rel").isEmpty());
        QVERIFY(!offered(kHead + "print('a'), torch.rel").isEmpty());
        QVERIFY(offered(kHead + "x = 3.").isEmpty());
        QVERIFY(offered(kHead + "x = zzzz").isEmpty());
    }

    void listsTorchsOwnFunctions()
    {
        const QStringList all = offered(kHead + "x = torch.");
        for (const char* name : {"matmul", "softmax", "cat", "einsum", "conv2d", "float32", "where"})
            QVERIFY2(all.contains(QString::fromLatin1(name)), name);
        for (const char* name :
             {"save", "from_file", "manual_seed", "_convolution", "relu_backward", "cudnn_convolution"})
            QVERIFY2(!all.contains(QString::fromLatin1(name)), name);
        QVERIFY(callTipAt(kHead + "x = torch.relu(").first().startsWith(QStringLiteral("relu(Tensor self)")));
        QVERIFY(callTipAt(kHead + "x = torch.nosuchthing(").isEmpty());
        QVERIFY(callTipAt(kHead + "# torch.relu(").isEmpty());
    }

    void declarationsAreText()
    {
        QCOMPARE(initText(Json("zeros")), QStringLiteral("zeros"));
        QCOMPARE(initText(Json{{"kind", "normal"}, {"std", 0.02}}), QStringLiteral("normal(std=0.02)"));
        QVERIFY(initFromText(QStringLiteral(" normal( std = 0.02, mean=1 ) ")) ==
                (Json{{"kind", "normal"}, {"std", 0.02}, {"mean", 1}}));
        QVERIFY(initFromText(QStringLiteral("ones()")) == Json("ones"));
        QVERIFY(initFromText(QStringLiteral("kaiming_uniform(nonlinearity=relu)")) ==
                (Json{{"kind", "kaiming_uniform"}, {"nonlinearity", "relu"}}));
        QVERIFY(initFromText(QString()).is_null());
        QVERIFY(initFromText(QStringLiteral("normal(0.02)")) == Json("normal(0.02)")); // the check complains
        QCOMPARE(shapeText(Json{16, "x.size(1)"}), QStringLiteral("16, x.size(1)"));
        QVERIFY(shapeFromText(QStringLiteral("[4*(a, 2), x.size(1), 3]")).size() == 3);
        QVERIFY(shapeFromText(QStringLiteral("16, x.size(1)")) == (Json{16, "x.size(1)"}));
        QVERIFY(shapeFromText(QString()) == Json::array());
    }

    void templatesAreRight_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("index");
        for (const char* kind : {"Script", "ScriptLoss"}) {
            const auto templates = scriptTemplates(kind);
            for (std::size_t i = 0; i < templates.size(); ++i)
                QTest::newRow(qPrintable(templates[i].title))
                    << QString::fromLatin1(kind) << static_cast<int>(i);
        }
    }
    void templatesAreRight()
    {
        QFETCH(QString, kind);
        QFETCH(int, index);
        const ScriptDraft draft = scriptTemplates(kind.toStdString())[static_cast<std::size_t>(index)].draft;
        ScriptInputs inputs;
        const bool isSequence =
            draft.params["source"].get<std::string>().find("x.size(1)):") != std::string::npos;
        inputs["x"] = isSequence ? TensorType{{kBatch, 5, 4}} : TensorType{{kBatch, 4}};
        for (const char* name : {"input", "target", "mean", "logvar"})
            inputs[name] = TensorType{{kBatch, 4}};
        const ResolvedDraft resolved = resolveDraft(draft, inputs);
        const ScriptReport report = reportScript(*resolved.kind, resolved.context, {});
        for (const auto& problem : report.problems)
            QFAIL(placedText(problem).c_str());
        for (const auto& problem : report.others)
            QFAIL(problem.message.c_str());
        QCOMPARE(report.outputs.size(), resolved.kind->outputs.size());
        for (const auto& output : report.outputs)
            QVERIFY(output && output->dims.front() == kBatch);
    }
};

QTEST_GUILESS_MAIN(TestScriptCompletion)
#include "tst_script_completion.moc"
