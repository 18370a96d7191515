#include "sinks/tensorboard/loaded_value.h"

#include <type_traits>

namespace taffrail::sinks::tensorboard {
namespace {

/// Calls `visit(Blob&)` for every blob of a value.
template <typename Visit>
void for_each_blob(Value& value, Visit&& visit) {
    std::visit(
        [&](auto& held) {
            using T = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<T, Image>) {
                for (Blob& blob : held.images) {
                    visit(blob);
                }
            } else if constexpr (std::is_same_v<T, Audio> || std::is_same_v<T, Video> ||
                                 std::is_same_v<T, Mesh> || std::is_same_v<T, Tensor>) {
                visit(held.data);
            } else if constexpr (std::is_same_v<T, Figure>) {
                visit(held.picture);
            } else if constexpr (std::is_same_v<T, Embedding>) {
                visit(held.vectors);
                visit(held.sprite);
            }
        },
        value);
}

}  // namespace

Value loaded_value(const RecordedRun& run, const Value& value) {
    Value copy = value;
    for_each_blob(copy, [&](Blob& blob) {
        if (!blob.bytes && blob.ref.size > 0) {
            if (auto bytes = run.load(blob.ref); bytes.ok()) {
                blob.bytes = *bytes;
            }
        }
    });
    return copy;
}

}  // namespace taffrail::sinks::tensorboard
