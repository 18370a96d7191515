#include "pipeline/fake_run.h"

#include "run/builtins.h"

#include <algorithm>
#include <set>

namespace taffrail {
namespace detail {

class RunCore {};

}  // namespace detail

namespace test {

std::vector<Logged>& logged() {
    static std::vector<Logged> all;
    return all;
}

std::vector<std::string>& added_sinks() {
    static std::vector<std::string> all;
    return all;
}

void clear() {
    logged().clear();
    added_sinks().clear();
}

std::vector<double> scalars(std::string_view key) {
    std::vector<double> found;
    for (const Logged& each : logged()) {
        if (each.key == key) {
            found.push_back(each.scalar);
        }
    }
    return found;
}

std::vector<Step> steps(std::string_view key) {
    std::vector<Step> found;
    for (const Logged& each : logged()) {
        if (each.key == key) {
            found.push_back(each.step);
        }
    }
    return found;
}

std::vector<Step> kept_steps(std::string_view key) {
    std::vector<Step> found;
    for (const Logged& each : logged()) {
        if (each.key == key && each.visible) {
            found.push_back(each.step);
        }
    }
    return found;
}

std::vector<std::string> keys() {
    std::set<std::string> all;
    for (const Logged& each : logged()) {
        all.insert(each.key);
    }
    return {all.begin(), all.end()};
}

}  // namespace test

// Tests register the sinks they need.
void register_builtins() {}

Run::Run() noexcept = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

void Run::log_routed(std::span<const std::pair<std::string_view, double>> values, Step step,
                     Routing routing) noexcept {
    for (const auto& [key, value] : values) {
        test::logged().push_back(
            {std::string(key), step, value, {}, routing.route, routing.visible});
    }
}

void Run::log_value(std::string_view key, Value value, Step step, Routing routing) noexcept {
    test::logged().push_back(
        {std::string(key), step, 0, std::move(value), routing.route, routing.visible});
}

// As the real one: sinks are made from the registry, and the i-th gets bit i.
Result<RouteMask> Run::add_sink(std::string_view name, const OptionMap& options) {
    auto sink = make_sink(name, options);
    if (!sink.ok()) {
        return sink.error();
    }
    test::added_sinks().emplace_back(name);
    return static_cast<RouteMask>(1u << (test::added_sinks().size() - 1));
}

void Run::note_outcome(std::string_view, RunState, std::string_view) noexcept {}

}  // namespace taffrail
