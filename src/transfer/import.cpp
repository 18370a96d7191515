#include "transfer/import.h"

#include "base/names.h"
#include "base/try.h"
#include "transfer/run_copy.h"

namespace taffrail::transfer {

Import::Import(ImportOptions options) : options_(std::move(options)) {
    if (!options_.again) {
        here_ = imported_runs(options_.root);
    }
}

Result<void> Import::take(const Catalogue& catalogue,
                          const std::function<void(const ImportReport&)>& report) {
    const std::vector<RunInfo> runs = catalogue.runs();
    for (const RunInfo& info : runs) {
        if (info.source == "taffrail" && lies_in(info.location, options_.root)) {
            return Error{ErrorCode::InvalidArgument,
                         info.name + " is a run of " + options_.root +
                             " already; name another folder to import from, or another --root"};
        }
    }
    for (const RunInfo& info : runs) {
        TAFFRAIL_ASSIGN(const auto run, catalogue.run(info.id));
        const auto earlier = here_.find(origin_of(info));
        if (options_.again || earlier == here_.end()) {
            TAFFRAIL_ASSIGN(const ImportReport done, copy(*run));
            report(done);
            continue;
        }
        ImportReport known{.original = info, .id = earlier->second.id};
        known.records = count_records(*run);
        known.earlier_records = earlier->second.records;
        known.outcome = known.records == known.earlier_records ? ImportOutcome::Unchanged
                                                               : ImportOutcome::Grown;
        report(known);
    }
    return {};
}

Result<ImportReport> Import::copy(const RecordedRun& run) {
    ImportReport done{.original = run.info()};
    RunInfo info = done.original;
    info.id = make_run_id(info.start_time_ns != 0 ? info.start_time_ns : options_.now_ns);
    info.project = options_.project.empty() ? info.project : options_.project;
    // Settings come as records too; writing them twice would double them.
    info.config.clear();
    Hparams environment = run.environment();
    done.records = count_records(run);
    note_origin(environment, done.original, done.records);
    TAFFRAIL_ASSIGN(const auto copy, RunCopy::create(options_.root, info));
    TAFFRAIL_TRY(copy->take(run, environment));
    here_.insert_or_assign(origin_of(done.original), ImportedRun{info.id, done.records});
    done.id = info.id;
    done.points = copy->points();
    done.values = copy->values();
    done.damage = run.damage_met();
    return done;
}

}  // namespace taffrail::transfer
