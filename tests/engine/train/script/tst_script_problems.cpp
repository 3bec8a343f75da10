#include "script_tools.h"

#include <QtTest>

using namespace athanor;

namespace {

constexpr const char* kHead = "def forward(self, x: Tensor) -> Tensor:\n"; // the body starts at line 2

} // namespace

class TestScriptProblems : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesLineAndColumn_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column"); // 0: any
        QTest::addColumn<QString>("word");
        const auto add = [](const char* body, int line, int column, const char* word) {
            QTest::newRow(body) << QString::fromUtf8(body) << line << column << QString::fromUtf8(word);
        };
        // syntax
        add("    return (x\n", 2, 14, "expected )");
        add("    return x +\n", 2, 15, "expected");
        add("    y = = x\n    return y\n", 2, 9, "found '='");
        add("    for i in range(3)\n        x = x\n    return x\n", 2, 22, "expected :");
        add("    if x.size(0) > 1\n        return x\n    return x\n", 2, 21, "expected :");
        add("    y = x\n        return y\n", 2, 10, "end of the line");
        add("\ty = x\n        return y\n", 2, 0, "");
        add("    y = 'open\n    return x\n", 2, 9, "");
        add("    y = x $ 2\n    return y\n", 2, 11, "means nothing");
        add("    import os\n    return x\n", 2, 5, "import");
        add("    class A:\n        pass\n    return x\n", 2, 5, "class");
        add("    f = lambda a: a\n    return x\n", 2, 16, "");
        add("    return f'{x}'\n", 2, 0, "");
        add("    try:\n        y = x\n    except:\n        y = x\n    return y\n", 2, 0, "");
        // names and types
        add("    return x + y\n", 2, 16, "unknown name y");
        add("    z = x\n\n    return x + zz\n", 4, 16, "unknown name zz");
        add("    return self.weight * x\n", 2, 12, "self has no 'weight'");
        add("    return torch.relux(x)\n", 2, 12, "no torch.relux");
        add("    return torch.nn.functional.relu(x)\n", 2, 12, "torch.nn");
        add("    return x.blur()\n", 2, 12, "no attribute or method 'blur'");
        add("    return torch.cat(x, 1)\n", 2, 12, "List[Tensor]");
        add("    return x.relu(3)\n", 2, 12, "Expected at most");
        add("    return 3\n", 2, 5, "type int");
        add("    return x, x\n", 2, 5, "Tuple[Tensor, Tensor]");
        add("    y = x\n", 1, 5, "does not return on every way");
        add("    a, b = x, x, x\n    return a\n", 2, 5, "too many values");
        add("    if x.size(1) > 2:\n        y = x\n    return y\n", 2, 5, "not defined in the false branch");
        add("    y: Strange = x\n    return x\n", 2, 8, "Unknown type name 'Strange'");
        add("    return self.forward(x)\n", 2, 12, "recursively");
        add("    x += 1.5 if bool(x.sum() > 0) else 'a'\n    return x\n", 2, 10,
            "true branch has type float");
        add("    s = 'ä€ü'\n    return x + ü\n", 3, 16, "means nothing");
        add("    s = 'ä€ü'; return x + y\n", 2, 0, "");
        // when it runs
        add("    y = x + 1\n    return torch.matmul(y, y)\n", 3, 12, "[2, 3]");
        add("    return x.view(7)\n", 2, 12, "shape '[7]' is invalid");
        add("    return x[:, 9]\n", 2, 12, "index 9 out of range");
        add("    assert x.size(1) == 5, 'five are needed'\n    return x\n", 2, 5, "five are needed");
        add("    if x.size(1) == 3:\n        raise ValueError('not three')\n    return x\n", 3, 9,
            "not three");
        add("    while x.size(1) > 0:\n        x = x + 0\n    return x\n", 2, 5, "did not end in time");
        add("    return x.double()\n", 1, 5, "Double");
        add("    return x > 0\n", 1, 5, "Bool");
        // what is refused
        add("    torch.save(x, '/tmp/athanor-must-not-exist')\n    return x\n", 2, 5, "files");
        add("    return x + torch.from_file('/etc/passwd', False, 4)\n", 2, 16, "files");
        add("    torch.manual_seed(3)\n    return x\n", 2, 5, "seed");
        add("    self.training = False\n    return x\n", 2, 5, "self.training cannot be assigned");
    }
    void namesLineAndColumn()
    {
        QFETCH(QString, body);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(QString, word);
        const ScriptReport report = reportOf(kHead + body.toStdString());
        QVERIFY2(!report.problems.empty(),
                 report.others.empty() ? "no problem" : report.others[0].message.c_str());
        const std::string text = placedText(report.problems.front());
        const QByteArray shown = QByteArray::fromStdString(text);
        QVERIFY2(report.problems.front().place.line == line, shown);
        QVERIFY2(column == 0 || report.problems.front().place.column == column, shown);
        QVERIFY2(QString::fromStdString(text).contains(word), shown);
        QVERIFY2(!text.ends_with(":") && text.find("aten::") == std::string::npos &&
                     text.find("__torch__") == std::string::npos && text.find('\n') == std::string::npos,
                 shown);
        QVERIFY(!QFile::exists(QStringLiteral("/tmp/athanor-must-not-exist")));
    }

    void everyPrefixAndEveryDamageIsAnAnswer()
    {
        const std::string source =
            "def helper(a: Tensor) -> Tensor:\n    return a * 2\n" + std::string(kHead) +
            "    for i in range(x.size(1)):\n        if i > 1:\n            x = helper(x)\n"
            "    return torch.cat([x, x[:, :1]], 1)\n";
        QVERIFY(reportOf(source).ok());
        const std::string signs = "([{)]}'\"\\#\n\t :=,.0xé\0";
        for (std::size_t cut = 0; cut < source.size(); cut += 2) {
            const auto whole = reportOf(source.substr(0, cut));
            QVERIFY(!whole.ok() || cut > source.size() - 3);
            std::string changed = source;
            changed[cut] = signs[cut % signs.size()];
            reportOf(changed);
        }
    }

    void misspeltMembersAreGuessed()
    {
        const ScriptReport report =
            reportOf("def forward(self, x: Tensor) -> Tensor:\n    return x * self.weigth\n",
                     {{"parameters", Json::array({{{"name", "weight"}, {"shape", {4}}}})}});
        QCOMPARE(report.problems.at(0).hint, std::string("did you mean 'weight'?"));
    }

    void lineEndsAreTaken()
    {
        QVERIFY(reportOf("def forward(self, x: Tensor) -> Tensor:\n    return x").ok());
        QVERIFY(reportOf("def forward(self, x: Tensor) -> Tensor:\r\n    return x\r\n").ok());
        const ScriptReport broken =
            reportOf("def forward(self, x: Tensor) -> Tensor:\r\n    y = x\r\n    return z");
        QCOMPARE(broken.problems.at(0).place, (SourcePlace{3, 12, 1}));
    }

    void excessIsRefusedInsteadOfCrashing_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<bool>("fine");
        const auto times = [](const char* text, int count) {
            return QString::fromLatin1(text).repeated(count);
        };
        for (const int count : {400, 50000}) {
            const bool fine = count == 400;
            const QByteArray number = QByteArray::number(count);
            QTest::newRow("sums " + number) << "return x" + times("+x", count) << fine;
            QTest::newRow("signs " + number) << "return " + times("-", count) + "x" << fine;
            QTest::newRow("nots " + number) << "return x if " + times("not ", count) + "True else x" << fine;
            QTest::newRow("parentheses " + number)
                << "return " + times("(", count) + "x" + times(")", count) << fine;
            QTest::newRow("calls " + number) << "return x" + times(".relu()", count) << fine;
            QTest::newRow("powers " + number) << "return x" + times("**x", count) << fine;
            QTest::newRow("open " + number) << "return " + times("[", count) << false;
        }
        QString blocks;
        for (int depth = 1; depth < 3000; ++depth) {
            blocks += "if True:\n    " + QString(depth, u' ');
        }
        QTest::newRow("blocks") << blocks + "return x" << false;
        QTest::newRow("lines") << times("x = x + 1\n    ", 50000) + "return x" << false;
    }
    void excessIsRefusedInsteadOfCrashing()
    {
        QFETCH(QString, line);
        QFETCH(bool, fine);
        const ScriptReport report = reportOf(kHead + ("    " + line + "\n").toStdString());
        QVERIFY2(report.ok() == fine, report.ok()               ? "taken"
                                      : report.problems.empty() ? ""
                                                                : report.problems[0].message.c_str());
    }

    void aHelpersMistakeIsFoundInTheHelper()
    {
        const ScriptReport report =
            reportOf("def double(a: Tensor) -> Tensor:\n    return a * factor\n\n"
                     "def forward(self, x: Tensor) -> Tensor:\n    return double(x)\n");
        QCOMPARE(report.problems.size(), std::size_t{1});
        QCOMPARE(report.problems[0].place, (SourcePlace{2, 16, 6}));
        const ScriptReport running =
            reportOf("def pick(a: Tensor) -> Tensor:\n    return a[:, 9]\n\n"
                     "def forward(self, x: Tensor) -> Tensor:\n    return pick(x)\n");
        QCOMPARE(running.problems.at(0).place.line, 2);
    }

    void lossesAreOneNumberWithAGradient()
    {
        const auto word = [](const std::string& body) {
            const ScriptReport report = reportOf(
                "def forward(self, input: Tensor) -> Tensor:\n    return " + body + "\n", {}, "ScriptLoss");
            return report.problems.empty() ? std::string() : report.problems[0].message;
        };
        QCOMPARE(word("input.mean()"), std::string());
        QVERIFY(word("input").find("returns 24 numbers") != std::string::npos);
        QVERIFY(word("input.argmax()").find("fraction") != std::string::npos);
        QVERIFY(word("input.detach().mean()").find("gradient") != std::string::npos);
        const ScriptReport two =
            reportOf("def forward(self, input: Tensor) -> Tuple[Tensor, Tensor]:\n    return input, input\n",
                     {}, "ScriptLoss");
        QVERIFY(!two.ok());
    }

    void declarationsAreChecked()
    {
        const auto message = [](const Json& entry) {
            const ScriptReport report = reportOf("def forward(self, x: Tensor) -> Tensor:\n    return x\n",
                                                 {{"parameters", Json::array({entry})}});
            return report.others.empty() ? std::string()
                                         : report.others[0].parameter + ": " + report.others[0].message;
        };
        QCOMPARE(message({{"name", "w"}, {"shape", {3}}}), std::string());
        QVERIFY(message({{"name", "w"}, {"shape", {3}}, {"init", "kaming_uniform"}}).find("no initialiser") !=
                std::string::npos);
        QVERIFY(
            message({{"name", "w"}, {"shape", {3}}, {"init", "xavier_normal"}}).find("w cannot be filled") ==
            std::string::npos);
        QVERIFY(message({{"name", "w"}, {"shape", {3}}, {"init", {{"kind", "normal"}, {"std", -1}}}})
                    .find("std") != std::string::npos);
    }

    void resultsWithoutAnArrowAreFoundOut()
    {
        QVERIFY(reportOf("def forward(self, x: Tensor):\n    return x\n").ok());
        const ScriptReport two = reportOf("def forward(self, x: Tensor):\n    return x, x\n");
        QVERIFY(two.problems.at(0).message.find("returns 2 tensors") != std::string::npos);
        QCOMPARE(two.problems[0].place, (SourcePlace{1, 5, 7}));
    }

    void cancelledReportsAreNotKept()
    {
        const Json params{
            {"source",
             "def forward(self, x: Tensor) -> Tensor:\n    while x.size(1) > 0:\n        x = x * 1\n"
             "    return x # cancelled\n"}};
        const CheckedScript checked("Script", params, {torch::ones({2, 3})});
        QElapsedTimer timer;
        timer.start();
        const ScriptReport none = reportScript(*checked.kind, checked.context, {}, [] { return true; });
        QVERIFY(none.ok() && none.outputs.empty());
        QVERIFY(timer.elapsed() < 1500); // the loop itself would go on for two seconds
        QVERIFY(!checked.report().ok());
    }

    void aKnownReportIsQuick()
    {
        const std::string source =
            "def forward(self, x: Tensor) -> Tensor:\n    return torch.tanh(x) # known\n";
        QVERIFY(reportOf(source).ok());
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 100; ++i)
            reportOf(source);
        QVERIFY2(timer.elapsed() < 500, "a hundred known reports must not be compiled again");
    }
};

QTEST_APPLESS_MAIN(TestScriptProblems)
#include "tst_script_problems.moc"
