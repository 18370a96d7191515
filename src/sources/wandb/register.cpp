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
         .recognise = [](const std::string& path) { return holds_logs(path) ? 85 : 0; },
         .open = open});
}

}  // namespace taffrail::sources::wandb
