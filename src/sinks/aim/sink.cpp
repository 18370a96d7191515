#include "sinks/aim/sink.h"

#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/escaped_names.h"
#include "codec/formats/aim/hashing.h"
#include "codec/value_files.h"
#include "io/files.h"
#include "sinks/aim/objects.h"
#include "sqlite/library.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace taffrail::sinks::aim {

namespace leaves = formats::aim;
using formats::aim::Path;

namespace {

constexpr std::size_t kPendingBytes = std::size_t{16} << 20;

double seconds(std::int64_t time_ns) {
    return static_cast<double>(time_ns) * 1e-9;
}

/// Rank 0 has no word of its own: its curves are the same with the other ranks and without.
std::vector<std::pair<std::string, Cell>> context_of(Phase phase, std::int32_t rank) {
    std::vector<std::pair<std::string, Cell>> context;
    if (phase != Phase::None) {
        context.emplace_back("subset",
                             std::string(phase == Phase::Validate ? "val" : to_string(phase)));
    }
    if (rank > 0) {
        context.emplace_back("rank", std::int64_t{rank});
    }
    return context;
}

}  // namespace

Result<std::string> AimSink::target(const SinkContext& context) {
    TAFFRAIL_TRY(rocksdb::available());
    TAFFRAIL_ASSIGN(options_, completed(given_, context));
    return io::join(options_.log_dir, ".aim") + " " + options_.hash;
}

Result<void> AimSink::start(const SinkContext& context,
                            const std::optional<trackers::SinkState>& state) {
    wants_console_ = options_.console;
    wants_load_ = options_.system_metrics;
    repository_ = io::join(options_.log_dir, ".aim");
    last_time_ns_ = context.start_time_ns != 0 ? context.start_time_ns : options_.now_ns();
    row_ = {.hash = options_.hash,
            .name = options_.name,
            .description = context.notes,
            .experiment = options_.experiment.empty() ? "default" : options_.experiment,
            .tags = options_.tags,
            .created_ns = last_time_ns_};
    TAFFRAIL_TRY(make_known(repository_, row_, options_.now_ns()));
    const std::string meta = io::join(repository_, "meta/chunks/" + options_.hash);
    const std::string points = io::join(repository_, "seqs/chunks/" + options_.hash);
    TAFFRAIL_TRY(io::make_directories(meta));
    TAFFRAIL_TRY(io::make_directories(points));
    TAFFRAIL_ASSIGN(meta_, rocksdb::Store::open(meta, rocksdb::Access::Write));
    TAFFRAIL_ASSIGN(points_, rocksdb::Store::open(points, rocksdb::Access::Write));
    put_meta(Path({"attrs"}), leaves::empty_object());
    meta_->put(Path({"meta", "chunks", options_.hash, "end_time"}).bytes(), leaves::none());
    check_ins_ = CheckIns(repository_, options_.hash, options_.now_ns());
    if (state) {
        lines_ = state->number("lines");
        readings_ = state->number("readings");
        last_time_ns_ = std::max(last_time_ns_, state->number("time"));
        for (const auto& [name, text] : state->fields) {
            if (name.starts_with("sequence.")) {
                const auto words = split(std::string_view(text), ' ');
                if (words.size() == 9) {
                    Sequence kept;
                    kept.next = parse_int(words[0]).value_or(0);
                    kept.says_step = words[1] == "1";
                    kept.has_points = true;
                    kept.is_new = false;
                    kept.first_step = parse_int(words[2]).value_or(0);
                    kept.last_step = parse_int(words[3]).value_or(0);
                    kept.first = parse_double(words[4]).value_or(0);
                    kept.last = parse_double(words[5]).value_or(0);
                    kept.smallest = parse_double(words[6]).value_or(0);
                    kept.largest = parse_double(words[7]).value_or(0);
                    kept.has_extremes = words[8] == "1";
                    sequences_[name.substr(9)] = kept;
                }
            }
        }
    }
    Hparams about = {{"run_id", context.run_id}};
    if (!context.group.empty()) {
        about.emplace_back("group", context.group);
    }
    if (!context.job_type.empty()) {
        about.emplace_back("job_type", context.job_type);
    }
    if (context.attempt > 0) {
        about.emplace_back("attempts", static_cast<std::int64_t>(context.attempt) + 1);
    }
    parameters("taffrail", about);
    parameters("hparams", context.config);
    parameters("summary", context.summary);
    for (const MetricDefinition& metric : context.metrics) {
        const Value value = metric;
        TAFFRAIL_TRY(
            take({.key = metric.pattern, .kind = Kind::MetricDefinition, .value = &value}));
    }
    return {};
}

