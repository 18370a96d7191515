#include "open/joined_catalogue.h"

#include "base/try.h"
#include "model/followed.h"

#include <algorithm>
#include <set>

namespace taffrail::open {
namespace {

/// What a run of the part `part` is called outside.
std::string joined(const std::string& part, std::string_view inner) {
    return inner == "." ? part : part + "/" + std::string(inner);
}

void rename(const std::string& part, RunInfo& info) {
    const bool is_folder_itself = info.id == ".";
    info.id = joined(part, info.id);
    info.name = is_folder_itself ? part : joined(part, info.name);
}

/// A run of one part under its joined id and name; everything else is the part's own answer.
class JoinedRun final : public RecordedRun {
  public:
    JoinedRun(std::string part, std::shared_ptr<RecordedRun> inner)
        : part_(std::move(part)), inner_(std::move(inner)) {}

    [[nodiscard]] RunInfo info() const override {
        RunInfo info = inner_->info();
        rename(part_, info);
        return info;
    }

    [[nodiscard]] std::vector<KeyInfo> keys() const override { return inner_->keys(); }

    [[nodiscard]] Result<std::unique_ptr<ReadCursor>> read(
        std::string_view key, const ReadRequest& request) const override {
        return inner_->read(key, request);
    }

    [[nodiscard]] std::vector<bool> superseded(std::span<const Point> points) const override {
        return inner_->superseded(points);
    }

    [[nodiscard]] Result<Bins> bins(std::string_view key,
                                    const BinRequest& request) const override {
        return inner_->bins(key, request);
    }

    [[nodiscard]] Result<std::vector<Entry>> entries(std::string_view key) const override {
        return inner_->entries(key);
    }

    [[nodiscard]] Result<std::shared_ptr<const std::vector<std::byte>>> load(
        const BlobRef& blob) const override {
        return inner_->load(blob);
    }

    [[nodiscard]] Result<std::vector<std::byte>> load_range(const BlobRef& blob,
                                                            std::uint64_t offset,
                                                            std::uint64_t length) const override {
        return inner_->load_range(blob, offset, length);
    }

    Result<void> for_each(const std::function<bool(const Record&)>& visit) const override {
        return inner_->for_each(visit);
    }

    [[nodiscard]] Result<std::unique_ptr<RunTail>> tail(TailRequest request) const override {
        return inner_->tail(std::move(request));
    }

    [[nodiscard]] std::vector<ConsoleLine> console(std::size_t first,
                                                   std::size_t count) const override {
        return inner_->console(first, count);
    }

    [[nodiscard]] Hparams environment() const override { return inner_->environment(); }

    [[nodiscard]] std::vector<Damage> damage() const override { return inner_->damage(); }

    [[nodiscard]] std::vector<Damage> damage_met() const override { return inner_->damage_met(); }

    Result<bool> refresh() override { return inner_->refresh(); }

    [[nodiscard]] std::uint64_t revision() const override { return inner_->revision(); }

  private:
    const std::string part_;
    const std::shared_ptr<RecordedRun> inner_;
};

class JoinedCatalogue final : public Catalogue, public model::Followed {
  public:
    using Parts = std::vector<std::pair<std::string, std::shared_ptr<Catalogue>>>;

    explicit JoinedCatalogue(Parts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] std::vector<RunInfo> runs(bool include_deleted) const override {
        std::vector<RunInfo> all;
        for (const auto& [name, part] : parts_) {
            for (RunInfo& info : part->runs(include_deleted)) {
                rename(name, info);
                all.push_back(std::move(info));
            }
        }
        std::ranges::stable_sort(all, std::greater<>(), &RunInfo::start_time_ns);
        return all;
    }

    [[nodiscard]] std::vector<UnreadableRun> unreadable() const override {
        std::vector<UnreadableRun> all;
        for (const auto& [name, part] : parts_) {
            for (UnreadableRun& run : part->unreadable()) {
                all.push_back(std::move(run));
            }
        }
        return all;
    }

    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override {
        for (const auto& [name, part] : parts_) {
            const bool below = id.starts_with(name) && id.substr(name.size()).starts_with('/');
            if (!below && id != name) {
                continue;
            }
            if (auto found = part->run(below ? id.substr(name.size() + 1) : "."); found.ok()) {
                return wrapped(name, std::move(*found));
            }
        }
        std::shared_ptr<RecordedRun> only;
        std::string ids;
        Error last{ErrorCode::NotFound, "nothing is open"};
        for (const auto& [name, part] : parts_) {
            auto found = part->run(id);
            if (!found.ok()) {
                last = found.error();
                continue;
            }
            const bool is_second = only != nullptr;
            only = wrapped(name, std::move(*found));
            ids += (is_second ? ", " : "") + only->info().id;
            if (is_second) {
                last = {ErrorCode::InvalidArgument,
                        "'" + std::string(id) + "' is in several folders; say which: " + ids};
            }
        }
        return only != nullptr && ids == only->info().id
                   ? Result<std::shared_ptr<RecordedRun>>(std::move(only))
                   : last;
    }

    Result<std::vector<std::string>> refresh() override {
        std::vector<std::string> changed;
        for (const auto& [name, part] : parts_) {
            TAFFRAIL_ASSIGN(const std::vector<std::string> ids, part->refresh());
            for (const std::string& id : ids) {
                changed.push_back(joined(name, id));
            }
        }
        return changed;
    }

    Result<std::vector<model::RunChange>> follow() override {
        std::vector<model::RunChange> changed;
        for (const auto& [name, part] : parts_) {
            TAFFRAIL_ASSIGN(std::vector<model::RunChange> changes, model::follow(*part));
            for (model::RunChange& change : changes) {
                change.id = joined(name, change.id);
                if (change.info) {
                    rename(name, *change.info);
                }
                changed.push_back(std::move(change));
            }
        }
        return changed;
    }

  private:
    static std::shared_ptr<RecordedRun> wrapped(const std::string& name,
                                                std::shared_ptr<RecordedRun> run) {
        return std::make_shared<JoinedRun>(name, std::move(run));
    }

    const Parts parts_;
};

std::string last_part(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) {
        path.remove_suffix(1);
    }
    const std::string_view last = path.substr(path.rfind('/') + 1);
    return last.empty() || last == "." || last == ".." ? "runs" : std::string(last);
}

}  // namespace

std::shared_ptr<Catalogue> join_catalogues(
    std::vector<std::pair<std::string, std::shared_ptr<Catalogue>>> parts) {
    return std::make_shared<JoinedCatalogue>(std::move(parts));
}

Result<void> name_parts(std::vector<std::pair<std::string, std::string>>& parts) {
    std::set<std::string> taken;
    for (const auto& [name, path] : parts) {
        if (!name.empty() && !taken.insert(name).second) {
            return Error{ErrorCode::InvalidArgument,
                         "two folders are called '" + name +
                             "'; give each a name of its own (name1:path1,name2:path2)"};
        }
    }
    for (auto& [name, path] : parts) {
        if (name.empty()) {
            const std::string base = last_part(path);
            name = base;
            for (int number = 2; !taken.insert(name).second; ++number) {
                name = base + "-" + std::to_string(number);
            }
        }
    }
    return {};
}

}  // namespace taffrail::open
