// Checkpoint files: a line of JSON with where the loop stands and the callbacks' states, then the
// module's bytes. Rank 0 writes that. What log() has accumulated is different on every rank: the
// others write their share beside it, "<path>.rank<N>", without the module.
#include <taffrail/callbacks.h>

#include "base/diagnostics.h"
#include "base/try.h"
#include "codec/json.h"
#include "io/files.h"
#include "trainer/core.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace taffrail::trainer {

namespace {

constexpr std::string_view kMagic = "taffrail checkpoint 1\n";

std::string share_path(const std::string& path, int rank) {
    return path + ".rank" + std::to_string(rank);
}

// Two callbacks of one kind on one value have one key: the later ones get a number.
std::vector<std::pair<std::string, Callback*>> keyed(
    const std::vector<std::shared_ptr<Callback>>& callbacks) {
    std::vector<std::pair<std::string, Callback*>> all;
    std::set<std::string> taken;
    for (const auto& callback : callbacks) {
        const std::string key = callback->state_key();
        std::string name = key;
        for (int number = 2; !key.empty() && !taken.insert(name).second; ++number) {
            name = key + "#" + std::to_string(number);
        }
        all.emplace_back(std::move(name), callback.get());
    }
    return all;
}

Result<void> write(const std::string& path, Json::Object head, const std::vector<std::byte>& rest) {
    std::string text(kMagic);
    text += Json(std::move(head)).dump();
    text += '\n';
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    TAFFRAIL_TRY(io::make_directories(io::parent(path)));
    return io::write_file_atomically(path, bytes);
}

struct File {
    Json head;
    std::vector<std::byte> rest;
};

Result<File> read(const std::string& path) {
    TAFFRAIL_ASSIGN(const Bytes bytes, io::read_file(path));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t end = text.find('\n', kMagic.size());
    if (!text.starts_with(kMagic) || end == std::string_view::npos) {
        return Error{ErrorCode::Corrupt, path + " is not a checkpoint of this program's Trainer"};
    }
    TAFFRAIL_ASSIGN(Json head, parse_json(text.substr(kMagic.size(), end - kMagic.size())));
    return File{std::move(head),
                {bytes.begin() + static_cast<std::ptrdiff_t>(end + 1), bytes.end()}};
}

}  // namespace

std::string Core::name_of(const Metric& metric) const {
    for (const auto& [name, known] : module_->metrics()) {
        if (known == &metric) {
            return name;
        }
    }
    return "";
}

Metric* Core::find_metric(std::string_view name) const {
    for (const auto& [known, metric] : module_->metrics()) {
        if (known == name) {
            return metric;
        }
    }
    return nullptr;
}

std::vector<SavedMetric> Core::capture_metrics(bool without_step) const {
    std::vector<SavedMetric> saved;
    for (const auto& [name, metric] : module_->metrics()) {
        auto [states, updates] = without_step
                                     ? metric->states_before_step()
                                     : std::pair(metric->save_states(), metric->update_count());
        saved.push_back({name, std::move(states), updates});
    }
    return saved;
}

std::vector<std::string> Core::capture_validation_loaders() const {
    std::vector<std::string> states;
    for (const auto& loader : fit_validation_.loaders) {
        states.push_back(loader->state());
    }
    return states;
}

// Where the fit would go on if it ended here. A batch in flight, and batches whose gradients wait
// for their step, are done again; so is a validation in flight.
LoopState Core::capture() const {
    LoopState state;
    state.epochs = epochs_processed_;
    state.optimizer_steps = optimizer_steps_;
    state.batches_total = batches_total_;
    state.samples = samples_;
    state.validation_batches_total = validation_batches_total_;
    state.evaluation_rows = fit_validation_.seen;
    state.validation_loaders = capture_validation_loaders();
    const bool closed = place_ == Place::Between || place_ == Place::EpochEnd;
    const bool taken_back = place_ == Place::InStep || (!closed && accumulating());
    state.log = state_.save(taken_back, [this](const Metric& metric) { return name_of(metric); });
    state.metrics = before_validation_ ? before_validation_->metrics : capture_metrics(taken_back);
    if (before_validation_ && place_ != Place::AfterValidation) {
        state.evaluation_rows = before_validation_->rows;
        state.validation_loaders = before_validation_->loaders;
        state.validation_batches_total = before_validation_->batches_total;
    }
    if (closed) {
        // The end of the epoch empties what it accumulated, or has done so.
        for (const metrics::SavedSlot& slot : state.log.slots) {
            std::erase_if(state.metrics,
                          [&](const SavedMetric& one) { return one.name == slot.metric; });
        }
        state.log.slots.clear();
        // A pass that gave no batch yet is begun again.
        const bool again = place_ == Place::Between && pass_begun_;
        state.loader = again           ? loader_state_
                       : train_loader_ ? train_loader_->state()
                                       : std::string();
        return state;
    }
    state.loader = loader_state_;
    state.validated = taken_back || place_ == Place::AfterValidation;
    state.batches_in_epoch = taken_back ? step_begin_.batches_in_epoch : batches_in_epoch_;
    state.batches_drawn = taken_back ? step_begin_.batches_drawn : batches_drawn_;
    if (taken_back) {
        state.batches_total = step_begin_.batches_total;
        state.samples = step_begin_.samples;
    }
    return state;
}

