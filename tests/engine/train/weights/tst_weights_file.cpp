#include "weights_corpus.h"

#include "engine/train/checkpoint.h"
#include "engine/train/weights/weights_source.h"

#include <torch/torch.h>

#include <QCryptographicHash>
#include <QtTest>

#include <algorithm>
#include <memory>

using namespace athanor;
using namespace athanor::test;

namespace {

std::string hashOf(const torch::Tensor& tensor)
{
    const auto plain = tensor.contiguous();
    const QByteArrayView bytes(static_cast<const char*>(plain.data_ptr()), static_cast<qsizetype>(plain.nbytes()));
    return QCryptographicHash::hash(QByteArray(bytes.data(), bytes.size()), QCryptographicHash::Sha256).toHex().toStdString();
}

} // namespace

class TestWeightsFile : public QObject {
    Q_OBJECT
    std::unique_ptr<WeightsCorpus> m_corpus;

private Q_SLOTS:
    void initTestCase() { m_corpus = std::make_unique<WeightsCorpus>(); }

    void readsWhatPythonWrote_data()
    {
        QTest::addColumn<QString>("file");
        for (const auto& [file, content] : m_corpus->expected().items())
            QTest::newRow(file.c_str()) << QString::fromStdString(file);
        QVERIFY(m_corpus->expected().size() >= 25);
    }
    void readsWhatPythonWrote()
    {
        QFETCH(QString, file);
        const Json& expected = m_corpus->expected()[file.toStdString()];
        auto source = openWeights(m_corpus->file(file.toStdString()));
        QVERIFY2(source.ok(), source.ok() ? "" : source.error().text().c_str());
        const WeightsContents& contents = (*source)->contents();
        QCOMPARE(contents.format, file.endsWith(".pt") ? WeightsFormat::PyTorch : WeightsFormat::Safetensors);
        QCOMPARE(contents.entry, expected["entry"].get<std::string>());
        QCOMPARE(contents.tensors.size(), expected["tensors"].size());
        for (std::size_t i = 0; i < contents.tensors.size(); ++i) {
            const WeightsTensor& listed = contents.tensors[i];
            const Json& wanted = expected["tensors"][i];
            QCOMPARE(listed.name, wanted[0].get<std::string>());
            QVERIFY2(Json(listed.shape) == wanted[1], listed.name.c_str());
            QCOMPARE(listed.type, wanted[2].get<std::string>());
            QCOMPARE(listed.device, wanted[3].get<std::string>());
            const auto tensor = (*source)->tensor(i);
            QVERIFY2(Json(tensor.sizes().vec()) == wanted[1], listed.name.c_str());
            QCOMPARE(typeName(tensor.scalar_type()), listed.type);
            QVERIFY2(hashOf(tensor) == wanted[4].get<std::string>(), listed.name.c_str());
        }
    }

    void sharesWhatWasShared()
    {
        const auto tied = loadWeightsFile(m_corpus->file("tied.pt"));
        QVERIFY(tied.ok());
        QCOMPARE(tied.value().at("a.weight").data_ptr(), tied.value().at("b.weight").data_ptr());
        const auto views = loadWeightsFile(m_corpus->file("views.pt"));
        QVERIFY(views.ok());
        QVERIFY(!views.value().at("columns").is_contiguous());
        QCOMPARE(views.value().at("expanded").storage().nbytes(), std::size_t{12 * 4}); // not a thousand numbers
    }

    void saysWhatElseIsThere()
    {
        const auto contents = listWeights(m_corpus->file("with_ema.pt"));
        QVERIFY(contents.ok());
        QCOMPARE(contents.value().notes.size(), std::size_t{1});
        QVERIFY(QString::fromStdString(contents.value().notes[0]).contains("state_dict_ema"));
    }

