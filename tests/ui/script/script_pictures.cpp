// Not a test: pictures of the script editor to look at. script_pictures FOLDER
#include "ui/script/script_dialog.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_templates.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QPainter>
#include <QTest>

using namespace athanor;

namespace {

void shoot(ScriptDialog& dialog, const QString& file)
{
    dialog.show();
    QTest::qWait(50);
    for (int i = 0; i < 100 && dialog.isChecking(); ++i) {
        QTest::qWait(50);
    }
    dialog.grab().save(file);
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    const QDir folder(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("."));
    Theme theme;
    for (const ColorScheme scheme : {ColorScheme::Light, ColorScheme::Dark}) {
        theme.setScheme(scheme);
        const QString name = theme.isDark() ? QStringLiteral("dark") : QStringLiteral("light");
        const ScriptInputs inputs{{"x", TensorType{{kBatch, 28, 64}}}};
        ScriptDialog good(QStringLiteral("cell"), scriptTemplates("Script")[1].draft, inputs, theme, nullptr);
        shoot(good, folder.filePath(QStringLiteral("script-") + name + QStringLiteral(".png")));
        good.hide();
        ScriptDraft broken = scriptTemplates("Script")[0].draft;
        broken.params["source"] =
            "def forward(self, x: Tensor) -> Tensor:\n    # two mistakes: a name, and a size\n"
            "    y = torch.relu(x) * 0.5\n    return torch.matmul(y, self.weigth.t()) + \"text\"\n";
        ScriptDialog bad(QStringLiteral("cell"), broken, inputs, theme, nullptr);
        shoot(bad, folder.filePath(QStringLiteral("script-mistake-") + name + QStringLiteral(".png")));
        auto* text = bad.findChild<QWidget*>(QStringLiteral("sourceText"));
        QTest::keyClick(text, Qt::Key_End, Qt::ControlModifier);
        QTest::keyClicks(text, QStringLiteral("    z = torch.soft"));
        QTest::qWait(50);
        QPixmap picture = bad.grab();
        QPainter painter(&picture);
        for (QWidget* window : QApplication::topLevelWidgets()) { // the list of names is a window of its own
            if (window != &bad && window->isVisible()) {
                painter.drawPixmap(window->pos() - bad.pos(), window->grab());
            }
        }
        painter.end();
        picture.save(folder.filePath(QStringLiteral("script-completion-") + name + QStringLiteral(".png")));
    }
    return 0;
}
