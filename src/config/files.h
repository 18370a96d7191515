// Finding configuration files: folders of a search path first, built-in texts after them.
#pragma once

#include <taffrail/config.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// A configuration file as found.
struct ConfigFile {
    Config config;
    std::string path;     ///< what errors call it
    bool global = false;  ///< begins with `# @package _global_`
};

class ConfigFinder {
  public:
    explicit ConfigFinder(const ConfigSources& sources) : sources_(sources) {}

    /// `name` without `.yaml`, e.g. "logger/aim". Nothing when no folder has it.
    [[nodiscard]] Result<std::optional<ConfigFile>> find(const std::string& name) const;
    /// A file by its path.
    [[nodiscard]] static Result<ConfigFile> load(const std::string& path);
    /// The options of a group, sorted: files of all folders, built-in ones and known ones.
    [[nodiscard]] std::vector<std::string> options(const std::string& group) const;
    /// All groups: folders (with their sub-folders) that hold at least one option.
    [[nodiscard]] std::vector<std::string> groups() const;
    /// True when the option needs no file.
    [[nodiscard]] bool is_known_option(const std::string& group, const std::string& option) const;
    /// "/home/me/configs (does not exist), /etc/…": for messages.
    [[nodiscard]] std::string searched() const;

  private:
    const ConfigSources& sources_;
};

}  // namespace taffrail