/// Stands twice: for the run, and for all runs of the repository.
void AimSink::put_meta(const Path& path, const std::string& leaf) {
    const std::string& rest = path.bytes();
    meta_->put(Path({"meta", "chunks", options_.hash}).bytes() + rest, leaf);
    meta_->put(Path({"meta"}).bytes() + rest, leaf);
}

void AimSink::parameters(std::string_view group, const Hparams& values) {
    for (const auto& [name, cell] : values) {
        Path path({"attrs", group});
        for (const std::string_view part : split(std::string_view(name), '/')) {
            path.add(part.empty() ? std::string_view("%-") : part);
        }
        put_meta(path, leaves::cell(cell));
    }
}

AimSink::Sequence& AimSink::sequence(std::string_view name, const Context& context,
                                     const std::string& type, const std::string& family,
                                     int version) {
    const std::int64_t hash = formats::aim::hash_of(context);
    const std::string shown = name.empty() ? "%-" : std::string(name);
    Sequence& found = sequences_[to_hex(as_bytes(std::to_string(hash) + " " + shown + " " + type))];
    if (!found.points.empty()) {
        return found;
    }
    found.name = shown;
    found.type = type;
    found.context = hash;
    Path points = version == 2 ? Path({"seqs", "v2", "chunks", options_.hash})
                               : Path({"seqs", "chunks", options_.hash});
    points.add(hash).add(shown);
    found.points = points.bytes();
    found.head = Path({"meta", "chunks", options_.hash, "traces"}).add(hash).add(shown);
    if (context.empty()) {
        put_meta(Path({"contexts"}).add(hash), leaves::empty_object());
    }
    for (const auto& [key, cell] : context) {
        put_meta(Path({"contexts"}).add(hash).add(key), leaves::cell(cell));
    }
    meta_->put((found.head / "dtype").bytes(), leaves::text(type));
    meta_->put((found.head / "version").bytes(), leaves::whole(version));
    meta_->put(Path({"meta", "traces_types", type}).add(hash).add(shown).bytes(), leaves::whole(1));
    meta_->put(Path({"meta", "chunks", options_.hash, "typed_traces", family})
                   .add(hash)
                   .add(shown)
                   .bytes(),
               leaves::whole(1));
    for (const std::string_view column : {"val", "step", "epoch", "time"}) {
        if (version == 2 || column != "step") {
            points_->put(found.points + Path({column}).bytes(), leaves::array());
        }
    }
    return found;
}

std::int64_t AimSink::place(Sequence& to, Step step) {
    const std::int64_t placed = to.has_points && step < to.next ? to.next : step;
    to.says_step = to.says_step || placed != step;
    to.first_step = to.has_points ? to.first_step : placed;
    to.last_step = placed;
    to.next = placed < INT64_MAX ? placed + 1 : placed;
    to.has_points = to.is_changed = true;
    return placed;
}

void AimSink::number(Sequence& to, Step step, double value, std::int64_t time_ns,
                     const std::optional<double>& epoch) {
    const bool is_first = !to.has_points;
    const std::int64_t placed = place(to, step);
    to.first = is_first ? value : to.first;
    to.last = value;
    if (!std::isnan(value)) {
        to.smallest = to.has_extremes ? std::min(to.smallest, value) : value;
        to.largest = to.has_extremes ? std::max(to.largest, value) : value;
        to.has_extremes = true;
    }
    // The values of a step come together: its hash would cost more than all the rest.
    if (hashed_.first != placed || hashed_.second.empty()) {
        hashed_ = {placed, Path().add(formats::aim::hash_of(static_cast<double>(placed))).bytes()};
    }
    const std::string& at = hashed_.second;
    const auto put = [&](std::string_view column, const std::string& leaf) {
        std::string key;
        key.reserve(to.points.size() + 16);
        key += to.points;
        key += column;
        key += '\xFE';
        key += at;
        points_->put(key, leaf);
    };
    put("val", leaves::number(value));
    put("step", leaves::whole(placed));
    put("epoch", epoch ? leaves::number(*epoch) : leaves::none());
    put("time", leaves::number(seconds(time_ns)));
}

