// Configuration trees: typed values that remember where they were written, and their composition.
//
// A tree comes from YAML text, from files on a search path and from `key=value` words of a command
// line. Every error names file, line and column (or the override) and, where a name looks like a
// typing mistake, the one that was meant.
#pragma once

#include <taffrail/api.h>
#include <taffrail/result.h>
#include <taffrail/value.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail {

/// A place in a file (1-based), or in an override: then `file` holds its text and the numbers are
/// 0.
struct TAFFRAIL_API ConfigPlace {
    std::string file = {};
    int line = 0;
    int column = 0;

    /// "experiment.yaml:12:5", "override 'a=1'" or "".
    [[nodiscard]] std::string text() const;
};

/// A value of a configuration: nothing, truth, whole number, number, text, list or map. Maps keep
/// their order. Copying copies the tree.
class TAFFRAIL_API Config {
  public:
    enum class Type : std::uint8_t { Null, Bool, Int, Float, Text, List, Map };

    Config() = default;
    static Config map();
    static Config list();
    static Config of(Cell scalar);

    /// Reads YAML. `file` is what errors call it.
    static Result<Config> parse(std::string_view yaml, std::string_view file = "<text>");
    static Result<Config> load(const std::string& path);
    /// One YAML value as on a command line: `3`, `1e-3`, `true`, `[a, b]`, `{k: v}`, text.
    static Result<Config> parse_value(std::string_view text);

    [[nodiscard]] Type type() const noexcept { return type_; }

    [[nodiscard]] bool is_null() const noexcept { return type_ == Type::Null; }

    [[nodiscard]] bool is_map() const noexcept { return type_ == Type::Map; }

    [[nodiscard]] bool is_list() const noexcept { return type_ == Type::List; }

    [[nodiscard]] bool is_scalar() const noexcept { return !is_map() && !is_list(); }

    [[nodiscard]] const ConfigPlace& place() const noexcept { return place_; }

    void set_place(ConfigPlace place) { place_ = std::move(place); }

    /// Children of a map or list.
    [[nodiscard]] std::size_t size() const noexcept { return children_.size(); }

    [[nodiscard]] const Config& at(std::size_t index) const { return children_[index]; }

    [[nodiscard]] Config& at(std::size_t index) { return children_[index]; }

    /// The names of a map's children, in order.
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

    void push_back(Config child);

    /// `a.b.2` from here, or null. A name that itself holds dots is found when it stands in one
    /// piece.
    [[nodiscard]] const Config* find(std::string_view path) const;
    [[nodiscard]] Config* find(std::string_view path);
    /// Sets a value, making the maps on the way. A list element must exist.
    Result<void> set(std::string_view path, Config value);
    /// True when there was something to remove.
    bool erase(std::string_view path);
    /// Maps are merged name by name, everything else is replaced by `other`.
    void merge(const Config& other);

    /// The value as a type; whole numbers serve as numbers, nothing else is converted.
    [[nodiscard]] Result<bool> as_bool() const;
    [[nodiscard]] Result<std::int64_t> as_int() const;
    [[nodiscard]] Result<double> as_double() const;
    /// Scalars of any type as the text they were written as.
    [[nodiscard]] Result<std::string> as_text() const;
    [[nodiscard]] Result<std::vector<std::string>> as_text_list() const;

    [[nodiscard]] const Cell& scalar() const noexcept { return scalar_; }

    /// The value at `path`, or `fallback` when it is absent or null; a wrong type is an error.
    [[nodiscard]] Result<bool> bool_or(std::string_view path, bool fallback) const;
    [[nodiscard]] Result<std::int64_t> int_or(std::string_view path, std::int64_t fallback) const;
    [[nodiscard]] Result<double> double_or(std::string_view path, double fallback) const;
    [[nodiscard]] Result<std::string> text_or(std::string_view path,
                                              std::string_view fallback) const;

    /// Refuses names of this map that are not in `known`, with a suggestion. `what` names the
    /// block.
    [[nodiscard]] Result<void> check_names(std::span<const std::string_view> known,
                                           std::string_view what) const;

    /// InvalidArgument with this value's place in front.
    [[nodiscard]] Error error(std::string_view message) const;

    /// Replaces `${a.b}`, `${.sibling}`, `${oc.env:NAME}`, `${oc.env:NAME,default}` and
    /// `${oc.decode:…}` in the whole tree. A value that is one interpolation keeps the type it
    /// refers to; `\${` stands for itself.
    [[nodiscard]] Result<Config> resolved() const;

    /// YAML text. What came out of the environment, and values under names such as `api_key`, are
    /// shown as they were written or as "***": the text may be stored beside a run.
    [[nodiscard]] std::string to_yaml() const;
    /// Scalars with `/` between names, list elements by number; the same values are hidden.
    [[nodiscard]] Hparams flattened() const;

  private:
    friend class ConfigResolver;
    friend Config scalar_from_text(std::string text, bool quoted);
    friend void append_entry(Config& map, std::string name, Config child);
    void flatten_into(Hparams& out, const std::string& prefix, bool hidden) const;
    void yaml_into(std::string& out, int indent, bool hidden) const;

    Type type_ = Type::Null;
    Cell scalar_;
    std::vector<std::string> names_;
    std::vector<Config> children_;
    ConfigPlace place_;
    std::string written_;      ///< a scalar's source text
    bool quoted_ = false;      ///< it stood in quotes
    std::string environment_;  ///< the interpolation a value from the environment was written as
};

/// "null", "a truth value", "a whole number", …: for messages.
TAFFRAIL_API std::string_view to_string(Config::Type type) noexcept;

/// Where `name.yaml` and `group/option.yaml` are looked for.
struct ConfigSources {
    std::vector<std::string> search_path = {};  ///< folders, first one wins
    std::map<std::string, std::string>
        built_in;  ///< "trainer/default.yaml" → text; used when no folder has the file
    /// Options that are fine without a file, by group: registered sinks for `logger`, profilers for
    /// `profiler`.
    std::map<std::string, std::vector<std::string>> known_options = {};
};

/// What compose() starts from.
struct ComposeOptions {
    ConfigSources sources;
    /// A configuration that lies under the primary one: the program's own defaults.
    std::string base = {};
    std::string primary = "config";  ///< file name without `.yaml`, or a path to a file
    std::vector<std::string>
        overrides;  ///< `group=option`, `a.b=1`, `+a=1`, `++a=1`, `~a`; the last one wins
};

/// A composed configuration.
struct TAFFRAIL_API Composed {
    Config config;                                    ///< interpolations resolved
    std::map<std::string, std::string> choices = {};  ///< group → option
    [[nodiscard]] std::string choice(std::string_view group, std::string_view fallback = "") const;
};

/// Reads the primary file, follows `defaults:` lists, applies the overrides and resolves
/// interpolations. Files of the group `experiment`, and files that begin with `# @package
/// _global_`, are merged at the top; every other `group/option.yaml` goes under its group's name.
TAFFRAIL_API Result<Composed> compose(const ComposeOptions& options);

/// What a program's command line asked for, besides the composition.
struct ConfigCommand {
    ComposeOptions compose;
    bool print_config = false;  ///< --cfg
    bool help = false;          ///< --help
};

/// Takes `--config-dir DIR`, `--config-name NAME`, `--cfg [job]`, `--help` and overrides; folders
/// given come before those of `defaults.sources`. Any other option is an error.
TAFFRAIL_API Result<ConfigCommand> parse_config_command(std::span<const char* const> arguments,
                                                        ComposeOptions defaults);

}  // namespace taffrail
