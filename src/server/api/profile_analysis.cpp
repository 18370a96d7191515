// GET profile:analysis, :workers (the traces of one training side by side), :difference.
#include "profile/analysis/difference.h"
#include "profile/analysis/workers.h"
#include "profile/analysis/write_json.h"
#include "server/api/profile_request.h"
#include "server/profiles.h"

#include <algorithm>
#include <vector>

namespace taffrail::server {
namespace {

namespace analysis = profile::analysis;

/// Null while it is made.
std::shared_ptr<const analysis::Analysis> analysis_of(const ApiContext& context,
                                                      const std::shared_ptr<OpenProfile>& profile) {
    if (profile->state == OpenProfile::State::Failed ||
        profile->analysis_state == OpenProfile::State::Failed) {
        refuse(404, "unavailable", profile->message);
    }
    return profile->state == OpenProfile::State::Ready ? context.profiles->analysis(profile)
                                                       : nullptr;
}

/// {"state": "ready", NAME: …}, or "working" while something is on its way.
template <typename Write>
Response when_ready(bool is_ready, std::string_view name, Write&& write) {
    JsonWriter json;
    json.begin_object().member("state", is_ready ? "ready" : "working").key(name);
    if (is_ready) {
        write(json);
    } else {
        json.null();
    }
    json.end_object();
    return Response::json(std::move(json).take());
}

Response analysed(const ApiContext& context, const Request& request) {
    const auto found = analysis_of(context, opened_profile(context, request));
    return when_ready(found != nullptr, "analysis", [&](JsonWriter& json) {
        analysis::write_json(json, *found, {.rows = 2000});
    });
}

/// What is known by now of some traces of a run.
struct Analysed {
    std::vector<std::shared_ptr<const analysis::Analysis>> kept;
    std::vector<std::string> unreadable;
    bool is_ready = true;

    [[nodiscard]] std::vector<const analysis::Analysis*> all() const {
        std::vector<const analysis::Analysis*> places;
        for (const auto& each : kept) {
            places.push_back(each.get());
        }
        return places;
    }
};

Analysed analysed_so_far(const ApiContext& context, const std::vector<ListedProfile>& traces,
                         const std::vector<std::size_t>& taken) {
    Analysed found;
    for (const std::size_t index : taken) {
        const auto open = context.profiles->open(traces[index].run, traces[index].name);
        if (!open.ok() || (*open)->state == OpenProfile::State::Failed ||
            (*open)->analysis_state == OpenProfile::State::Failed) {
            found.unreadable.push_back(traces[index].name);
        } else if (auto made = analysis_of(context, *open)) {
            found.kept.push_back(std::move(made));
        } else {
            found.is_ready = false;
        }
    }
    return found;
}

Response workers(const ApiContext& context, const Request& request) {
    auto traces = context.profiles->list(text_parameter(request, "run"));
    if (!traces.ok()) {
        refuse(traces.error());
    }
    std::erase_if(*traces, [](const ListedProfile& each) { return each.format != "chrome"; });
    const std::size_t listed = traces->size();
    for (;;) {
        // Reading a trace takes a while: only those that are compared are read.
        std::vector<analysis::WorkerWindow> windows;
        for (const ListedProfile& trace : *traces) {
            windows.push_back(analysis::worker_window_of(trace.file));
        }
        std::vector<std::size_t> taken = analysis::one_window_each(windows);
        const std::size_t too_many = taken.size() - std::min(taken.size(), kMostWorkers);
        taken.resize(taken.size() - too_many);
        Analysed found = analysed_so_far(context, *traces, taken);
        if (found.is_ready) {
            // What a process left before the training was started again hides windows of the later.
            const auto former = analysis::former_processes(found.all());
            const std::size_t removed = std::erase_if(*traces, [&](const ListedProfile& each) {
                return former.contains(analysis::worker_window_of(each.file).worker);
            });
            if (removed > 0) {
                continue;
            }
        }
        return when_ready(found.is_ready, "workers", [&](JsonWriter& json) {
            analysis::Workers workers = analysis::compare_workers(found.all());
            workers.other_windows += listed - taken.size() - too_many;
            workers.too_many = too_many;
            workers.unreadable = std::move(found.unreadable);
            analysis::write_json(json, workers);
        });
    }
}

Response difference(const ApiContext& context, const Request& request) {
    const auto after = analysis_of(context, opened_profile(context, request));
    const auto before =
        analysis_of(context, opened_profile(context, request, "before_run", "before_name"));
    return when_ready(after != nullptr && before != nullptr, "difference", [&](JsonWriter& json) {
        analysis::write_json(json, analysis::difference(*before, *after));
    });
}

}  // namespace

void add_profile_analysis_routes(Router& router, const ApiContext& context) {
    using Answer = Response (*)(const ApiContext&, const Request&);
    const auto with = [&context](Answer answer) {
        return guarded(
            [&context, answer](const Request& request) { return answer(context, request); });
    };
    router.get("profile:analysis", with(analysed));
    router.get("profile:workers", with(workers));
    router.get("profile:difference", with(difference));
}

}  // namespace taffrail::server
