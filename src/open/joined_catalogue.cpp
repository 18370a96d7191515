#include "open/joined_catalogue.h"

#include "base/try.h"

#include <algorithm>
#include <set>

namespace taffrail {
namespace {

class JoinedCatalogue final : public Catalogue {
  public:
    using Parts = std::vector<std::pair<std::string, std::shared_ptr<Catalogue>>>;

    explicit JoinedCatalogue(Parts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] std::vector<RunInfo> runs(bool include_deleted) const override {
        std::vector<RunInfo> all;
        std::set<std::string> ids;
        for (const auto& [name, part] : parts_) {
            for (RunInfo& info : part->runs(include_deleted)) {
                if (!ids.insert(info.id).second) {
                    info.id = name + "/" + info.id;
                }
                if (!name.empty()) {
                    info.name = name + "/" + info.name;
                }
                all.push_back(std::move(info));
            }
        }
        std::ranges::stable_sort(all, std::greater<>(), &RunInfo::start_time_ns);
        return all;
    }

    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override {
        for (const auto& [name, part] : parts_) {
            if (!name.empty() && id.starts_with(name) && id.substr(name.size()).starts_with('/')) {
                if (auto found = part->run(id.substr(name.size() + 1)); found.ok()) {
                    return found;
                }
            }
        }
        Result<std::shared_ptr<RecordedRun>> last = Error{ErrorCode::NotFound, "nothing is open"};
        for (const auto& [name, part] : parts_) {
            last = part->run(id);
            if (last.ok()) {
                return last;
            }
        }
        return last;
    }

    Result<std::vector<std::string>> refresh() override {
        std::vector<std::string> changed;
        for (const auto& [name, part] : parts_) {
            TAFFRAIL_ASSIGN(const std::vector<std::string> ids, part->refresh());
            changed.insert(changed.end(), ids.begin(), ids.end());
        }
        return changed;
    }

  private:
    const Parts parts_;
};

}  // namespace

std::shared_ptr<Catalogue> join_catalogues(
    std::vector<std::pair<std::string, std::shared_ptr<Catalogue>>> parts) {
    return std::make_shared<JoinedCatalogue>(std::move(parts));
}

}  // namespace taffrail
