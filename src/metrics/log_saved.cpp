// What a checkpoint keeps of the state machine, so that an epoch that is left in its middle goes on
// as if it had not been.
#include "metrics/log_state.h"

namespace taffrail::metrics {

SavedLog LogState::save(bool without_step, const NameOf& name_of) const {
    SavedLog saved{{}, callback_.items(), logged_.items(), bar_.items()};
    for (const Slot& slot : loops_[static_cast<std::size_t>(Loop::Train)].all()) {
        const bool taken_back = without_step && slot.in_step == steps_begun_;
        const SlotValues& values = taken_back ? slot.before : slot;
        saved.slots.push_back(
            {std::string(hook_info(slot.hook).name), slot.name, slot.options, slot.group,
             slot.metric != nullptr ? name_of(*slot.metric) : std::string(), values});
    }
    return saved;
}

void LogState::restore(const SavedLog& saved, const FindMetric& find) {
    const Loop before = std::exchange(loop_, Loop::Train);
    for (const SavedSlot& one : saved.slots) {
        Metric* const metric = one.metric.empty() ? nullptr : find(one.metric);
        if (metric == nullptr && !one.metric.empty()) {
            continue;  // the program has no such metric any more
        }
        Slot made;
        made.hook = find_hook(one.hook);
        made.name = one.name;
        made.options = one.options;
        made.group = one.group;
        made.metric = metric;
        const int loader = made.suffixed() ? made.options.loader : kNoLoader;
        Slot* slot = slots().find(made.hook, made.name, loader);
        if (slot == nullptr) {
            slot = add_slot(std::move(made));
        }
        static_cast<SlotValues&>(*slot) = one.values;
        slot->logged_at = ++calls_;
    }
    loop_ = before;
    for (const auto& [view, values] :
         {std::pair(&callback_, &saved.callback), std::pair(&logged_, &saved.logged),
          std::pair(&bar_, &saved.bar)}) {
        for (const auto& [name, value] : *values) {
            view->set(name, value);
        }
    }
}

}  // namespace taffrail::metrics
