// What the built-in routines share: keys, and the walk over what is tracked.
#pragma once

#include <taffrail/routine.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace taffrail::routines {

/// Keys of a routine's series, made once per (family, name, phase): `Metric-BatchWise/loss/train`.
class SeriesKeys {
  public:
    explicit SeriesKeys(std::string family) : family_(std::move(family)) {}

    const std::string& key(const std::string& name, Phase phase);

  private:
    std::string family_;
    std::map<std::pair<std::string, Phase>, std::string> keys_;
};

/// A routine without statistics of its own.
class WithoutStatistics : public Routine {
  public:
    Result<void> log_epoch(std::int64_t, Phase, RoutineContext&) override { return {}; }

    Result<void> end_log(RoutineContext&) override { return {}; }
};

/// Says once that a tracked name is not in the data.
void warn_absent(const std::string& name, const DataMap& data, std::string_view family);

/// Calls `take` for every tracked name with its datum. A name that is absent is warned about once;
/// `family` names the routine in that warning. The first failure is returned after all names had
/// their turn.
Result<void> for_each_tracked(
    const DataMap& data, const RoutineContext& context, std::string_view family,
    const std::function<Result<void>(const std::string& name, const Datum& datum)>& take);

/// "is a histogram; the image routine takes …": what a routine says about a datum it cannot use.
Error wrong_datum(const std::string& name, const Datum& datum, std::string_view wanted);

/// The factory of a routine that takes the options of `schema`, which must live on.
template <typename Kind, typename Options>
RoutineFactory make_with(const OptionSchema<Options>& schema) {
    return [&schema](const OptionMap& given) -> Result<std::unique_ptr<Routine>> {
        auto options = schema.parse(given);
        if (!options.ok()) {
            return std::move(options).error();
        }
        return std::unique_ptr<Routine>(std::make_unique<Kind>(*std::move(options)));
    };
}

/// The factory of a routine that takes none.
template <typename Kind>
RoutineFactory make_without_options(std::string key) {
    return [key = std::move(key)](const OptionMap& given) -> Result<std::unique_ptr<Routine>> {
        if (!given.empty()) {
            return read_option(key, {}, given.front().first, given.front().second).error();
        }
        return std::unique_ptr<Routine>(std::make_unique<Kind>());
    };
}

}  // namespace taffrail::routines
