// taffrail::read: which source understands a path, and several paths at once.
#include <taffrail/reader.h>

#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"
#include "open/joined_catalogue.h"

#include <fmt/core.h>

#include <optional>

namespace taffrail {
namespace {

Result<std::shared_ptr<Catalogue>> read_one(const std::string& path, const OptionMap& options) {
    if (!io::exists(path)) {
        return Error{ErrorCode::NotFound, fmt::format("{} does not exist: give the folder that "
                                                      "holds the runs (the default is ./taffrail)",
                                                      path)};
    }
    std::optional<SourceInfo> best;
    int surest = 0;
    std::string known;
    for (SourceInfo& source : registered_sources()) {
        known += (known.empty() ? "" : ", ") + source.name;
        const int sure = source.recognise ? source.recognise(path) : 0;
        if (sure > surest) {
            surest = sure;
            best = std::move(source);
        }
    }
    if (!best) {
        if (const auto info = io::stat(path); info.ok() && info->type != io::EntryType::Directory) {
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("{} is a file: runs live in a folder; give that folder "
                                     "(--root DIR or TAFFRAIL_DIR, the default is ./taffrail)",
                                     path)};
        }
        return Error{
            ErrorCode::Unsupported,
            fmt::format("nothing in {} looks like runs of any known kind ({})", path, known)};
    }
    return best->open(path, options);
}

// "name:path", but neither "scheme://…" nor a path that exists with its colon.
std::pair<std::string, std::string> split_name(std::string_view part) {
    const std::size_t colon = part.find(':');
    const bool named =
        colon != std::string_view::npos && colon > 0 && !part.substr(colon).starts_with("://") &&
        part.substr(0, colon).find('/') == std::string_view::npos && !io::exists(part);
    if (!named) {
        return {"", std::string(part)};
    }
    return {std::string(part.substr(0, colon)), std::string(part.substr(colon + 1))};
}

}  // namespace

Result<std::shared_ptr<Catalogue>> read(std::string_view path, const OptionMap& options) {
    const std::string_view whole = path.empty() ? std::string_view(".") : path;
    if (io::exists(whole)) {
        return read_one(std::string(whole), options);
    }
    std::vector<std::pair<std::string, std::string>> locations;
    for (const std::string_view part : split(whole, ',')) {
        locations.push_back(split_name(trim(part)));
    }
    if (locations.size() == 1 && locations[0].first.empty()) {
        return read_one(locations[0].second, options);
    }
    TAFFRAIL_TRY(open::name_parts(locations));
    std::vector<std::pair<std::string, std::shared_ptr<Catalogue>>> parts;
    for (auto& [name, location] : locations) {
        TAFFRAIL_ASSIGN(auto catalogue, read_one(location, options));
        parts.emplace_back(std::move(name), std::move(catalogue));
    }
    return open::join_catalogues(std::move(parts));
}

}  // namespace taffrail
