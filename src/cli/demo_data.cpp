#include "cli/demo_data.h"

#include "base/try.h"
#include "cli/demo/scale.h"
#include "cli/demo/training_run.h"

namespace taffrail::cli {

Result<void> generate_demo_runs(const std::string& root, const DemoOptions& options) {
    switch (options.scene) {
        case DemoScene::Sweep:
            return demo::write_sweep(root, options);
        case DemoScene::Pictures:
            return demo::write_pictures(root, options);
        case DemoScene::Meshes:
            return demo::write_meshes(root, options);
        case DemoScene::Training:
            break;
    }
    for (std::int64_t index = 0; index < options.runs; ++index) {
        TAFFRAIL_TRY(demo::write_training_run(root, options, index));
    }
    return {};
}

}  // namespace taffrail::cli