Result<void> Core::save_checkpoint(const std::string& path) {
    if (module_ == nullptr) {
        return Error{ErrorCode::InvalidArgument,
                     "there is nothing to save yet: a checkpoint needs a module that was run"};
    }
    const bool earlier = before_epoch_end_ && (failing_ || cut_short_);
    Json::Object head = to_json(earlier ? *before_epoch_end_ : capture());
    if (rank() != 0) {
        return write(share_path(path, rank()), std::move(head), {});
    }
    Json::Object states;
    for (const auto& [key, callback] : keyed(active_callbacks_)) {
        if (!key.empty()) {
            states.emplace_back(key, Json(callback->state_dict()));
        }
        callback->on_save_checkpoint(*owner_, *module_);
    }
    head.emplace_back("callbacks", Json(std::move(states)));
    return write(path, std::move(head), module_->state_dict());
}

void Core::remove_checkpoint(const std::string& path) {
    static_cast<void>(io::remove(rank() == 0 ? path : share_path(path, rank())).ok());
}

// What this rank had accumulated. Without it (another number of ranks, a rank that was killed) the
// values of the open epoch begin anew here.
Result<LoopState> Core::share_of_this_rank(const std::string& path,
                                           const LoopState& of_rank_0) const {
    const std::string own = share_path(path, rank());
    if (io::exists(own)) {
        TAFFRAIL_ASSIGN(const File file, read(own));
        TAFFRAIL_ASSIGN(LoopState state, loop_state_from(file.head));
        if (same_place(state, of_rank_0)) {
            return state;
        }
    }
    LoopState state = of_rank_0;
    state.log.slots.clear();
    state.metrics.clear();
    if (state.batches_in_epoch > 0) {
        diagnose(DiagnosticLevel::Warning,
                 "rank " + std::to_string(rank()) + " left no share in " + path +
                     ": epoch values of the epoch that goes on there lack its batches so far");
    }
    return state;
}

Result<void> Core::restore_metrics(const std::vector<SavedMetric>& metrics) {
    for (const SavedMetric& saved : metrics) {
        if (Metric* const metric = find_metric(saved.name); metric != nullptr) {
            if (auto loaded = metric->load_states(saved.states, saved.updates); !loaded.ok()) {
                return Error{loaded.error().code,
                             "the metric '" + saved.name + "': " + loaded.error().message};
            }
        }
    }
    return {};
}

Result<void> Core::restore(const LoopState& state) {
    epochs_processed_ = state.epochs;
    epochs_completed_ = epochs_processed_;
    optimizer_steps_ = state.optimizer_steps;
    batches_total_ = state.batches_total;
    validation_batches_total_ = state.validation_batches_total;
    samples_ = state.samples;
    state_.step = optimizer_steps_;
    state_.epoch = epochs_completed_;
    TAFFRAIL_TRY(restore_metrics(state.metrics));
    state_.restore(state.log, [this](std::string_view name) { return find_metric(name); });
    fit_validation_.resumed_seen = state.evaluation_rows;
    fit_validation_.resumed_loaders = state.validation_loaders;
    resumed_ = state;
    return {};
}

Result<std::string> Core::checkpoint_path(const std::string& wanted) const {
    if (wanted != "best" && wanted != "last") {
        return wanted;
    }
    const auto& callbacks = active_callbacks_.empty() ? options_.callbacks : active_callbacks_;
    for (const auto& callback : callbacks) {
        if (const auto* keeper = dynamic_cast<const ModelCheckpoint*>(callback.get())) {
            const std::string& path =
                wanted == "best" ? keeper->best_model_path() : keeper->last_model_path();
            if (!path.empty()) {
                return path;
            }
        }
    }
    return Error{ErrorCode::NotFound,
                 "there is no checkpoint '" + wanted +
                     "': no ModelCheckpoint of this trainer has saved one; train first, or give "
                     "the path of a file"};
}

Result<void> Core::load_module(Module& module, const std::string& wanted) {
    TAFFRAIL_ASSIGN(const std::string path, checkpoint_path(wanted));
    TAFFRAIL_ASSIGN(const File file, read(path));
    if (auto loaded = module.load_state_dict(file.rest); !loaded.ok()) {
        return Error{loaded.error().code, "the module does not take the state in " + path + ": " +
                                              loaded.error().message};
    }
    return {};
}

Result<void> Core::load_checkpoint(const std::string& wanted) {
    TAFFRAIL_ASSIGN(const std::string path, checkpoint_path(wanted));
    TAFFRAIL_ASSIGN(const File file, read(path));
    TAFFRAIL_ASSIGN(LoopState state, loop_state_from(file.head));
    if (rank() != 0) {
        TAFFRAIL_ASSIGN(state, share_of_this_rank(path, state));
    }
    TAFFRAIL_TRY(restore(state));
    const Json* states = file.head.find("callbacks");
    for (const auto& [key, callback] : keyed(active_callbacks_)) {
        const Json* own = states != nullptr ? states->find(key) : nullptr;
        if (own != nullptr && own->is_string()) {
            TAFFRAIL_TRY(callback->load_state_dict(*own->string()));
        }
        callback->on_load_checkpoint(*owner_, *module_);
    }
    return module_->load_state_dict(file.rest);
}

}  // namespace taffrail::trainer
