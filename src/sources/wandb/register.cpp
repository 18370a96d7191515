#include "model/source_registry.h"
#include "sources/wandb/catalogue.h"
#include "sources/wandb/discovery.h"

namespace taffrail::sources::wandb {
namespace {

Result<std::shared_ptr<Catalogue>> open(const std::string& path, const OptionMap& given) {
    for (const auto& [name, text] : given) {
        return read_option("wandb", {}, name, text).error();
    }
    return open_runs(path);
}

}  // namespace

void register_part() {
    model::source_registry().add(
        {.name = "wandb",
         .summary = "run folders of Weights & Biases, offline and online, old and new",
         .recognise =
             [](const std::string& path) {
                 // Deep inside something else they are not what the folder is about.
                 const auto depth = depth_of_logs(path);
                 return depth ? (*depth <= 2 ? 85 : 70) : 0;
             },
         .open = open});
}

}  // namespace taffrail::sources::wandb
