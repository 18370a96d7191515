#include "sources/aim/read_run.h"

#include "base/diagnostics.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "codec/formats/aim/encoding.h"
#include "io/files.h"
#include "io/inside.h"
#include "rocksdb/store.h"
#include "sources/aim/metric_columns.h"
#include "sources/aim/read_objects.h"
#include "sources/aim/table_folder.h"
#include "sqlite/database.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

namespace taffrail::sources::aim {

using namespace formats::aim;

namespace {

constexpr const char* kRank = "rank";  // of a context

std::string joined(const std::vector<PathPart>& parts, std::size_t first) {
    std::string name;
    for (std::size_t i = first; i < parts.size(); ++i) {
        const auto* text = std::get_if<std::string>(&parts[i]);
        name += (i == first ? "" : "/") +
                (text != nullptr ? *text : std::to_string(std::get<std::int64_t>(parts[i])));
    }
    return repair_utf8(name);
}

std::int64_t time_of(double seconds) {
    return std::isfinite(seconds) && seconds > 0 && seconds < 9e9
               ? static_cast<std::int64_t>(seconds * 1e9)
               : 0;
}

/// "2026-11-18 08:43:06.407488"
std::int64_t time_in(std::string_view text) {
    std::tm parts{};
    const std::string copy(text);
    if (::strptime(copy.c_str(), "%Y-%m-%d %H:%M:%S", &parts) == nullptr) {
        return 0;
    }
    const auto dot = copy.find('.');
    const double fraction =
        dot != std::string::npos ? parse_double("0" + copy.substr(dot)).value_or(0) : 0;
    return static_cast<std::int64_t>(::timegm(&parts)) * 1'000'000'000 +
           static_cast<std::int64_t>(fraction * 1e9);
}

/// RocksDB opens whatever lies in its folder by name: a named pipe would hold it for ever, a link
/// lead it elsewhere.
bool is_ordinary(const std::string& folder) {
    constexpr std::string_view kManifest = "MANIFEST-";
    const auto entries = io::list_inside(folder, folder);
    const auto current = io::read_inside(folder, io::join(folder, "CURRENT"), 100);
    if (io::is_link(folder) || !entries.ok() || !current.ok()) {
        return false;
    }
    const std::string_view name = trim(as_text(*current));
    return name.starts_with(kManifest) &&
           name.find_first_not_of("0123456789", kManifest.size()) == std::string_view::npos &&
           std::ranges::all_of(*entries, [&](const io::DirectoryEntry& entry) {
               return entry.type != io::EntryType::Other &&
                      !io::is_link(io::join(folder, entry.name));
           });
}

struct Head {
    std::string type;
    std::int64_t version = 1;
};

struct Row {
    Step step;
    double value, time, epoch;
};

/// In the order of their steps, those of one step as they come. Steps mostly count up without large
/// gaps: each row has its place then, and nothing needs comparing.
void sort_by_step(std::vector<Row>& rows) {
    if (rows.size() < 2) {
        return;
    }
    const auto [least, most] = std::ranges::minmax(rows, {}, &Row::step);
    const auto span =
        static_cast<std::uint64_t>(most.step) - static_cast<std::uint64_t>(least.step);
    if (span >= 4 * rows.size()) {
        std::ranges::stable_sort(rows, {}, &Row::step);
        return;
    }
    const auto place_of = [first = static_cast<std::uint64_t>(least.step)](const Row& row) {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(row.step) - first);
    };
    std::vector<std::size_t> next(static_cast<std::size_t>(span) + 2);
    for (const Row& row : rows) {
        ++next[place_of(row) + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<Row> sorted(rows.size());
    for (const Row& row : rows) {
        sorted[next[place_of(row)]++] = row;
    }
    rows = std::move(sorted);
}

class Reader {
  public:
    Reader(const std::string& repository, const std::string& hash, model::GatheredContent& to)
        : repository_(repository), hash_(hash), to_(to) {}

    bool read() {
        const std::string meta = io::join(repository_, "meta/chunks/" + hash_);
        const std::string points = io::join(repository_, "seqs/chunks/" + hash_);
        if (!is_ordinary(meta)) {
            return false;
        }
        if (!read_meta(meta)) {
            return false;
        }
        if (!is_ordinary(points)) {
            to_.damaged(points, "no folder of RocksDB with ordinary files alone");
        } else {
            read_points(points);
        }
        return true;
    }

  private:
    /// False where the folder cannot be opened at all.
    bool read_meta(const std::string& meta) {
        const std::string prefix = Path({"meta", "chunks", hash_}).bytes();
        const auto take = [&](std::string_view key, std::string_view value) {
            take_meta(key, value);
        };
        auto folder = TableFolder::open(repository_, meta);
        if (folder && folder->scan(prefix, take)) {
            return true;
        }
        auto store = rocksdb::Store::open(meta, rocksdb::Access::Read);
        if (!store.ok()) {
            if (store.error().code == ErrorCode::Unsupported) {
                diagnose_once(DiagnosticLevel::Warning, "aim.rocksdb", store.error().message);
            }
            return false;
        }
        const auto scanned =
            (*store)->scan(prefix, [&](std::string_view key, std::string_view value) {
                take_meta(key, value);
                return true;
            });
        if (!scanned.ok()) {
            to_.damaged(meta, scanned.error().message);
        }
        return true;
    }

    void take_meta(std::string_view key, std::string_view value) {
        const auto parts = parse_path(as_bytes(key));
        if (!parts || parts->size() < 4) {
            return;
        }
        const Leaf leaf = parse_leaf(as_bytes(value));
        const auto* section = std::get_if<std::string>(&(*parts)[3]);
        if (section == nullptr) {
            return;
        }
        if (*section == "attrs" && parts->size() > 4 && leaf.type <= LeafType::Text) {
            take_parameter(joined(*parts, 4), leaf);
        } else if (*section == "end_time" && leaf.type == LeafType::Number) {
            to_.info.end_time_ns = time_of(leaf.number);
            to_.is_open_ended = false;
        } else if (*section == "contexts" && parts->size() > 5) {
            if (const auto* context = std::get_if<std::int64_t>(&(*parts)[4])) {
                const Cell cell = cell_of(leaf);
                const auto* text = std::get_if<std::string>(&cell);
                contexts_[*context][joined(*parts, 5)] = text != nullptr ? *text
                                                         : leaf.type == LeafType::Whole
                                                             ? std::to_string(leaf.whole)
                                                             : format_double(leaf.number);
            }
        } else if (*section == "traces" && parts->size() == 7) {
            const auto* context = std::get_if<std::int64_t>(&(*parts)[4]);
            const auto* name = std::get_if<std::string>(&(*parts)[5]);
            const std::string field = joined(*parts, 6);
            if (context != nullptr && name != nullptr) {
                Head& head = heads_[{*context, *name}];
                head.type = field == "dtype" ? std::string(as_text(leaf.content)) : head.type;
                head.version = field == "version" ? leaf.whole : head.version;
            }
        }
    }

    void take_parameter(const std::string& name, const Leaf& leaf) {
        const Cell cell = cell_of(leaf);
        const auto* text = std::get_if<std::string>(&cell);
        constexpr std::string_view kOwn = "taffrail/", kSummary = "summary/", kHparams = "hparams/";
        if (name.starts_with(kOwn)) {
            to_.environment.emplace_back(name, cell);
            const std::string_view rest = std::string_view(name).substr(kOwn.size());
            if (text != nullptr && rest == "group") {
                to_.info.group = *text;
            } else if (text != nullptr && rest == "job_type") {
                to_.info.job_type = *text;
            } else if (text != nullptr && rest == "state_reason") {
                to_.info.message = *text;
            } else if (text != nullptr && rest == "state") {
                for (const RunState one :
                     {RunState::Finished, RunState::Failed, RunState::Crashed, RunState::Aborted}) {
                    to_.info.state = *text == to_string(one) ? one : to_.info.state;
                }
            }
        } else if (name.starts_with(kSummary)) {
            to_.info.summary.insert_or_assign(name.substr(kSummary.size()), cell);
        } else if (name.starts_with(kHparams)) {
            to_.info.config.emplace_back(name.substr(kHparams.size()), cell);
        } else {
            to_.info.config.emplace_back(name, cell);
        }
    }

    /// One context of a name needs no word of it; several are told apart.
    std::string key_of(std::int64_t context, const std::string& name) const {
        std::string key = repair_utf8(name == "%-" ? "" : name);
        std::size_t same = 0;
        for (const auto& [place, head] : heads_) {
            same += place.second == name ? 1 : 0;
        }
        const auto found = contexts_.find(context);
        if (found == contexts_.end() || same < 2) {
            return key;
        }
        for (const auto& [word, value] : found->second) {
            if (word != kRank || !rank_in(value)) {
                key = word == "subset" ? value + "/" + key : key + " " + word + "=" + value;
            }
        }
        return key;
    }

    /// What programs on several ranks say there, and our own sink with `ranks: all`.
    static std::optional<std::int32_t> rank_in(std::string_view text) {
        constexpr std::int64_t kMostRanks = 1 << 20;
        const auto rank = parse_int(text);
        return rank && *rank >= 0 && *rank < kMostRanks
                   ? std::optional(static_cast<std::int32_t>(*rank))
                   : std::nullopt;
    }

    std::int32_t rank_of(std::int64_t context) const {
        const auto found = contexts_.find(context);
        const auto word = found != contexts_.end()
                              ? found->second.find(kRank)
                              : std::map<std::string, std::string>::const_iterator();
        return found == contexts_.end() || word == found->second.end()
                   ? 0
                   : rank_in(word->second).value_or(0);
    }

    Phase phase_of(std::int64_t context) const {
        const auto found = contexts_.find(context);
        const auto subset = found != contexts_.end()
                                ? found->second.find("subset")
                                : std::map<std::string, std::string>::const_iterator();
        if (found == contexts_.end() || subset == found->second.end()) {
            return Phase::None;
        }
        const std::string& word = subset->second;
        return word == "train"                       ? Phase::Train
               : word == "val" || word == "validate" ? Phase::Validate
               : word == "test"                      ? Phase::Test
               : word == "predict"                   ? Phase::Predict
               : word == "sanity"                    ? Phase::Sanity
                                                     : Phase::None;
    }

    /// RocksDB, once something needs it; null where it cannot open the folder, which is said then.
    rocksdb::Store* store_of(const std::string& folder) {
        if (!store_ && !is_store_broken_) {
            auto opened = rocksdb::Store::open(folder, rocksdb::Access::Read);
            is_store_broken_ = !opened.ok();
            if (opened.ok()) {
                store_ = *std::move(opened);
            } else {
                to_.damaged(folder, opened.error().message);
            }
        }
        return store_.get();
    }

    void read_points(const std::string& folder) {
        if (auto tables = TableFolder::open(repository_, folder)) {
            metrics_ = read_metrics(*tables, hash_);
        }
        // Ranks of a key come in their order.
        std::vector<const std::pair<const std::pair<std::int64_t, std::string>, Head>*> ordered;
        for (const auto& one : heads_) {
            ordered.push_back(&one);
        }
        std::ranges::stable_sort(ordered, {},
                                 [&](const auto* one) { return rank_of(one->first.first); });
        for (const auto* one : ordered) {
            const auto& [context, name] = one->first;
            const Head& head = one->second;
            to_.info.world_size = std::max(to_.info.world_size, rank_of(context) + 1);
            const bool is_number =
                head.type == "float" || head.type == "int" || head.type == "number";
            if (is_number && !name.starts_with("step/")) {
                read_metric(folder, context, name, head);
            } else if (rocksdb::Store* store = is_number ? nullptr : store_of(folder)) {
                read_objects(*store, folder, context, name, head);
            }
        }
        if (!metrics_ && heads_.empty()) {
            (void)store_of(folder);  // a folder that cannot be opened is told of in any case
        }
    }

    MetricColumns columns_of(const std::string& folder, std::int64_t context,
                             const std::string& name, const Head& head) {
        constexpr std::int64_t kByHash = 2;  // the version that finds cells by a hash
        MetricColumns columns;
        if (head.version >= kByHash && metrics_) {
            if (const auto found = metrics_->find({context, name}); found != metrics_->end()) {
                columns = std::move(found->second);
            }
        } else if (rocksdb::Store* store = store_of(folder)) {
            Path base = head.version >= kByHash ? Path({"seqs", "v2", "chunks", hash_})
                                                : Path({"seqs", "chunks", hash_});
            base.add(context).add(name);
            if (const auto read = read_columns(*store, base.bytes(), columns); !read.ok()) {
                to_.damaged(folder, "'" + repair_utf8(name) + "': " + read.error().message);
            }
        }
        return columns;
    }

    void read_metric(const std::string& folder, std::int64_t context, const std::string& name,
                     const Head& head) {
        const MetricColumns columns = columns_of(folder, context, name, head);
        // All columns are in the same order; one that lacks a place is behind the others.
        const auto held_at = [](const auto& cells, std::size_t& next, std::uint64_t at,
                                auto otherwise) {
            while (next < cells.size() && cells[next].at < at) {
                ++next;
            }
            return next < cells.size() && cells[next].at == at ? cells[next].held : otherwise;
        };

        std::vector<Row> rows;
        rows.reserve(columns.value.size());
        std::size_t step = 0, time = 0, epoch = 0;
        for (const auto& [at, value, sequence] : columns.value) {
            const auto place = static_cast<std::int64_t>(at);
            rows.push_back(
                {head.version >= 2 ? held_at(columns.step, step, at, std::int64_t{0}) : place,
                 value, held_at(columns.time, time, at, 0.0),
                 held_at(columns.epoch, epoch, at, std::nan(""))});
        }
        sort_by_step(rows);
        std::map<Step, Step> true_steps;
        if (const auto beside = heads_.find({context, "step/" + name}); beside != heads_.end()) {
            const MetricColumns told = columns_of(folder, context, "step/" + name, beside->second);
            std::size_t next = 0;
            for (const auto& [at, value, sequence] : told.value) {
                constexpr double kMost = 9.2e18;
                const Step counted = held_at(told.step, next, at, std::int64_t{0});
                true_steps[counted] = std::abs(value) <= kMost ? static_cast<Step>(value) : counted;
            }
        }
        const bool is_load = name.starts_with("__system__");
        const std::string key = name == "__system__cpu"              ? "system/cpu/percent"
                                : name == "__system__memory_percent" ? "system/memory/percent"
                                : is_load ? "system/" + repair_utf8(name.substr(10))
                                          : key_of(context, name);
        model::GatheredSeries& series = to_.series[key];
        series.begin(0, rank_of(context), phase_of(context));
        for (const Row& row : rows) {
            const auto truth = true_steps.find(row.step);
            const std::int64_t time_ns = time_of(row.time);
            series.add(truth != true_steps.end() ? truth->second : row.step, time_ns, row.value,
                       row.epoch);
            last_time_ns_ = std::max(last_time_ns_, time_ns);
        }
        to_.info.end_time_ns = std::max(to_.info.end_time_ns, last_time_ns_);
    }

    void read_objects(rocksdb::Store& store, const std::string& folder, std::int64_t context,
                      const std::string& name, const Head& head) {
        Path base({"seqs", "chunks", hash_});
        base.add(context).add(name);
        std::map<std::int64_t, std::shared_ptr<Leaves>> objects;
        std::map<std::int64_t, double> times;
        const auto scan = [&](const std::string& prefix, auto take) {
            const auto scanned =
                store.scan(prefix, [&](std::string_view key, std::string_view value) {
                    const auto parts = parse_path(as_bytes(key.substr(prefix.size())));
                    const auto* at = parts && !parts->empty()
                                         ? std::get_if<std::int64_t>(&parts->front())
                                         : nullptr;
                    if (at != nullptr) {
                        take(*at, joined(*parts, 1), value);
                    }
                    return true;
                });
            if (!scanned.ok()) {
                to_.damaged(folder, "'" + repair_utf8(name) + "': " + scanned.error().message);
            }
        };
        const auto object_at = [&](std::int64_t at) -> Leaves& {
            auto& found = objects[at];
            found = found ? found : std::make_shared<Leaves>();
            return *found;
        };
        const std::string values = (base / "val").bytes();
        scan(values, [&](std::int64_t at, const std::string& field, std::string_view value) {
            object_at(at).encoded[field] = value;
        });
        scan(Path({"BLOBS"}).bytes() + values,
             [&](std::int64_t at, const std::string& field, std::string_view value) {
                 object_at(at).blobs[field] = value;
             });
        scan((base / "time").bytes(),
             [&](std::int64_t at, const std::string&, std::string_view value) {
                 times[at] = parse_leaf(as_bytes(value)).number;
             });
        const bool is_console = name == "stdout" || name == "stderr" || name == "logs";
        for (const auto& [step, leaves] : objects) {
            const std::int64_t time_ns = time_of(times[step]);
            if (is_console && head.type == "aim.text") {
                model::GatheredBlobs none;
                const auto value = value_of(head.type, *leaves, none);
                if (value.ok()) {
                    to_.console.push_back(
                        {time_ns, name == "stderr", rank_of(context), std::get<Text>(*value).text});
                }
                continue;
            }
            model::GatheredValue value;
            value.kind = aim::kind_of(head.type);
            value.step = step;
            value.time_ns = time_ns;
            value.rank = rank_of(context);
            value.phase = phase_of(context);
            value.make = [type = head.type, leaves](model::GatheredBlobs& blobs) {
                return value_of(type, *leaves, blobs);
            };
            to_.values[key_of(context, name)].push_back(std::move(value));
        }
    }

    const std::string& repository_;
    const std::string& hash_;
    model::GatheredContent& to_;
    std::map<std::int64_t, std::map<std::string, std::string>> contexts_;
    std::map<std::pair<std::int64_t, std::string>, Head> heads_;
    std::optional<Metrics> metrics_;  ///< those of a folder at rest
    std::unique_ptr<rocksdb::Store> store_;
    bool is_store_broken_ = false;
    std::int64_t last_time_ns_ = 0;
};

void take_row(const std::string& repository, const std::string& hash, RunInfo& info) {
    const std::string file = io::join(repository, "run_metadata.sqlite");
    const auto database = io::open_inside(repository, file).ok()
                              ? sqlite::Database::open(file, sqlite::Mode::Read)
                              : Result<sqlite::Database>(Error{});
    if (!database.ok() || !database->has_table("run")) {
        return;
    }
    auto row = database->prepare(
        "SELECT run.name, run.description, run.created_at, run.is_archived, experiment.name FROM "
        "run LEFT JOIN experiment ON experiment.id = run.experiment_id WHERE run.hash = ?1");
    if (row.ok()) {
        row->bind(1, std::string_view(hash));
        if (const auto found = row->step(); found.ok() && *found) {
            info.name = repair_utf8(row->text(0));
            info.notes = repair_utf8(row->text(1));
            info.start_time_ns = time_in(row->text(2));
            info.archived = row->whole(3) != 0;
            info.project = repair_utf8(row->text(4));
        }
    }
    auto tags = database->prepare(
        "SELECT tag.name FROM tag JOIN run_tag ON run_tag.tag_id = tag.id JOIN run ON run.id = "
        "run_tag.run_id WHERE run.hash = ?1 ORDER BY tag.id");
    if (tags.ok()) {
        tags->bind(1, std::string_view(hash));
        for (auto more = tags->step(); more.ok() && *more; more = tags->step()) {
            info.tags.push_back(repair_utf8(tags->text(0)));
        }
    }
}

}  // namespace

std::shared_ptr<model::GatheredContent> read_run(const std::string& repository,
                                                 const std::string& hash) {
    auto content = std::make_shared<model::GatheredContent>();
    content->info.source = "aim";
    content->info.id = hash;
    content->info.state = RunState::Finished;
    content->info.location = io::join(repository, "meta/chunks/" + hash);
    content->is_open_ended = true;
    take_row(repository, hash, content->info);
    content->info.name = content->info.name.empty() ? hash : content->info.name;
    if (!Reader(repository, hash, *content).read()) {
        return nullptr;
    }
    for (const char* part : {"meta/chunks/", "seqs/chunks/"}) {
        const std::string folder = io::join(repository, part + hash);
        const auto entries = io::list_inside(repository, folder);
        for (const io::DirectoryEntry& entry :
             entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
            if (entry.name.ends_with(".log") || entry.name == "CURRENT") {
                content->files.push_back(io::join(folder, entry.name));
            }
        }
        content->files.push_back(folder);
    }
    std::ranges::stable_sort(content->console, {}, &ConsoleLine::time_ns);
    return content;
}

}  // namespace taffrail::sources::aim
