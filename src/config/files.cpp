#include "config/files.h"

#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace taffrail {
namespace {

constexpr std::string_view kExtension = ".yaml";
// A configuration is written by people; a larger file is a mistake in the path.
constexpr std::uint64_t kLargestFile = 16u << 20;

Result<std::string> read_text(const std::string& path) {
    const auto info = io::stat(path);
    if (info.ok() && info->type == io::EntryType::Directory) {
        return Error{ErrorCode::InvalidArgument, "'" + path + "' is a folder, not a YAML file"};
    }
    if (info.ok() && info->size > kLargestFile) {
        return Error{ErrorCode::InvalidArgument,
                     "'" + path + "' is larger than 16 MiB; is it a configuration?"};
    }
    auto text = io::read_text(path);
    if (!text.ok()) {
        return Error{text.error().code, "cannot read the configuration: " + text.error().message};
    }
    return text;
}

bool declares_global(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
        const std::string_view trimmed = trim(line);
        if (trimmed.empty()) {
            continue;
        }
        if (!trimmed.starts_with('#')) {
            return false;
        }
        if (trimmed.find("@package _global_") != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

Result<ConfigFile> parse_file(std::string_view text, const std::string& path) {
    ConfigFile file;
    TAFFRAIL_ASSIGN(file.config, Config::parse(text, path));
    if (file.config.is_null()) {
        file.config = Config::map();
    }
    if (!file.config.is_map()) {
        return file.config.error("a configuration file must hold a map at its top, found " +
                                 std::string(to_string(file.config.type())));
    }
    file.path = path;
    file.global = declares_global(text);
    return file;
}

// All "a/b.yaml" below a folder, without the extension. Folders that cannot be read hold nothing.
void files_below(const std::string& folder, const std::string& prefix, int depth,
                 std::vector<std::string>& names) {
    constexpr int kDeepest = 8;
    const auto entries = io::list(folder);
    if (!entries.ok() || depth > kDeepest) {
        return;
    }
    for (const io::DirectoryEntry& entry : *entries) {
        if (entry.type == io::EntryType::Directory) {
            files_below(io::join(folder, entry.name), prefix + entry.name + "/", depth + 1, names);
        } else if (entry.name.ends_with(kExtension)) {
            names.push_back(prefix + entry.name.substr(0, entry.name.size() - kExtension.size()));
        }
    }
}

std::vector<std::string> all_files(const ConfigSources& sources) {
    std::vector<std::string> names;
    for (const std::string& folder : sources.search_path) {
        files_below(folder, "", 0, names);
    }
    for (const auto& [name, text] : sources.built_in) {
        names.push_back(name.ends_with(kExtension) ? name.substr(0, name.size() - kExtension.size())
                                                   : name);
    }
    return names;
}

}  // namespace

Result<Config> Config::load(const std::string& path) {
    TAFFRAIL_ASSIGN(std::string text, read_text(path));
    return parse(text, path);
}

Result<ConfigFile> ConfigFinder::load(const std::string& path) {
    TAFFRAIL_ASSIGN(std::string text, read_text(path));
    return parse_file(text, path);
}

Result<std::optional<ConfigFile>> ConfigFinder::find(const std::string& name) const {
    for (const std::string& folder : sources_.search_path) {
        const std::string path = io::join(folder, name + std::string(kExtension));
        if (io::exists(path)) {
            TAFFRAIL_ASSIGN(ConfigFile file, load(path));
            return std::optional(std::move(file));
        }
    }
    for (const std::string& key : {name + std::string(kExtension), name}) {
        if (const auto found = sources_.built_in.find(key); found != sources_.built_in.end()) {
            TAFFRAIL_ASSIGN(
                ConfigFile file,
                parse_file(found->second, "built-in " + name + std::string(kExtension)));
            return std::optional(std::move(file));
        }
    }
    return std::optional<ConfigFile>();
}

std::vector<std::string> ConfigFinder::options(const std::string& group) const {
    std::set<std::string> options;
    for (const std::string& name : all_files(sources_)) {
        if (name.starts_with(group + "/") && name.find('/', group.size() + 1) == name.npos) {
            options.insert(name.substr(group.size() + 1));
        }
    }
    if (const auto known = sources_.known_options.find(group);
        known != sources_.known_options.end()) {
        options.insert(known->second.begin(), known->second.end());
    }
    return {options.begin(), options.end()};
}

std::vector<std::string> ConfigFinder::groups() const {
    std::set<std::string> groups;
    for (const std::string& name : all_files(sources_)) {
        if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) {
            groups.insert(name.substr(0, slash));
        }
    }
    for (const auto& [group, options] : sources_.known_options) {
        groups.insert(group);
    }
    return {groups.begin(), groups.end()};
}

bool ConfigFinder::is_known_option(const std::string& group, const std::string& option) const {
    const auto known = sources_.known_options.find(group);
    return known != sources_.known_options.end() &&
           std::ranges::find(known->second, option) != known->second.end();
}

std::string ConfigFinder::searched() const {
    std::string text;
    for (const std::string& folder : sources_.search_path) {
        // A relative folder says nothing to whoever started the program somewhere else.
        std::error_code unknown;
        const bool is_url = folder.find("://") != std::string::npos;
        const auto full = is_url ? folder : std::filesystem::absolute(folder, unknown).string();
        text += (text.empty() ? "" : ", ") + (full.empty() ? folder : full) +
                (io::exists(folder) ? "" : " (does not exist)");
    }
    return text.empty() ? "no folder" : text;
}

}  // namespace taffrail