Result<void> AimSink::object(const Record& record, const Context& context) {
    const ObjectType type = type_of(*record.value);
    if (type.type.empty()) {
        TAFFRAIL_ASSIGN(const std::vector<ValueFile> files, files_of(*record.value));
        for (const ValueFile& file : files) {
            const std::string name =
                (record.kind == Kind::Artifact ? std::string(record.key)
                                               : trackers::name_of_rank(record.key, record.rank)) +
                "/" +
                (record.kind == Kind::Artifact ? "" : "step_" + std::to_string(record.step) + "/") +
                file.name;
            const std::string safe = path_of_key(name);
            std::error_code failed;
            const std::string folder =
                std::filesystem::absolute(io::join(options_.log_dir, "aim-artifacts"), failed)
                    .string();
            const std::string base = io::join(folder, options_.hash);
            const std::string stored = io::join(base, safe);
            TAFFRAIL_TRY(io::make_directories(io::parent(stored)));
            TAFFRAIL_TRY(io::write_file_atomically(stored, file.bytes, false));
            const Path run({"meta", "chunks", options_.hash});
            const Path path = run / "artifacts" / safe;
            meta_->put((run / "artifacts_uri").bytes(), leaves::text("file://" + folder));
            meta_->put(path.bytes(), leaves::custom("aim.artifact"));
            meta_->put((path / "base_uri").bytes(), leaves::text("file://" + base));
            meta_->put((path / "name").bytes(), leaves::text(safe));
            meta_->put((path / "path").bytes(), leaves::text(stored));
            meta_->put((path / "uri").bytes(), leaves::text("file://" + base + "/" + safe));
        }
        return {};
    }
    Sequence& to = sequence(record.key, context, type.type, type.family, 1);
    const bool is_first = !to.has_points;
    const std::int64_t placed = place(to, record.step);
    to.length = std::max(to.length, type.length);
    // Only whole objects: what fails leaves nothing behind.
    std::vector<std::pair<std::string, std::string>> made;
    TAFFRAIL_TRY(put_object(
        Path().add(placed), *record.value,
        [&](std::string_view key, std::string_view leaf) { made.emplace_back(key, leaf); }));
    const std::string blobs = Path({"BLOBS"}).bytes();
    for (const auto& [key, leaf] : made) {
        const bool is_blob = key.starts_with(blobs);
        const std::string rest = is_blob ? key.substr(blobs.size()) : key;
        const std::string before = is_blob ? blobs : std::string();
        points_->put(before + to.points + Path({"val"}).bytes() + rest, leaf);
        // The head shows the first and the last one without their points.
        const std::string inner = rest.substr(Path().add(placed).bytes().size());
        for (const std::string_view which : {"first", "last"}) {
            if (which == "last" || is_first) {
                meta_->put(before + (to.head / which).bytes() + inner, leaf);
            }
        }
    }
    const std::string at = Path().add(placed).bytes();
    points_->put(to.points + Path({"epoch"}).bytes() + at,
                 record.epoch ? leaves::number(*record.epoch) : leaves::none());
    points_->put(to.points + Path({"time"}).bytes() + at, leaves::number(seconds(record.time_ns)));
    if (to.says_step) {
        number(sequence("step/" + to.name, context, "float", "metric", 2), placed,
               static_cast<double>(record.step), record.time_ns, {});
    }
    return {};
}

Result<void> AimSink::take(const Record& record) {
    last_time_ns_ = std::max(last_time_ns_, record.time_ns);
    if (record.kind == Kind::Scalar) {
        // Before the record has a place: one that fails is handed over again.
        if (points_->pending_bytes() > kPendingBytes) {
            TAFFRAIL_TRY(points_->write_out());
        }
        KeyOrder<Sequence>& of_phase = scalars_[{record.phase, record.rank}];
        Sequence* known = of_phase.find(record.key);
        if (known == nullptr) {
            known = &of_phase.add(
                record.key,
                sequence(record.key, context_of(record.phase, record.rank), "float", "metric", 2));
        }
        number(*known, record.step, record.scalar, record.time_ns, record.epoch);
        if (known->says_step) {
            number(sequence("step/" + known->name, context_of(record.phase, record.rank), "float",
                            "metric", 2),
                   known->last_step, static_cast<double>(record.step), record.time_ns, {});
        }
        return {};
    }
    const Value& value = *record.value;
    if (const auto* hparams = std::get_if<Hparams>(&value)) {
        parameters("hparams", *hparams);
    } else if (const auto* summary = std::get_if<SummaryValues>(&value)) {
        parameters("summary", summary->values);
    } else if (const auto* metric = std::get_if<MetricDefinition>(&value)) {
        const Path path = Path({"attrs", "taffrail", "metrics"}) / metric->pattern;
        put_meta(path / "step", leaves::text(metric->options.step));
        put_meta(path / "summary", leaves::whole(static_cast<int>(metric->options.summary)));
        put_meta(path / "goal", leaves::whole(static_cast<int>(metric->options.goal)));
        put_meta(path / "hidden", leaves::truth(metric->options.hidden));
    } else if (const auto* note = std::get_if<Note>(&value)) {
        row_.description = note->text;
        row_changed_ = true;
    } else if (const auto* tag = std::get_if<Tag>(&value)) {
        std::erase(row_.tags, tag->tag);
        std::erase(removed_tags_, tag->tag);
        (tag->removed ? removed_tags_ : row_.tags).push_back(tag->tag);
        row_changed_ = true;
    } else if (const auto done = object(record, context_of(record.phase, record.rank));
               !done.ok()) {
        return skipped(record.key, done.error());
    }
    return {};
}

