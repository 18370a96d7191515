// Configurations: YAML files that are composed and overridden, as Python sees them.
#include <taffrail/config.h>
#include <taffrail/logger.h>
#include <taffrail/sink.h>

#include "convert.h"
#include "errors.h"
#include "run_object.h"

#include <nanobind/stl/string.h>

namespace taffrail::python {
namespace {

nb::object from_config(const Config& config) {
    if (config.is_map()) {
        nb::dict said;
        for (std::size_t i = 0; i < config.size(); ++i) {
            said[text(config.names()[i])] = from_config(config.at(i));
        }
        return said;
    }
    if (config.is_list()) {
        nb::list said;
        for (std::size_t i = 0; i < config.size(); ++i) {
            said.append(from_config(config.at(i)));
        }
        return said;
    }
    return from_cell(config.scalar());
}

nb::list option_list_of(const std::vector<OptionInfo>& options) {
    nb::list list;
    for (const OptionInfo& option : options) {
        nb::dict said;
        said["name"] = text(option.name);
        said["type"] = text(to_string(option.type));
        said["fallback"] = text(option.fallback);
        said["help"] = text(option.help);
        said["secret"] = option.rules.secret;
        list.append(said);
    }
    return list;
}

}  // namespace

void bind_config(nb::module_& module) {
    nb::class_<ComposedObject>(module, "_Composed");
    module.def("compose", [](const std::string& primary, nb::handle overrides, nb::handle folders,
                             const std::string& base) {
        ComposeOptions options;
        options.primary = primary;
        options.base = base;
        options.overrides = to_texts(overrides);
        options.sources.search_path = to_texts(folders);
        Composed composed = take(taffrail::compose(with_known_parts(std::move(options))));
        nb::dict choices;
        for (const auto& [group, option] : composed.choices) {
            choices[text(group)] = text(option);
        }
        nb::object said = from_config(composed.config);
        return nb::make_tuple(said, choices, ComposedObject{std::move(composed)});
    });
    module.def(
        "registered_sinks",
        [] {
            nb::list list;
            for (const SinkInfo& info : taffrail::registered_sinks()) {
                nb::dict said;
                said["name"] = text(info.name);
                said["class_name"] = text(info.class_name);
                said["summary"] = text(info.summary);
                said["options"] = option_list_of(info.options);
                list.append(said);
            }
            return list;
        },
        "The sinks of this build, with their options.");
}

}  // namespace taffrail::python
