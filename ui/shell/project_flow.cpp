#include "ui/shell/project_flow.h"

#include "ui/bridge/project_document.h"
#include "ui/shell/decision.h"
#include "ui/shell/settings.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include <utility>

namespace athanor {
namespace {

QFileDialog* makeDialog(QWidget* parent, const QString& title, const QString& folder)
{
    auto* dialog = new QFileDialog(parent, title, folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setNameFilters(
        {ProjectFlow::tr("Athanor projects (*.athanor)"), ProjectFlow::tr("All files (*)")});
    dialog->setDefaultSuffix(QStringLiteral("athanor"));
    return dialog;
}

} // namespace

ProjectFlow::ProjectFlow(ProjectDocument& document, Settings& settings, QString samplesFolder,
                         QWidget* window)
    : QObject(window), m_document(document), m_settings(settings), m_samplesFolder(std::move(samplesFolder)),
      m_window(window)
{}

bool ProjectFlow::isSample() const
{
    const QString file = m_document.filePath();
    return !file.isEmpty() && !m_samplesFolder.isEmpty() &&
           QFileInfo(file).canonicalPath() == QFileInfo(m_samplesFolder).canonicalFilePath();
}

void ProjectFlow::createNew()
{
    guard([this] {
        Project project;
        project.name = tr("Untitled").toStdString();
        m_document.setProject(std::move(project));
        Q_EMIT created();
    });
}

void ProjectFlow::chooseFile()
{
    QFileDialog* dialog = makeDialog(m_window, tr("Open project"), m_settings.lastFolder());
    dialog->setObjectName(QStringLiteral("openDialog"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ProjectFlow::open);
    dialog->open();
}

void ProjectFlow::open(const QString& file)
{
    guard([this, file] { load(file); });
}

void ProjectFlow::load(const QString& file)
{
    const Status loaded = m_document.load(file);
    if (!loaded) {
        if (!QFileInfo::exists(file)) {
            m_settings.removeRecentFile(file);
            Q_EMIT recentFilesChanged();
        }
        Q_EMIT failed(loaded.error());
        return;
    }
    if (!isSample())
        remember(file);
    Q_EMIT opened(file);
}

void ProjectFlow::remember(const QString& file)
{
    m_settings.addRecentFile(file);
    m_settings.setLastFolder(QFileInfo(file).absolutePath());
    Q_EMIT recentFilesChanged();
}

void ProjectFlow::save(std::function<void()> then)
{
    if (!m_document.isOpen())
        return;
    if (m_document.filePath().isEmpty() || isSample())
        saveAs(std::move(then));
    else
        saveTo(m_document.filePath(), then);
}

void ProjectFlow::saveAs(std::function<void()> then)
{
    if (!m_document.isOpen())
        return;
    QFileDialog* dialog = makeDialog(m_window, tr("Save project as"), m_settings.lastFolder());
    dialog->setObjectName(QStringLiteral("saveDialog"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    const QString file = m_document.filePath();
    dialog->selectFile(file.isEmpty() ? tr("untitled.athanor") : QFileInfo(file).fileName());
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, then = std::move(then)](const QString& chosen) { saveTo(chosen, then); });
    dialog->open();
}

void ProjectFlow::saveTo(const QString& file, const std::function<void()>& then)
{
    const Status saved = m_document.save(file);
    if (!saved) {
        Q_EMIT failed(saved.error());
        return;
    }
    remember(file);
    Q_EMIT this->saved(file);
    if (then)
        then();
}

void ProjectFlow::guard(std::function<void()> then)
{
    if (!m_document.isOpen() || !m_document.isModified()) {
        then();
        return;
    }
    askDecision(m_window, tr("Save the changes?"),
                tr("“%1” has changes that are not saved.").arg(m_document.displayName()),
                {tr("Save"), tr("Discard"), tr("Cancel")}, [this, then = std::move(then)](int choice) {
                    if (choice == 0)
                        save(then);
                    else if (choice == 1)
                        then();
                });
}

} // namespace athanor
