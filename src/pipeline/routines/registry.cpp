// The registry of routines: built-in ones first, then the program's.
#include <taffrail/routine.h>

#include "base/strings.h"
#include "pipeline/routines/routines.h"

#include <algorithm>
#include <mutex>

namespace taffrail {
namespace {

struct Registry {
    std::mutex mutex;
    std::vector<RoutineInfo> routines = {
        {"metric", "MetricLogger", "numbers per batch; mean and distribution per epoch",
         make_metric_routine},
        {"hist", "HistogramLogger", "distributions of values, such as activations and gradients",
         make_histogram_routine},
        {"hparams", "HyperparameterLogger", "hyperparameters", make_hparams_routine},
        {"image", "ImageLogger", "pictures; tensors B×C×H×W, one channel in false colours",
         make_image_routine},
        {"mesh", "MeshLogger", "meshes and point clouds; tensors N×3, N×6, B×N×3, B×N×6",
         make_mesh_routine},
        {"video", "VideoLogger", "videos; tensors B×T×C×H×W", make_video_routine},
        {"text", "TextLogger", "texts, read as Markdown", make_text_routine},
        {"audio", "AudioLogger", "sounds", make_audio_routine},
        {"table", "TableLogger", "tables", make_table_routine},
        {"graph", "GraphLogger", "computation graphs, when they change", make_graph_routine},
    };
};

Registry& registry() {
    static auto* instance = new Registry;
    return *instance;
}

}  // namespace

void register_routine(RoutineInfo info) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto same = std::ranges::find(all.routines, info.key, &RoutineInfo::key);
    if (same != all.routines.end()) {
        *same = std::move(info);
    } else {
        all.routines.push_back(std::move(info));
    }
}

std::vector<RoutineInfo> registered_routines() {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    return all.routines;
}

Result<std::unique_ptr<Routine>> make_routine(std::string_view key) {
    std::vector<std::string> known;
    std::string list;
    for (const RoutineInfo& info : registered_routines()) {
        if (info.key == key) {
            auto made = info.make();
            if (made == nullptr) {
                return Error{ErrorCode::Internal,
                             "the routine '" + info.key + "' could not be made"};
            }
            return made;
        }
        known.push_back(info.key);
        list += (list.empty() ? "" : ", ") + info.key;
    }
    return Error{ErrorCode::InvalidArgument, "unknown routine '" + std::string(key) + "'" +
                                                 did_you_mean(key, known) + " (known: " + list +
                                                 ")"};
}

}  // namespace taffrail
