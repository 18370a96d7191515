#include "config/files.h"

#include "base/strings.h"
#include "base/try.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace taffrail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".yaml";
// A configuration is written by people; a larger file is a mistake in the path.
constexpr std::uintmax_t kLargestFile = 16u << 20;

Result<std::string> read_text(const std::string& path) {
    std::error_code failure;
    if (fs::is_directory(path, failure)) {
        return Error{ErrorCode::InvalidArgument, "'" + path + "' is a folder, not a YAML file"};
    }
    if (fs::file_size(path, failure) > kLargestFile && !failure) {
        return Error{ErrorCode::InvalidArgument,
                     "'" + path + "' is larger than 16 MiB; is it a configuration?"};
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return Error{ErrorCode::NotFound, "cannot read configuration '" + path +
                                              "'; check the path and its permissions"};
    }
    return std::string(std::istreambuf_iterator<char>(file), {});
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

// All "a/b.yaml" below a folder, without the extension.
std::vector<std::string> files_below(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code failure;
    for (auto it = fs::recursive_directory_iterator(
             folder, fs::directory_options::skip_permission_denied, failure);
         !failure && it != fs::recursive_directory_iterator(); it.increment(failure)) {
        if (it.depth() > 8) {
            it.disable_recursion_pending();
        }
        if (it->path().extension() == kExtension) {
            names.push_back(
                fs::path(it->path()).replace_extension().lexically_relative(folder).string());
        }
    }
    return names;
}

std::vector<std::string> all_files(const ConfigSources& sources) {
    std::vector<std::string> names;
    for (const std::string& folder : sources.search_path) {
        const auto found = files_below(folder);
        names.insert(names.end(), found.begin(), found.end());
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

Result<ConfigFile> ConfigFinder::open(const std::string& path) {
    TAFFRAIL_ASSIGN(std::string text, read_text(path));
    return parse_file(text, path);
}

Result<std::optional<ConfigFile>> ConfigFinder::find(const std::string& name) const {
    for (const std::string& folder : sources_.search_path) {
        const std::string path = (fs::path(folder) / (name + std::string(kExtension))).string();
        std::error_code failure;
        if (fs::exists(path, failure)) {
            TAFFRAIL_ASSIGN(ConfigFile file, open(path));
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
        text += (text.empty() ? "" : ", ") + folder;
    }
    return text.empty() ? "no folder" : text;
}

}  // namespace taffrail
