// One log() call: the checks in the order people expect their messages, then the slot.
#include <taffrail/metric.h>

#include "base/never_throws.h"
#include "metrics/log_messages.h"
#include "metrics/log_state.h"

namespace taffrail::metrics {

namespace {

// Which option differs between two calls of one slot.
std::string_view first_difference(const SlotOptions& one, const SlotOptions& other) {
    if (one.loader != other.loader) {
        return "the loader it comes from";
    }
    if (one.prog_bar != other.prog_bar) {
        return "prog_bar";
    }
    if (one.logger != other.logger) {
        return "logger";
    }
    if (one.on_step != other.on_step) {
        return "on_step";
    }
    if (one.on_epoch != other.on_epoch) {
        return "on_epoch";
    }
    if (one.reduce != other.reduce) {
        return "reduce_fx";
    }
    if (one.enable_graph != other.enable_graph) {
        return "enable_graph";
    }
    if (one.add_dataloader_idx != other.add_dataloader_idx) {
        return "add_dataloader_idx";
    }
    if (one.sync != other.sync) {
        return "sync_dist";
    }
    return "rank_zero_only";
}

bool is_whole(DType dtype) noexcept {
    return static_cast<int>(dtype) <= static_cast<int>(DType::I64);
}

}  // namespace

void LogState::log(std::string_view name, const LogValue& value, const LogOptions& options,
                   const std::source_location& site) noexcept {
    if (failed()) {
        return;
    }
    // Only allocation can throw here, on the first call of a name. A value less is no reason to end
    // a training.
    never_throws("log.memory", "log() ran out of memory; a value is not recorded",
                 [&] { log_checked({name, value, options, site}); });
}

void LogState::log_checked(const Call& call) {
    if (call.value.form() == LogValue::Form::Unsupported) {
        fail(wrong_type(call.name, call.value.type_name(), call.site));
        return;
    }
    if (settings_.bare) {
        warn("W2", call.name,
             place(call.site) + ": log(\"" + std::string(call.name) +
                 "\") does nothing in bare mode, which is there to measure raw speed; "
                 "leave barebones out to log");
        return;
    }
    if (loop_ == Loop::None) {
        fail(predicting(call.name, call.site));
        return;
    }
    if (hook_ == Hook::None) {
        fail(outside_of_hooks(call.name, call.site));
        return;
    }
    SlotOptions wanted;
    if (!check_levels(call, wanted)) {
        return;
    }
    Slots& current = slots();
    wanted.prog_bar = call.options.prog_bar;
    wanted.logger = call.options.logger.value_or(true);
    wanted.enable_graph = call.options.enable_graph;
    wanted.add_dataloader_idx = call.options.add_dataloader_idx;
    wanted.sync = call.options.sync_dist && distributed();
    wanted.rank_zero_only = call.options.rank_zero_only;
    wanted.reduce = call.options.reduce_fx.reduce();
    wanted.loader = current.current_loader;

    Slot* slot = current.find(hook_, call.name,
                              wanted.add_dataloader_idx ? current.current_loader : kNoLoader);
    const bool repeated = slot != nullptr && slot->options == wanted &&
                          slot->metric == call.value.metric() && call.value.elements() == 1 &&
                          call.options.reduce_fx.known() &&
                          slot->group == call.options.sync_dist_group;
    if (!repeated && !check_value(call, wanted)) {
        return;
    }
    if (last_logged_ != hook_ && first_iteration_ != FirstIteration::No) {
        current.reset_values_of(hook_);
    }
    if (!repeated && call.value.metric() != nullptr && settings_.is_registered &&
        !settings_.is_registered(*call.value.metric())) {
        fail(metric_not_registered(
            call.name,
            settings_.registered_names ? settings_.registered_names() : std::vector<std::string>(),
            call.site));
        return;
    }
    if (iterator_style_ && loop_ == Loop::Train && !call.options.batch_size) {
        fail(iterator_without_size(call.name, call.site));
        return;
    }
    if (!settings_.has_sink && call.options.logger.value_or(false)) {
        warn("W3", call.name,
             place(call.site) + ": log(\"" + std::string(call.name) +
                 "\", logger = true) but the trainer has no logger; give it one or "
                 "leave the option out");
    }
    if (!repeated && !check_options(call, wanted)) {
        return;
    }
    if (slot == nullptr) {
        slot = make_slot(call, wanted);
    } else if (!repeated && !same_slot(call, wanted, *slot)) {
        return;
    }
    if (slot == nullptr) {
        return;
    }
    const std::optional<std::int64_t> weight = weight_of(call, *slot);
    if (!weight) {
        return;
    }
    update(*slot, call, *weight);
    last_logged_ = hook_;
}

bool LogState::check_levels(const Call& call, SlotOptions& wanted) {
    const HookInfo& info = hook_info(hook_);
    switch (info.rule) {
        case HookRule::Unknown:
            fail(unknown_hook(call.name, unknown_hook_, call.site));
            return false;
        case HookRule::Refused:
            fail(refused_hook(call.name, info.name, call.site));
            return false;
        case HookRule::Train:
            wanted.on_step = call.options.on_step.value_or(true);
            wanted.on_epoch = call.options.on_epoch.value_or(false);
            return true;
        case HookRule::Evaluation:
            wanted.on_step = call.options.on_step.value_or(false);
            wanted.on_epoch = call.options.on_epoch.value_or(true);
            return true;
        case HookRule::EpochOnly:
            wanted.on_step = call.options.on_step.value_or(false);
            wanted.on_epoch = call.options.on_epoch.value_or(true);
            if (wanted.on_step) {
                fail(refused_level(call.name, info.name, "on_step", true, call.site));
            } else if (!wanted.on_epoch) {
                fail(refused_level(call.name, info.name, "on_epoch", false, call.site));
            }
            return !failed();
    }
    return false;
}

// What a call that repeats an earlier one has passed already.
bool LogState::check_value(const Call& call, const SlotOptions& wanted) {
    if (wanted.add_dataloader_idx && call.name.find("/dataloader_idx_") != std::string_view::npos) {
        fail(loader_in_name(call.name, call.site));
    } else if (call.value.form() == LogValue::Form::Tensor && call.value.elements() != 1) {
        fail(several_elements(call.name, call.value.elements(), call.site));
    }
    return !failed();
}

bool LogState::check_options(const Call& call, const SlotOptions& wanted) {
    if (!wanted.on_step && !wanted.on_epoch) {
        fail(useless_levels(call.name, call.site));
    } else if (!call.options.reduce_fx.known()) {
        fail(unknown_reduction(call.name, call.options.reduce_fx.given(), call.site));
    } else if (!call.options.sync_dist_group.empty() && wanted.sync) {
        if (const auto group = settings_.communicator->find_group(call.options.sync_dist_group);
            !group.ok()) {
            fail(Misuse{"group", MisuseKind::Configuration,
                        place(call.site) + ": log(\"" + std::string(call.name) +
                            "\"): " + group.error().message});
        }
    }
    return !failed();
}

bool LogState::same_slot(const Call& call, const SlotOptions& wanted, const Slot& slot) {
    if (slot.metric != call.value.metric()) {
        fail(different_options(slot, hook_info(hook_).name, "the Metric object", call.site));
    } else if (slot.group != call.options.sync_dist_group) {
        fail(different_options(slot, hook_info(hook_).name, "sync_dist_group", call.site));
    } else if (!(slot.options == wanted)) {
        fail(different_options(slot, hook_info(hook_).name, first_difference(slot.options, wanted),
                               call.site));
    }
    return !failed();
}

Slot* LogState::make_slot(const Call& call, const SlotOptions& wanted) {
    Slot made;
    made.hook = hook_;
    made.name = call.name;
    made.options = wanted;
    made.group = call.options.sync_dist_group;
    made.metric = call.value.metric();
    made.site = call.site;
    return add_slot(std::move(made));
}

// Finds the places of a slot's names in the views and in the run.
Slot* LogState::add_slot(Slot made) {
    made.callback_name = callback_.place_of(made.plain_name());
    for (const Level one : {Level::Step, Level::Epoch}) {
        const auto index = static_cast<std::size_t>(one);
        const std::string name = made.forked_name(one);
        made.callback[index] = callback_.place_of(name);
        made.logged[index] = logged_.place_of(name);
        made.bar[index] = bar_.place_of(name);
    }
    // A value of an epoch hook is the epoch's point itself: a series of its single calls would only
    // repeat it.
    if (settings_.output != nullptr && hook_info(hook_).rule != HookRule::EpochOnly) {
        // Single calls of an epoch value would mix with the epoch's points under one name.
        std::string key =
            made.options.on_step ? made.forked_name(Level::Step) : made.name + "_step";
        if (!made.options.on_step && made.suffixed()) {
            key += "/dataloader_idx_" + std::to_string(made.options.loader);
        }
        made.call_key = settings_.output->bind(key);
    }
    return &slots().add(std::move(made));
}

// The weight of this value in an epoch mean: given, else found once per batch, else 1.
std::optional<std::int64_t> LogState::weight_of(const Call& call, const Slot& slot) {
    if (call.options.batch_size) {
        if (*call.options.batch_size < 0) {
            fail(negative_batch_size(call.name, *call.options.batch_size, call.site));
            return std::nullopt;
        }
        return call.options.batch_size;
    }
    Slots& current = slots();
    if (current.batch_size) {
        return current.batch_size;
    }
    if (batch_ == nullptr || slot.metric != nullptr || !slot.options.on_epoch ||
        slot.options.reduce != Reduce::Mean) {
        return 1;
    }
    BatchVisitor visitor;
    batch_->visit(visitor);
    if (!visitor.size() || visitor.endless()) {
        fail(no_batch_size(call.name, visitor.endless(), call.site));
        return std::nullopt;
    }
    if (visitor.ambiguous()) {
        warn("W5", "",
             place(call.site) + ": parts of the batch have different sizes; " +
                 std::to_string(*visitor.size()) +
                 " is taken as the weight of epoch means. Pass batch_size to log() to be sure");
    }
    current.batch_size = visitor.size();
    return current.batch_size;
}

void LogState::update(Slot& slot, const Call& call, std::int64_t weight) {
    if (slot.in_step != steps_begun_) {
        slot.before = slot;
        slot.before.has_reset = slot.has_reset || slot.logged_at == 0;
        slot.in_step = steps_begun_;
    }
    slot.logged_at = ++calls_;
    slot.has_reset = false;
    if (slot.metric != nullptr) {
        const std::optional<MetricValue>& batch = slot.metric->batch_value();
        slot.computed.reset();
        slot.has_step = batch.has_value();
        slot.step_value = batch ? batch->number() : 0;
        slot.step_numbers = batch ? batch->values.size() : 1;
    } else {
        double value = call.value.number();
        if (call.value.form() == LogValue::Form::Tensor && call.value.dtype() == DType::F64) {
            slot.wide = true;
        } else if (call.value.form() == LogValue::Form::Tensor && is_whole(call.value.dtype())) {
            warn("W4", call.name,
                 place(call.site) + ": log(\"" + std::string(call.name) +
                     "\") got a whole number from a tensor; it is converted to floating "
                     "point to be reduced. Convert it yourself to silence this");
        }
        const bool wide_value =
            call.value.form() == LogValue::Form::Tensor && call.value.dtype() == DType::F64;
        if (single() && !wide_value) {
            value = static_cast<double>(static_cast<float>(value));
        }
        if (slot.options.on_step) {
            slot.step_value = value;
            slot.has_step = true;
        }
        slot.add(value, weight, single());
        if (slot.call_key) {
            settings_.output->call(*slot.call_key, call.value.number(), call_step);
        }
        if (slot.options.on_step && slot.options.sync && !slot.options.rank_zero_only) {
            Slot* one = &slot;
            if (auto problem = sync(std::span(&one, 1), Level::Step)) {
                fail(*problem);
            }
        }
        return;
    }
    if (slot.call_key && slot.has_step) {
        settings_.output->call(*slot.call_key, slot.step_value, call_step);
    }
}

}  // namespace taffrail::metrics
