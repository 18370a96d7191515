// Checkpoint files: a line of JSON with the counters and the callbacks' states, then the module's
// bytes.
#include "base/try.h"
#include "codec/json.h"
#include "io/files.h"
#include "trainer/core.h"

#include <cstring>

namespace taffrail::trainer {

namespace {

constexpr std::string_view kMagic = "taffrail checkpoint 1\n";

std::int64_t whole(const Json& json, std::string_view name) {
    const Json* found = json.find(name);
    return found != nullptr ? found->integer().value_or(0) : 0;
}

}  // namespace

Result<void> Core::save_checkpoint(const std::string& path) {
    if (module_ == nullptr) {
        return Error{ErrorCode::InvalidArgument,
                     "there is nothing to save yet: a checkpoint needs a module that was run"};
    }
    if (rank() != 0) {
        return {};
    }
    Json::Object states;
    for (const auto& callback : options_.callbacks) {
        if (const std::string key = callback->state_key(); !key.empty()) {
            states.emplace_back(key, Json(callback->state_dict()));
        }
        callback->on_save_checkpoint(*owner_, *module_);
    }
    // After the last batch of an epoch the next epoch is where training goes on.
    const bool between_epochs = !in_epoch_ || last_batch_reached();
    const std::int64_t epochs = epochs_processed_ + (in_epoch_ && between_epochs ? 1 : 0);
    const Json head(Json::Object{
        {"epochs", Json(epochs)},
        {"optimizer_steps", Json(optimizer_steps_)},
        {"batches_in_epoch", Json(between_epochs ? std::int64_t{0} : batches_in_epoch_)},
        {"batches_total", Json(batches_total_)},
        {"validation_batches_total", Json(validation_batches_total_)},
        {"samples", Json(samples_)},
        {"callbacks", Json(std::move(states))}});
    std::string text(kMagic);
    text += head.dump();
    text += '\n';
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    const std::vector<std::byte> own = module_->state_dict();
    bytes.insert(bytes.end(), own.begin(), own.end());
    TAFFRAIL_TRY(io::make_directories(io::parent(path)));
    return io::write_file_atomically(path, bytes);
}

Result<void> Core::load_checkpoint(const std::string& path) {
    TAFFRAIL_ASSIGN(const Bytes bytes, io::read_file(path));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t end = text.find('\n', kMagic.size());
    if (!text.starts_with(kMagic) || end == std::string_view::npos) {
        return Error{ErrorCode::Corrupt, path + " is not a checkpoint of this program's Trainer"};
    }
    TAFFRAIL_ASSIGN(const Json head, parse_json(text.substr(kMagic.size(), end - kMagic.size())));
    epochs_processed_ = whole(head, "epochs");
    epochs_completed_ = epochs_processed_;
    optimizer_steps_ = whole(head, "optimizer_steps");
    batches_total_ = whole(head, "batches_total");
    validation_batches_total_ = whole(head, "validation_batches_total");
    samples_ = whole(head, "samples");
    skip_batches_ = whole(head, "batches_in_epoch");
    state_.step = optimizer_steps_;
    state_.epoch = epochs_completed_;
    for (const auto& callback : options_.callbacks) {
        const Json* states = head.find("callbacks");
        const Json* own = states != nullptr ? states->find(callback->state_key()) : nullptr;
        if (own != nullptr && own->is_string()) {
            TAFFRAIL_TRY(callback->load_state_dict(*own->string()));
        }
        callback->on_load_checkpoint(*owner_, *module_);
    }
    return module_->load_state_dict(
        std::vector<std::byte>(bytes.begin() + static_cast<std::ptrdiff_t>(end + 1), bytes.end()));
}

}  // namespace taffrail::trainer
