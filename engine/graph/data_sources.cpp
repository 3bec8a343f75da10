#include "engine/graph/data_catalog_parts.h"

namespace athanor {
namespace {

using namespace part;

NodeKind mnist()
{
    return source(
        "MnistIdx", "Images in IDX files",
        "The format of MNIST, Fashion-MNIST and their like: one file of images, one of labels, plain or .gz. "
        "Yields `image` (1×H×W, 0–255 before ToTensor) and `label`.\n\nFormat: yann.lecun.com/exdb/mnist.",
        {file("images", "The file of images (idx3-ubyte), plain or .gz."),
         file("labels", "The file of labels (idx1-ubyte), plain or .gz."),
         boolean("transposed", false,
                 "Turns rows into columns: the files of EMNIST hold their pictures that way.")});
}

NodeKind cifar(bool hundred)
{
    std::vector<ParamSpec> params = {
        file("path", "The folder of the binary version (cifar-10-batches-bin, cifar-100-binary), or one of its "
                     "files, plain or .gz."),
        choice("part", {"train", "test"}, "train", "Which files of the folder are read.")};
    if (hundred)
        params.push_back(choice("labels", {"fine", "coarse", "both"}, "fine",
                                "100 classes, 20 superclasses, or both (fields label and coarse_label)."));
    return source(hundred ? "Cifar100Binary" : "Cifar10Binary", hundred ? "CIFAR-100 files" : "CIFAR-10 files",
                  "Yields `image` (3×32×32, 0–255 before ToTensor) and `label`; names of the classes come from the "
                  "text files beside them.\n\nFormat: www.cs.toronto.edu/~kriz/cifar.html, binary version.",
                  std::move(params));
}

std::vector<ParamSpec> imageParams()
{
    return {boolean("grayscale", false, "Reads one channel instead of three."),
            nullable(integers("size", nullptr,
                              "Height and width that every image is scaled to; null: as they are. Where they differ, a "
                              "Resize follows.",
                              1, 2))};
}

NodeKind imageFolder()
{
    std::vector<ParamSpec> params = {
        file("path", "The folder with one subfolder per class, or folders train, val, test of such."),
        nullable({.name = "part",
                  .type = ParamType::Text,
                  .help = "The part folder to read (train, val, test, …), at any depth below the path; null: all."}),
        textList("extensions",
                 Json::array({".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"}),
                 "File name endings that are read, capital letters or not.")};
    for (ParamSpec& spec : imageParams())
        params.push_back(std::move(spec));
    return source(
        "ImageFolder", "Folder of images",
        "One subfolder per class, its name the class's; classes are numbered in the order of their names. "
        "Yields `image` (C×H×W, 0–255 before ToTensor) and `label`. Transparency is dropped, 16 bits become 8, the "
        "camera's orientation is applied.\n\nAs torchvision's `datasets.ImageFolder`.",
        std::move(params));
}

NodeKind imageList()
{
    std::vector<ParamSpec> params = {
        file("path", "The table, plain or .gz."),
        {.name = "image",
         .type = ParamType::IntOrText,
         .standard = 0,
         .help = "The column of the images' paths, by name or by number."},
        textList("labels", Json::array(),
                 "The columns to predict, by name or number; none: all but the images' column."),
        choice("task", {"classification", "multi_label", "regression"}, "classification",
               "One class each (field label); any number of labels (target, 0 or 1 for each: columns of 0 and 1, or "
               "one column of names divided by | ; or blanks); or numbers (target)."),
        nullable({.name = "root",
                  .type = ParamType::Path,
                  .help = "The folder that the paths start from; null: that of the table."})};
    for (ParamSpec& spec : imageParams())
        params.push_back(std::move(spec));
    for (ParamSpec& spec : tableParams())
        params.push_back(std::move(spec));
    return source("ImageList", "List of images",
                  "A table with the path of an image and what is to be told of it in each line. Yields `image` "
                  "(C×H×W, 0–255 before ToTensor) and `label` or `target`.",
                  std::move(params));
}

NodeKind numpyFile()
{
    return source(
        "NumpyFile", "NumPy arrays",
        "One .npy file per field, or an array in a .npz file, the first axis the samples. Floating point arrays "
        "become numbers, whole numbers class indices where the field is a label.\n\nFormat: numpy.lib.format, "
        "versions 1 to 3.",
        {required({.name = "fields",
                   .type = ParamType::Any,
                   .help = "Field name → file, such as {\"image\": \"x.npy\", \"label\": \"data.npz:y\"}."})});
}

NodeKind synthetic()
{
    return source("Synthetic", "Synthetic points",
                  "Points that are made on the spot, for trying things out. Yields `features` (2 numbers) "
                  "and `label`; `sine` yields 1 number, `linear` `n_features`, and both `target`.",
                  {choice("kind", {"blobs", "moons", "circles", "spirals", "xor", "sine", "checkerboard", "linear"},
                          "blobs",
                          "The shape: blobs round centres, two half moons, two rings, arms of a spiral, four "
                          "quadrants, a board of 4×4 squares, or for a regression two waves of a sine or a plane."),
                   integer("samples", 1000, "Number of points, all classes together.", 1),
                   real("noise", 0.1, "Standard deviation of the scatter.", 0),
                   integer("classes", 2, "Number of classes (blobs and spirals; the others have two).", 2),
                   integer("n_features", 10, "Columns of linear.", 1),
                   integer("seed", 0, "Same seed, same points.", 0)});
}

} // namespace

std::vector<NodeKind> dataSources()
{
    return {mnist(), cifar(false), cifar(true), imageFolder(), imageList(), numpyFile(), synthetic()};
}

} // namespace athanor
