#include "engine/graph/data_catalog_parts.h"

namespace athanor {
namespace {

using namespace part;

ParamSpec decimal()
{
    return choice("decimal", {"auto", ".", ","}, "auto", "The decimal mark; auto finds it.");
}

ParamSpec missing()
{
    return choice("missing", {"error", "mean", "median", "constant", "drop", "nan"}, "error",
                  "Cells without a value: an error; the mean or median of the column, measured on the training part; "
                  "fill_value; the row is left out; or NaN. In a category they are a category that is not known.");
}

ParamSpec columnTypes()
{
    return {.name = "types",
            .type = ParamType::Any,
            .standard = Json::object(),
            .help = "Column → number, category, date or ignored, such as {\"sex\": \"category\"}. Columns that are not "
                    "named are numbers. A date becomes the days since 1970 (2024-01-31, 2024-01-31 12:30, 31.01.2024, "
                    "2024/01/31)."};
}

NodeKind csvTable()
{
    std::vector<ParamSpec> params = {
        file("path", "The text file, plain or .gz; it may be larger than the memory."),
        nullable({.name = "target",
                  .type = ParamType::IntOrText,
                  .help = "The column to predict, by its name or by its number from 0 (negative: "
                          "from the end); null: none."}),
        choice("task", {"classification", "regression"}, "classification",
               "What the target is: a class (field label) or a number (field target)."),
        columnTypes(),
        textList("ignore", Json::array(), "Columns that are left out, by name (or by number, written as text)."),
        choice("categories", {"one_hot", "index"}, "one_hot",
               "Columns of categories become one number for each category within features, or each a field of the "
               "column's name with a class index for an Embedding: 0 is what the training part does not have."),
        missing(),
        real("fill_value", 0.0, "What missing = constant fills in."),
        textList("na_values", Json::array({"NA", "N/A", "na", "n/a", "null", "NULL", "None", "?", "-"}),
                 "Cells that mean a missing value, beside the empty one and nan (missing other than error)."),
        decimal(),
        choice("quote", {"\"", "'", "none"}, "\"", "The character round cells that hold separators.")};
    for (ParamSpec& spec : tableParams())
        params.push_back(std::move(spec));
    return source("CsvTable", "Table (CSV)",
                  "Rows of a text file. Columns of numbers become `features`; columns of text must be given a type, or "
                  "be left out by `ignore`. The target column becomes `label` (classification: classes are numbered "
                  "in the order of their names or numbers) or `target` (regression).\n\nQuotes as in RFC 4180.",
                  std::move(params));
}

NodeKind sequenceWindows()
{
    std::vector<ParamSpec> params = {
        file("path", "The table (plain or .gz), or a .npy file of time steps × columns."),
        required(integer("window", nullptr, "Rows that are seen.", 1)),
        integer("horizon", 1, "Rows after the window whose target is to be told.", 1),
        integer("stride", 1, "Rows from one window to the next.", 1),
        {.name = "target",
         .type = ParamType::IntOrText,
         .standard = -1,
         .help = "The column to tell, by name or by number (negative: from the end); it is seen in the window too."},
        columnTypes(),
        textList("ignore", Json::array(), "Columns that are left out, by name (or by number, written as text)."),
        missing(),
        decimal()};
    for (ParamSpec& spec : tableParams())
        params.push_back(std::move(spec));
    return source("SequenceWindows", "Windows of a time series",
                  "Rows in their order in time. Yields `features` (window × columns) and `target` (horizon numbers that "
                  "follow). A Split leaves out the windows that would reach from one part into another.",
                  std::move(params));
}

NodeKind textFolder()
{
    return source("TextFolder", "Folder of texts",
                  "One subfolder per class, a text in each file. Yields `text`, of which a Tokenize makes `tokens`, and "
                  "`label`.\n\nAs scikit-learn's `load_files`.",
                  {file("path", "The folder with one subfolder per class, or folders train, val, test of such."),
                   nullable({.name = "part",
                             .type = ParamType::Text,
                             .help = "The part folder to read (train, val, test, …), at any depth; null: all."}),
                   textList("extensions", Json::array({".txt"}), "File name endings that are read."), encoding()});
}

NodeKind textCsv()
{
    std::vector<ParamSpec> params = {
        file("path", "The table, plain or .gz."),
        required({.name = "text", .type = ParamType::IntOrText, .help = "The column of the texts."}),
        nullable({.name = "target", .type = ParamType::IntOrText, .help = "The column to predict; null: none."}),
        choice("task", {"classification", "regression"}, "classification",
               "What the target is: a class (field label) or a number (field target).")};
    for (ParamSpec& spec : tableParams())
        params.push_back(std::move(spec));
    return source("TextCsv", "Texts in a table",
                  "A column of texts and one of what is to be told of them. Yields `text`, of which a Tokenize makes "
                  "`tokens`, and `label` or `target`.",
                  std::move(params));
}

/// Of sources: their samples put together.
NodeKind joined(std::string kind, std::string title, std::string help, std::vector<ParamSpec> params)
{
    NodeKind node = source(std::move(kind), std::move(title), std::move(help), std::move(params));
    node.inputs = {{.name = "input", .variadic = true}};
    return node;
}

NodeKind zipNode()
{
    return joined("Zip", "Side by side",
                  "Puts sources of the same length side by side: each sample has the fields of all. A field whose name "
                  "is taken is called by its source's id and its name.",
                  {});
}

NodeKind joinNode()
{
    return joined("Join", "Join by key",
                  "Puts together the samples of several sources that have the same key, in the order of the first "
                  "one; it alone may repeat a key. Images and texts of folders have the keys `file` (name with "
                  "ending) and `stem` (without).\n\nAs `pandas.merge`, many to one.",
                  {required(textList("on", nullptr, "The key column, or one for each source in their order.")),
                   choice("how", {"inner", "left"}, "left",
                          "What becomes of a sample whose key another source lacks: inner leaves it out, left says it "
                          "as an error.")});
}

} // namespace

std::vector<NodeKind> dataTableSources()
{
    return {csvTable(), sequenceWindows(), textFolder(), textCsv(), joinNode(), zipNode()};
}

} // namespace athanor
