// Writes the training batches of a project, in the order of a run, as a list of dictionaries that torch.load reads.
// Usage: batch_dump PROJECT COUNT OUTPUT
#include "engine/data/batch.h"
#include "engine/data/data_pipeline.h"

#include <torch/torch.h>

#include <fstream>
#include <iostream>

int main(int count, char** arguments)
{
    using namespace athanor;
    if (count != 4)
        return 2;
    const auto project = loadProject(arguments[1]);
    if (!project.ok()) {
        std::cerr << project.error().text() << '\n';
        return 3;
    }
    const auto data = openData(project->project, 0);
    if (!data.ok()) {
        std::cerr << data.error().text() << '\n';
        return 3;
    }
    c10::impl::GenericList batches(c10::AnyType::get());
    const auto wanted = static_cast<std::size_t>(std::stoi(arguments[2]));
    for (std::int64_t epoch = 0; batches.size() < wanted; ++epoch) {
        const auto reader = (*data)->read(DataPart::Train, epoch);
        while (batches.size() < wanted) {
            const auto batch = reader->next({});
            if (!batch.ok()) {
                std::cerr << batch.error().text() << '\n';
                return 3;
            }
            if (!batch.value())
                break;
            c10::Dict<std::string, torch::Tensor> fields;
            for (const auto& [name, tensor] : (*batch)->fields)
                fields.insert(name, tensor);
            fields.insert("epoch", torch::tensor(epoch));
            batches.push_back(fields);
        }
    }
    const auto bytes = torch::pickle_save(batches);
    std::ofstream(arguments[3], std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return 0;
}
