// The summary table, driven by real events.
#include "tests/ui/graph/canvas_fixture.h"

#include "ui/graph/summary_model.h"
#include "ui/graph/summary_panel.h"
#include "ui/graph/whole_number_box.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>

using namespace athanor;
using namespace athanor::test;

class SummaryPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_project = std::make_unique<OpenProject>();
        m_project->selection.follow(m_project->document);
        m_panel = std::make_unique<SummaryPanel>(m_project->document, m_project->selection, m_project->theme);
        m_panel->resize(1000, 400);
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
        m_project->open();
        m_table = m_panel->findChild<QTableView*>(QStringLiteral("summaryTable"));
    }
    void cleanup()
    {
        m_panel.reset();
        m_project.reset();
    }

    void rowsFollowTheCheck()
    {
        QCOMPARE(m_table->model()->rowCount(), 9);
        QCOMPARE(cell("conv1", SummaryModel::Output), QStringLiteral("N×32×28×28"));
        QCOMPARE(cell("conv1", SummaryModel::Parameters), QStringLiteral("320"));
        QCOMPARE(cell("conv1", SummaryModel::Field), QStringLiteral("3×3"));
        const GraphEdit wider{edit::SetParameter{"conv1", "out_channels", 8}};
        QVERIFY(m_project->document.push(GraphPart::Network, wider, QStringLiteral("x")).ok());
        m_project->waitForCheck();
        QCOMPARE(cell("conv1", SummaryModel::Parameters), QStringLiteral("80"));
    }

    void batchChangesTheMemory()
    {
        auto* batch = m_panel->findChild<WholeNumberBox*>(QStringLiteral("summaryBatch"));
        QCOMPARE(batch->value(), std::optional<std::int64_t>(64)); // the Loader's
        QCOMPARE(cell("relu1", SummaryModel::Memory), QStringLiteral("6.12 MiB")); // 64 · 32 · 784 · 4 B = 6.125
        batch->setFocus();
        QTest::keyClick(batch, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(batch, QStringLiteral("128"));
        QCOMPARE(cell("relu1", SummaryModel::Memory), QStringLiteral("12.2 MiB"));
    }

    void clickSelectsTheNode()
    {
        const QModelIndex row = find("fc1");
        QTest::mouseClick(m_table->viewport(), Qt::LeftButton, {}, m_table->visualRect(row).center());
        QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"fc1"});
        m_project->selection.select(GraphPart::Network, {"conv1"});
        QVERIFY(m_table->currentIndex().data().toString().startsWith(QStringLiteral("conv1")));
        m_table->setFocus();
        QTest::keyClick(m_table, Qt::Key_Down);
        QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"relu1"});
    }

    void sortsByNumbers()
    {
        const int x = m_table->horizontalHeader()->sectionViewportPosition(SummaryModel::Parameters) + 20;
        QTest::mouseClick(m_table->horizontalHeader()->viewport(), Qt::LeftButton, {}, QPoint(x, 8));
        m_table->sortByColumn(SummaryModel::Parameters, Qt::DescendingOrder);
        QVERIFY(first().startsWith(QStringLiteral("fc1"))); // 802 944
        m_table->sortByColumn(SummaryModel::Field, Qt::DescendingOrder);
        QVERIFY(first().startsWith(QStringLiteral("fc"))); // sees all
        m_table->sortByColumn(SummaryModel::Layer, Qt::AscendingOrder);
        QVERIFY(first().startsWith(QStringLiteral("image")));
    }

    void copies()
    {
        m_panel->copyAsText();
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("conv1 (Conv2d)")));
        QVERIFY(!QApplication::clipboard()->text().contains(u'|'));
        m_panel->copyAsMarkdown();
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("| Layer (kind) |")));
    }

    void modelIsSound()
    {
        SummaryModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const Project& project = m_project->document.project();
        model.setSummary(summarize(project.network, m_project->document.check().network, 1));
        model.setSummary(summarize(project.network, m_project->document.check().network, 2));
        QCOMPARE(model.rowCount(), 9);
        model.setSummary({});
        QCOMPARE(model.rowCount(), 0);
    }

private:
    [[nodiscard]] QModelIndex find(const char* node) const
    {
        for (int row = 0; row < m_table->model()->rowCount(); ++row)
            if (m_table->model()->index(row, 0).data().toString().startsWith(QString::fromLatin1(node) + u' '))
                return m_table->model()->index(row, 0);
        return {};
    }
    [[nodiscard]] QString cell(const char* node, int column) const
    {
        return find(node).siblingAtColumn(column).data().toString();
    }
    [[nodiscard]] QString first() const { return m_table->model()->index(0, 0).data().toString(); }

    std::unique_ptr<OpenProject> m_project;
    std::unique_ptr<SummaryPanel> m_panel;
    QTableView* m_table = nullptr;
};

QTEST_MAIN(SummaryPanelTest)
#include "tst_summary_panel.moc"
