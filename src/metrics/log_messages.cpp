#include "metrics/log_messages.h"

namespace taffrail::metrics {

namespace {

std::string quoted(std::string_view name) {
    return "log(\"" + std::string(name) + "\")";
}

Misuse configuration(std::string_view code, std::string message) {
    return {std::string(code), MisuseKind::Configuration, std::move(message)};
}

}  // namespace

std::string place(const std::source_location& site) {
    std::string_view file = site.file_name();
    if (const auto slash = file.rfind('/'); slash != std::string_view::npos) {
        file.remove_prefix(slash + 1);
    }
    return std::string(file) + ":" + std::to_string(site.line());
}

Misuse useless_levels(std::string_view name, const std::source_location& site) {
    return configuration("E1",
                         place(site) + ": " + quoted(name) +
                             " with on_step = false and on_epoch = false records nothing; set "
                             "one of them");
}

Misuse refused_hook(std::string_view name, std::string_view hook,
                    const std::source_location& site) {
    return configuration(
        "E2", place(site) + ": " + quoted(name) + " is not allowed inside " + std::string(hook) +
                  "; log in a step or epoch hook, or write to the run directly with "
                  "Run::log");
}

Misuse unknown_hook(std::string_view name, std::string_view hook,
                    const std::source_location& site) {
    return {"E3", MisuseKind::Runtime,
            place(site) + ": " + quoted(name) + " in the hook '" + std::string(hook) +
                "', which is not known; log in one of the trainer's hooks, or write to the run "
                "directly with Run::log"};
}

Misuse refused_level(std::string_view name, std::string_view hook, std::string_view option,
                     bool value, const std::source_location& site) {
    return configuration("E4", place(site) + ": " + quoted(name) + " with " + std::string(option) +
                                   " = " + (value ? "true" : "false") + " is not allowed inside " +
                                   std::string(hook) + "; it must be " +
                                   (value ? "false" : "true") +
                                   " there, because that hook belongs to no batch");
}

Misuse wrong_type(std::string_view name, std::string_view type, const std::source_location& site) {
    return {"E5", MisuseKind::BadValue,
            place(site) + ": " + quoted(name) + " got a value of type " + std::string(type) +
                "; only numbers, tensors of one element and Metric objects can be logged" +
                (type == "nested map" ? ", and maps of maps must be flattened first" : "")};
}

Misuse several_elements(std::string_view name, std::int64_t elements,
                        const std::source_location& site) {
    return {
        "E6", MisuseKind::BadValue,
        place(site) + ": " + quoted(name) + " got a tensor of " + std::to_string(elements) +
            " elements, it must have exactly one; log its mean, or use log_histogram for all of "
            "them"};
}

Misuse loader_in_name(std::string_view name, const std::source_location& site) {
    return configuration("E7",
                         place(site) + ": the name in " + quoted(name) +
                             " must not contain /dataloader_idx_: the number of the loader is "
                             "added by itself unless add_dataloader_idx = false");
}

Misuse different_options(const Slot& slot, std::string_view hook, std::string_view difference,
                         const std::source_location& site) {
    return configuration("E8", place(site) + ": " + quoted(slot.name) + " in " + std::string(hook) +
                                   " differs from the first such call at " + place(slot.site) +
                                   " in " + std::string(difference) +
                                   "; give both calls the same options or different names");
}

Misuse unknown_reduction(std::string_view name, std::string_view given,
                         const std::source_location& site) {
    return configuration(
        "E9", place(site) + ": " + quoted(name) + " with reduce_fx = '" + std::string(given) +
                  "'; only mean, sum, min and max are known. Log a Metric object for "
                  "another reduction");
}

Misuse metric_not_registered(std::string_view name, const std::vector<std::string>& known,
                             const std::source_location& site) {
    std::string names;
    for (const std::string& one : known) {
        names += (names.empty() ? " (registered: " : ", ") + one;
    }
    names += names.empty() ? "" : ")";
    return configuration("E10", place(site) + ": the Metric in " + quoted(name) +
                                    " is not registered with the module" + names +
                                    "; call register_metric() for it in the constructor");
}

Misuse iterator_without_size(std::string_view name, const std::source_location& site) {
    return configuration("E11",
                         place(site) + ": " + quoted(name) +
                             " in a training step that takes an iterator needs batch_size: the "
                             "batch is not known here");
}

Misuse no_batch_size(std::string_view name, bool endless, const std::source_location& site) {
    return configuration("E12", place(site) + ": " + quoted(name) +
                                    (endless ? " found a batch that contains itself"
                                             : " found no size in the batch") +
                                    "; pass batch_size, or give the type BatchTraits");
}

Misuse negative_batch_size(std::string_view name, std::int64_t size,
                           const std::source_location& site) {
    return {"E18", MisuseKind::BadValue,
            place(site) + ": " + quoted(name) + " with batch_size = " + std::to_string(size) +
                "; it is the weight of this value in the mean of an epoch and cannot be negative. "
                "Leave it out to have it found in the batch"};
}

Misuse predicting(std::string_view name, const std::source_location& site) {
    return configuration("E13", place(site) + ": " + quoted(name) +
                                    " in a predict loop, which has no metrics; write to the run "
                                    "directly with Run::log");
}

Misuse outside_of_hooks(std::string_view name, const std::source_location& site) {
    return configuration("E14",
                         place(site) + ": " + quoted(name) +
                             " outside of the trainer's hooks; log inside one of them, or write "
                             "to the run directly with Run::log");
}

Misuse not_one_number(std::string_view name, std::size_t numbers,
                      const std::source_location& site) {
    return {"E15", MisuseKind::BadValue,
            place(site) + ": the metric logged as \"" + std::string(name) + "\" computes " +
                std::to_string(numbers) +
                " numbers; log() needs one. Log each of them under a name of its own"};
}

}  // namespace taffrail::metrics
