// Run: opening, ending, and everything that is not called once a step. Values other than numbers
// are in media.cpp.
#include <taffrail/run.h>

#include "convert.h"
#include "errors.h"
#include "python_sink.h"
#include "run_object.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <map>
#include <string>

namespace taffrail::python {
namespace {

template <typename T>
T pick(const std::string& said, const char* what, const std::map<std::string, T>& known) {
    const auto found = known.find(said);
    if (found != known.end()) {
        return found->second;
    }
    std::string names;
    for (const auto& [name, value] : known) {
        names += (names.empty() ? "'" : ", '") + name + "'";
    }
    raise_value_error(std::string(what) + " must be one of " + names + ", not '" + said + "'");
}

std::chrono::milliseconds milliseconds(nb::handle seconds) {
    const double number = nb::cast<double>(seconds);
    if (!(number >= 0 && number < 1e9)) {
        raise_value_error("times are seconds, from 0 on");
    }
    return std::chrono::milliseconds(static_cast<std::int64_t>(number * 1000));
}

RunOptions options_of(const nb::dict& given) {
    RunOptions options;
    const auto set = [&](const char* name, auto&& take_it) {
        if (given.contains(name)) {
            const nb::object value = given[name];
            if (value.is_none()) {
                return;
            }
            try {
                take_it(value);
            } catch (const nb::cast_error&) {
                raise_type_error(std::string("init() cannot take ") + name + "=" +
                                 nb::repr(value).c_str());
            }
        }
    };
    const auto set_text = [&](const char* name, std::string& field) {
        set(name, [&](nb::handle value) { field = nb::cast<std::string>(nb::str(value)); });
    };
    set_text("project", options.project);
    set_text("name", options.name);
    set_text("root", options.root);
    set_text("group", options.group);
    set_text("job_type", options.job_type);
    set_text("notes", options.notes);
    set_text("id", options.id);
    set_text("spool", options.spool);
    set("tags", [&](nb::handle value) { options.tags = to_texts(value); });
    set("resume", [&](nb::handle value) {
        options.resume = pick<Resume>(
            nb::cast<std::string>(value), "resume",
            {{"never", Resume::Never}, {"allow", Resume::Allow}, {"must", Resume::Must}});
    });
    set("resume_step", [&](nb::handle value) { options.resume_step = nb::cast<Step>(value); });
    set("overflow", [&](nb::handle value) {
        options.overflow =
            pick<Overflow>(nb::cast<std::string>(value), "overflow",
                           {{"block", Overflow::Block}, {"count_gap", Overflow::CountGap}});
    });
    set("durability", [&](nb::handle value) {
        options.durability =
            pick<Durability>(nb::cast<std::string>(value), "durability",
                             {{"async", Durability::Async}, {"sync", Durability::Sync}});
    });
    set("overflow_wait", [&](nb::handle value) { options.overflow_wait = milliseconds(value); });
    set("flush_interval", [&](nb::handle value) { options.flush_interval = milliseconds(value); });
    set("finish_timeout", [&](nb::handle value) { options.finish_timeout = milliseconds(value); });
    set("ring_budget_bytes",
        [&](nb::handle value) { options.ring_budget_bytes = nb::cast<std::uint64_t>(value); });
    set("ring_bytes",
        [&](nb::handle value) { options.ring_bytes = nb::cast<std::uint64_t>(value); });
    set("roll_bytes",
        [&](nb::handle value) { options.roll_bytes = nb::cast<std::uint64_t>(value); });
    set("store",
        [&](nb::handle value) { options.store = nb::cast<bool>(value) ? Store::On : Store::Off; });
    set("seal_on_finish",
        [&](nb::handle value) { options.seal_on_finish = nb::cast<bool>(value); });
    set("console", [&](nb::handle value) { options.console = nb::cast<bool>(value); });
    set("environment", [&](nb::handle value) { options.environment = nb::cast<bool>(value); });
    set("machine_load", [&](nb::handle value) {
        if (value.ptr() == Py_False) {
            options.machine_load.reset();
        } else if (value.ptr() != Py_True) {
            options.machine_load = milliseconds(value);
        }
    });
    set("rank", [&](nb::handle value) { options.rank = nb::cast<std::int32_t>(value); });
    set("world_size",
        [&](nb::handle value) { options.world_size = nb::cast<std::int32_t>(value); });
    return options;
}

RunState state_of(const std::string& said) {
    return pick<RunState>(said, "state",
                          {{"finished", RunState::Finished},
                           {"failed", RunState::Failed},
                           {"crashed", RunState::Crashed},
                           {"aborted", RunState::Aborted}});
}

void open_run(RunObject* self, const nb::dict& options) {
    RunOptions wanted = options_of(options);
    std::optional<Result<Run>> opened;
    {
        const nb::gil_scoped_release released;
        opened.emplace(Run::open(std::move(wanted)));
    }
    if (!opened->ok()) {
        raise(opened->error());
    }
    new (self) RunObject(**std::move(opened));
}

void finish_run(RunObject& self, const std::string& said) {
    const RunState state = state_of(said);
    const std::shared_ptr<Run> run = self.run;  // the object may go while others hold the lock
    std::optional<Result<void>> ended;
    {
        const nb::gil_scoped_release released;
        ended.emplace(run->finish(state));
    }
    self.finished = true;
    forget_open(run);
    take(*std::move(ended));
}

template <typename Work>
void wait_without_lock(const RunObject& self, Work&& work) {
    const std::shared_ptr<Run> run = self.run;
    std::optional<Result<void>> done;
    {
        const nb::gil_scoped_release released;
        done.emplace(work(*run));
    }
    take(*std::move(done));
}

/// (key, value, step or None) of what log() was given last, newest row first. Keys that were made
/// anew for each call are not among them.
nb::list last_values(const RunObject& self) {
    nb::list said;
    for (const RowCache::Entry* row : self.rows.logged()) {
        for (std::size_t i = 0; i < row->keys.size(); ++i) {
            said.append(nb::make_tuple(
                nb::borrow(row->keys[i]), row->last[i],
                row->last_step == kAutoStep ? nb::none() : nb::object(nb::int_(row->last_step))));
        }
    }
    return said;
}

nb::dict stats_of(const RunObject& self) {
    const RunStats stats = self.run->stats();
    nb::dict said;
    said["records"] = stats.records;
    said["written"] = stats.written;
    said["gaps"] = stats.gaps;
    said["blocked_ns"] = stats.blocked_ns;
    said["errors"] = stats.errors;
    said["bytes_written"] = stats.bytes_written;
    return said;
}

MetricOptions metric_options(const std::string& step, const std::string& summary,
                             const std::string& goal, bool hidden) {
    MetricOptions options;
    options.step = step;
    options.summary = pick<Summary>(summary, "summary",
                                    {{"last", Summary::Last},
                                     {"min", Summary::Min},
                                     {"max", Summary::Max},
                                     {"mean", Summary::Mean},
                                     {"none", Summary::None}});
    options.goal = pick<Goal>(
        goal, "goal",
        {{"none", Goal::None}, {"minimize", Goal::Minimize}, {"maximize", Goal::Maximize}});
    options.hidden = hidden;
    return options;
}

}  // namespace

Phase phase_named(const std::string& said) {
    return pick<Phase>(said, "phase",
                       {{"", Phase::None},
                        {"train", Phase::Train},
                        {"validate", Phase::Validate},
                        {"test", Phase::Test},
                        {"predict", Phase::Predict},
                        {"sanity", Phase::Sanity}});
}

void bind_run(nb::module_& module) {
    nb::class_<RunObject> run(module, "Run", nb::type_slots(run_slots()), nb::dynamic_attr(),
                              nb::is_weak_referenceable());
    run.def("__init__", &open_run, nb::arg("options"))
        .def_prop_ro("active", [](const RunObject& self) { return self.run->active(); })
        .def_prop_ro("finished", [](const RunObject& self) { return self.finished; })
        .def_prop_ro("id", [](const RunObject& self) { return self.run->id(); })
        .def_prop_ro("name", [](const RunObject& self) { return self.run->name(); })
        .def_prop_ro("folder", [](const RunObject& self) { return self.run->folder(); })
        .def("_scalar",
             [](nb::handle_t<RunObject> self, nb::str key) {
                 auto& object = nb::cast<RunObject&>(self);
                 return ScalarObject{object.run->scalar(nb::cast<std::string>(key)), key,
                                     nb::weakref(self), object.arriving};
             })
        .def("_row",
             [](nb::handle_t<RunObject> self, nb::tuple keys) {
                 auto& object = nb::cast<RunObject&>(self);
                 const std::vector<std::string> names = to_texts(keys);
                 const std::vector<std::string_view> views(names.begin(), names.end());
                 return RowObject{object.run->row(std::span<const std::string_view>(views)), keys,
                                  nb::weakref(self), object.arriving};
             })
        .def("_log_hparams",
             [](RunObject& self, nb::handle pairs) { self.run->log_hparams(to_hparams(pairs)); })
        .def(
            "_summary",
            [](RunObject& self, const std::string& key, nb::handle value) {
                self.run->summary(key, to_cell(value));
            },
            nb::arg("key"), nb::arg("value").none())
        .def("_define_metric",
             [](RunObject& self, const std::string& pattern, const std::string& step,
                const std::string& summary, const std::string& goal, bool hidden) {
                 self.run->define_metric(pattern, metric_options(step, summary, goal, hidden));
             })
        .def("_alert",
             [](RunObject& self, const std::string& title, const std::string& said,
                const std::string& level) {
                 self.run->alert(title, said,
                                 pick<AlertLevel>(level, "level",
                                                  {{"info", AlertLevel::Info},
                                                   {"warning", AlertLevel::Warning},
                                                   {"error", AlertLevel::Error}}));
             })
        .def(
            "tag", [](RunObject& self, const std::string& tag) { self.run->tag(tag); },
            nb::arg("tag"))
        .def(
            "untag", [](RunObject& self, const std::string& tag) { self.run->untag(tag); },
            nb::arg("tag"))
        .def(
            "note", [](RunObject& self, const std::string& text) { self.run->note(text); },
            nb::arg("text"))
        .def(
            "set_epoch", [](RunObject& self, double epoch) { self.run->set_epoch(epoch); },
            nb::arg("epoch"), "Later records carry this epoch.")
        .def(
            "set_samples",
            [](RunObject& self, std::int64_t samples) { self.run->set_samples(samples); },
            nb::arg("samples"), "Later records carry this number of samples.")
        .def(
            "set_phase",
            [](RunObject& self, const std::string& phase) {
                self.run->set_phase(phase_named(phase));
            },
            nb::arg("phase"), "'train', 'validate', 'test', 'predict', 'sanity' or ''.")
        .def("_add_sink",
             [](RunObject& self, const std::string& name, nb::dict options) {
                 return take(self.run->add_sink(name, to_options(options)));
             })
        .def("_add_python_sink",
             [](RunObject& self, nb::object sink, const std::string& name) {
                 auto wrapped = make_python_sink(std::move(sink));
                 std::optional<Result<RouteMask>> added;
                 {
                     const nb::gil_scoped_release released;
                     added.emplace(self.run->add_sink(std::move(wrapped), name));
                 }
                 return take(*std::move(added));
             })
        .def(
            "flush",
            [](RunObject& self) { wait_without_lock(self, [](Run& it) { return it.flush(); }); },
            "Returns when everything logged before is in the log file.")
        .def(
            "commit",
            [](RunObject& self) { wait_without_lock(self, [](Run& it) { return it.commit(); }); },
            "As flush(), and on the disk itself.")
        .def("_finish", &finish_run)
        .def("_set_arriving", [](RunObject& self, bool arriving) { *self.arriving = arriving; })
        .def(
            "note_outcome",
            [](RunObject& self, const std::string& part, const std::string& state,
               const std::string& why) { self.run->note_outcome(part, state_of(state), why); },
            nb::arg("part"), nb::arg("state"), nb::arg("why") = "",
            "How a part of the program ended, and why; the worst of them is how the run ends.")
        .def(
            "check", [](RunObject& self) { take(self.run->check()); },
            "Raises the first failure so far.")
        .def("_last_values", &last_values)
        .def("_stats", &stats_of);
    bind_media(run);
}

}  // namespace taffrail::python
