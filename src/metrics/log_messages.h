// The words of refused log() calls: what was done, where in the program, and the cure.
#pragma once

#include <taffrail/log_options.h>

#include "metrics/slots.h"

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::metrics {

/// "model.cpp:42"
std::string place(const std::source_location& site);

Misuse useless_levels(std::string_view name, const std::source_location& site);  // E1
Misuse refused_hook(std::string_view name, std::string_view hook,
                    const std::source_location& site);  // E2
Misuse unknown_hook(std::string_view name, std::string_view hook,
                    const std::source_location& site);  // E3
Misuse refused_level(std::string_view name, std::string_view hook, std::string_view option,
                     bool value,
                     const std::source_location& site);  // E4
Misuse wrong_type(std::string_view name, std::string_view type,
                  const std::source_location& site);  // E5
Misuse several_elements(std::string_view name, std::int64_t elements,
                        const std::source_location& site);                       // E6
Misuse loader_in_name(std::string_view name, const std::source_location& site);  // E7
Misuse different_options(const Slot& slot, std::string_view hook, std::string_view difference,
                         const std::source_location& site);  // E8
Misuse unknown_reduction(std::string_view name, std::string_view given,
                         const std::source_location& site);  // E9
Misuse metric_not_registered(std::string_view name, const std::vector<std::string>& known,
                             const std::source_location& site);                               // E10
Misuse iterator_without_size(std::string_view name, const std::source_location& site);        // E11
Misuse no_batch_size(std::string_view name, bool endless, const std::source_location& site);  // E12
Misuse negative_batch_size(std::string_view name, std::int64_t size,
                           const std::source_location& site);
Misuse predicting(std::string_view name, const std::source_location& site);        // E13
Misuse outside_of_hooks(std::string_view name, const std::source_location& site);  // E14
Misuse not_one_number(std::string_view name, std::size_t numbers,
                      const std::source_location& site);  // E15

}  // namespace taffrail::metrics