void AimSink::console(const ConsoleLine& line) {
    const Value value = Text{.text = line.text, .plain = true};
    static_cast<void>(object({.key = line.is_error ? "stderr" : "stdout",
                              .kind = Kind::Text,
                              .step = lines_++,
                              .time_ns = line.time_ns,
                              .value = &value},
                             context_of(Phase::None, line.rank)));
}

void AimSink::load(const trackers::LoadReading& reading) {
    for (const auto& [key, value] : reading.values) {
        const std::string name = key == "system/cpu/percent"      ? "__system__cpu"
                                 : key == "system/memory/percent" ? "__system__memory_percent"
                                                                  : "__system__" + key.substr(7);
        number(sequence(name, context_of(Phase::None, reading.rank), "float", "metric", 2),
               readings_, value, reading.time_ns, {});
    }
    ++readings_;
}

void AimSink::put_heads() {
    for (auto& [key, one] : sequences_) {
        if (!one.is_changed || one.points.empty()) {
            continue;
        }
        one.is_changed = false;
        meta_->put((one.head / "first_step").bytes(), leaves::whole(one.first_step));
        meta_->put((one.head / "last_step").bytes(), leaves::whole(one.last_step));
        if (one.type == "float") {
            meta_->put((one.head / "first").bytes(), leaves::number(one.first));
            meta_->put((one.head / "last").bytes(), leaves::number(one.last));
            if (one.has_extremes) {
                meta_->put((one.head / "min").bytes(), leaves::number(one.smallest));
                meta_->put((one.head / "max").bytes(), leaves::number(one.largest));
            }
        } else if (one.length > 0) {
            meta_->put((one.head / "record_max_length").bytes(), leaves::whole(one.length));
        }
    }
}

Result<void> AimSink::write_out(trackers::SinkState& state) {
    if (row_changed_) {
        TAFFRAIL_TRY(change(repository_, row_, removed_tags_, options_.now_ns()));
        row_changed_ = false;
    }
    // Points before heads: a head names nothing that is not there.
    TAFFRAIL_TRY(points_->write_out());
    tick();
    put_heads();
    TAFFRAIL_TRY(meta_->write_out());
    state.fields = {{"lines", std::to_string(lines_)},
                    {"readings", std::to_string(readings_)},
                    {"time", std::to_string(last_time_ns_)}};
    for (const auto& [key, one] : sequences_) {
        state.fields["sequence." + key] =
            std::to_string(one.next) + (one.says_step ? " 1 " : " 0 ") +
            std::to_string(one.first_step) + " " + std::to_string(one.last_step) + " " +
            format_double(one.first) + " " + format_double(one.last) + " " +
            format_double(one.smallest) + " " + format_double(one.largest) +
            (one.has_extremes ? " 1" : " 0");
    }
    return {};
}

void AimSink::tick() {
    check_ins_.renew(options_.now_ns());
}

Result<void> AimSink::end(RunState state, const std::string& reason) {
    if (state != RunState::Running) {
        Hparams about = {{"state", std::string(to_string(state))}};
        if (!reason.empty()) {
            about.emplace_back("state_reason", reason);
        }
        parameters("taffrail", about);
        meta_->put(Path({"meta", "chunks", options_.hash, "end_time"}).bytes(),
                   leaves::number(seconds(last_time_ns_)));
    }
    TAFFRAIL_TRY(points_->flush());
    TAFFRAIL_TRY(meta_->flush());
    points_.reset();
    meta_.reset();
    if (state != RunState::Running) {
        check_ins_.end();
    }
    return {};
}

Result<std::unique_ptr<Sink>> make(const OptionMap& given) {
    // Said before a run begins: a program that asked for Aim learns at once what is missing.
    TAFFRAIL_TRY(rocksdb::available());
    TAFFRAIL_TRY(sqlite::available());
    TAFFRAIL_ASSIGN(Options parsed, schema().parse(given));
    return std::unique_ptr<Sink>(std::make_unique<AimSink>(std::move(parsed)));
}

}  // namespace taffrail::sinks::aim