    void readsOurCheckpoints()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("a.pt").toStdString();
        torch::manual_seed(1);
        const auto flat = torch::randn({20}); // parameters are views of one buffer, as in a run
        Checkpoint checkpoint;
        checkpoint.state = {{"fc.weight", flat.slice(0, 4, 16).view({4, 3})},
                            {"fc.bias", flat.slice(0, 16)},
                            {"bn.num_batches_tracked", torch::tensor(9, torch::kLong)}};
        checkpoint.optimizer = {{"exp_avg/fc.weight", torch::ones({4, 3})}};
        QVERIFY(saveCheckpoint(checkpoint, file).ok());
        const auto contents = listWeights(file);
        QVERIFY2(contents.ok(), contents.ok() ? "" : contents.error().text().c_str());
        QCOMPARE(contents.value().format, WeightsFormat::Checkpoint);
        QCOMPARE(contents.value().entry, std::string("state_dict"));
        QVERIFY(contents.value().notes.empty());
        const auto tensors = loadWeightsFile(file);
        QVERIFY2(tensors.ok(), tensors.ok() ? "" : tensors.error().text().c_str());
        QCOMPARE(tensors.value().size(), std::size_t{3});
        for (const auto& [name, tensor] : checkpoint.state)
            QVERIFY2(torch::equal(tensors.value().at(name), tensor), name.c_str());
    }

    void refusesWhatIsNotRead_data()
    {
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("hint");
        QTest::newRow("module.pt") << "a whole Python object of the class \"__main__.Net\"" << "model.state_dict()";
        QTest::newRow("module_inside.pt") << "__main__.Net" << "model.state_dict()";
        QTest::newRow("object.pt") << "posix.mkdir" << "model.state_dict()";
        QTest::newRow("script.pt") << "TorchScript" << "torch.jit.load";
        QTest::newRow("legacy.pt") << "before 1.6" << "torch.save(torch.load(";
        QTest::newRow("list.pt") << "no dictionary" << "model.state_dict()";
        QTest::newRow("tensor.pt") << "single tensor" << "model.state_dict()";
        QTest::newRow("no_tensors.pt") << "no tensors by name" << "model.state_dict()";
        QTest::newRow("sparse.pt") << "no tensors by name" << "model.state_dict()";
        QTest::newRow("complex.pt") << "complex64" << ".float()";
        QTest::newRow("float8.safetensors") << "float8" << "float32";
        QTest::newRow("pickle.pkl") << "torch.save did not write" << "model.state_dict()";
        QTest::newRow("compressed.pt") << "compressed" << "torch.save";
        QTest::newRow("big_endian.pt") << "big-endian" << "Save it again";
        QTest::newRow("keras.h5") << "HDF5" << "torch.save";
        QTest::newRow("array.npy") << "NumPy" << "torch.save";
        QTest::newRow("packed.pt.gz") << "gzip" << "Unpack";
    }
    void refusesWhatIsNotRead()
    {
        QFETCH(QString, reason);
        QFETCH(QString, hint);
        refuses(QTest::currentDataTag(), ErrorCode::Unsupported, reason);
        QVERIFY(QString::fromStdString(loadWeightsFile(m_corpus->file(QTest::currentDataTag())).error().hint).contains(hint));
        QVERIFY(!std::filesystem::exists("the-code-of-the-file-was-run"));
    }

    void namesDamage_data()
    {
        QTest::addColumn<QString>("reason");
        QTest::newRow("nothing.pt") << "empty";
        QTest::newRow("text.pt") << "no file of weights";
        QTest::newRow("arrays.npz") << "data.pkl";
        QTest::newRow("outside.safetensors") << "does not lie in the file";
        QTest::newRow("enormous.safetensors") << "does not lie in the file";
        QTest::newRow("backwards.safetensors") << "does not lie in the file";
        QTest::newRow("negative.safetensors") << "wrong number";
        QTest::newRow("half_number.safetensors") << "wrong number";
        QTest::newRow("huge.safetensors") << "does not fit its size";
        QTest::newRow("wrong_shape.safetensors") << "does not fit its size";
        QTest::newRow("no_shape.safetensors") << "no tensor";
        QTest::newRow("twice.safetensors") << "do not follow";
        QTest::newRow("long_header.safetensors") << "longer than the file";
        QTest::newRow("no_json.safetensors") << "no JSON";
    }
    void namesDamage()
    {
        QFETCH(QString, reason);
        refuses(QTest::currentDataTag(), ErrorCode::Unreadable, reason);
    }

    void namesFilesThatAreNotThere()
    {
        refuses("no-such-file.pt", ErrorCode::NotFound, "no such file");
        refuses(".", ErrorCode::Unreadable, "folder");
    }

private:
    void refuses(const std::string& name, ErrorCode code, const QString& reason)
    {
        const auto tensors = loadWeightsFile(m_corpus->file(name));
        QVERIFY(!tensors.ok());
        QVERIFY2(QString::fromStdString(tensors.error().message).contains(reason), tensors.error().text().c_str());
        QCOMPARE(tensors.error().code, code);
        QCOMPARE(tensors.error().where, m_corpus->file(name).string());
    }
};

QTEST_GUILESS_MAIN(TestWeightsFile)
#include "tst_weights_file.moc"
