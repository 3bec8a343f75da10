#include "engine/graph/catalog_parts.h"

namespace athanor {
namespace {

using namespace part;

NodeKind source(std::string kind, std::string title, std::string help, std::vector<ParamSpec> params)
{
    return {.kind = std::move(kind),
            .family = NodeFamily::Source,
            .title = std::move(title),
            .help = std::move(help),
            .inputs = {},
            .outputs = oneOutput(),
            .params = std::move(params)};
}

ParamSpec textList(std::string name, Json standard, std::string help)
{
    return {.name = std::move(name),
            .type = ParamType::TextList,
            .standard = std::move(standard),
            .help = std::move(help)};
}

NodeKind mnist()
{
    return source(
        "MnistIdx", "Images in IDX files",
        "The format of MNIST, Fashion-MNIST and their like: one file of images, one of labels, plain or .gz. "
        "Yields `image` (1×H×W, 0–255 before ToTensor) and `label`.\n\nFormat: yann.lecun.com/exdb/mnist.",
        {file("images", "The file of images (idx3-ubyte), plain or .gz."),
         file("labels", "The file of labels (idx1-ubyte), plain or .gz.")});
}

NodeKind imageFolder()
{
    return source(
        "ImageFolder", "Folder of images",
        "One subfolder per class, its name the class's; classes are numbered in the order of their names. "
        "Yields `image` (C×H×W, 0–255 before ToTensor) and `label`.\n\nAs torchvision's "
        "`datasets.ImageFolder`.",
        {file("path", "The folder with one subfolder per class."),
         textList("extensions",
                  Json::array({".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"}),
                  "File name endings that are read, capital letters or not."),
         boolean("grayscale", false, "Reads one channel instead of three."),
         nullable(integers("size", nullptr,
                           "Height and width that every image is scaled to; null: all must have the same "
                           "size, or a Resize follows.",
                           1, 2))});
}

NodeKind csvTable()
{
    ParamSpec header = nullable(
        boolean("header", false,
                "Whether the first line holds the columns' names; null: it does when it holds no number."));
    header.standard = nullptr;
    return source("CsvTable", "Table (CSV)",
                  "Rows of a text file. Columns of numbers become `features`; columns of text must be left "
                  "out by `ignore`. The target column becomes `label` (classification: classes are numbered "
                  "in the order of their names or numbers) or `target` (regression).",
                  {file("path", "The text file, plain or .gz."), header,
                   nullable({.name = "target",
                             .type = ParamType::IntOrText,
                             .help = "The column to predict, by its name or by its number from 0 (negative: "
                                     "from the end); null: none."}),
                   choice("task", {"classification", "regression"}, "classification",
                          "What the target is: a class (field label) or a number (field target)."),
                   choice("separator", {"auto", ",", ";", "\t", "|", " "}, "auto",
                          "Character between columns; auto finds it."),
                   textList("ignore", Json::array(),
                            "Columns that are left out, by name (or by number, written as text).")});
}

NodeKind numpyFile()
{
    return source(
        "NumpyFile", "NumPy arrays",
        "One .npy file per field, the first axis the samples. Floating point arrays become numbers, whole "
        "numbers class indices where the field is a label.\n\nFormat: numpy.lib.format, versions 1 to 3.",
        {required({.name = "fields",
                   .type = ParamType::Any,
                   .help = "Field name → file, such as {\"image\": \"x.npy\", \"label\": \"y.npy\"}."})});
}

NodeKind synthetic()
{
    return source("Synthetic", "Synthetic points",
                  "Points that are made on the spot, for trying things out. Yields `features` (2 numbers) "
                  "and `label`; `sine` yields 1 number and `target`.",
                  {choice("kind", {"blobs", "moons", "circles", "spirals", "xor", "sine"}, "blobs",
                          "The shape: blobs round centres, two half moons, two rings, arms of a spiral, four "
                          "quadrants, or for a regression two waves of a sine."),
                   integer("samples", 1000, "Number of points, all classes together.", 1),
                   real("noise", 0.1, "Standard deviation of the scatter.", 0),
                   integer("classes", 2, "Number of classes (blobs and spirals; the others have two).", 2),
                   integer("seed", 0, "Same seed, same points.", 0)});
}

} // namespace

std::vector<NodeKind> dataSources()
{
    return {mnist(), imageFolder(), csvTable(), numpyFile(), synthetic()};
}

} // namespace athanor
