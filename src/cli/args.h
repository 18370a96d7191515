// What a command takes, said once: the parser, --help, shell completion and the reference pages all
// come from it.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::cli {

/// One option, flag or positional argument.
struct Argument {
    std::string names;       ///< "-n,--limit", "--json", or "RUN" for a positional
    std::string value_name;  ///< "N"; empty for a flag
    std::string help;
    std::vector<std::string> choices;  ///< empty = anything
    bool is_positional = false, is_required = false, is_repeated = false;
    bool takes_path = false;  ///< completion offers files
    std::function<Result<void>(const std::string&)> set;
};

/// Collects what a command takes. Targets must live until parsing is over; their value is the
/// default.
class Arguments {
  public:
    void flag(std::string names, bool& target, std::string help);
    void option(std::string names, std::string& target, std::string value_name, std::string help);
    void option(std::string names, std::int64_t& target, std::string value_name, std::string help);
    void option(std::string names, double& target, std::string value_name, std::string help);
    /// A whole number, 0 or more.
    void count(std::string names, std::int64_t& target, std::string value_name, std::string help);
    /// May be given several times.
    void option(std::string names, std::vector<std::string>& target, std::string value_name,
                std::string help);
    void path_option(std::string names, std::string& target, std::string value_name,
                     std::string help);
    void choice(std::string names, std::string& target, std::vector<std::string> choices,
                std::string help);
    void positional(std::string name, std::string& target, std::string help, bool required);
    /// Optional; tells "" from nothing.
    void positional(std::string name, std::optional<std::string>& target, std::string help);
    void positional(std::string name, std::vector<std::string>& target, std::string help,
                    bool required);

    /// Turns the argument declared last into a positional one.
    void make_positional(bool required);

    [[nodiscard]] const std::vector<Argument>& all() const noexcept { return all_; }

  private:
    std::vector<Argument> all_;
};

class Session;

/// What a command ends with; documented in docs/cli/.
enum class ExitCode : int { Ok = 0, Failed = 1, Usage = 2 };

/// One subcommand. An object is made for one call.
class Command {
  public:
    virtual ~Command() = default;
    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual std::string_view summary() const = 0;
    /// One or more complete command lines, one a line.
    [[nodiscard]] virtual std::string_view example() const = 0;
    virtual void declare(Arguments& arguments) = 0;
    virtual ExitCode run(Session& session) = 0;
};

using CommandFactory = std::function<std::unique_ptr<Command>()>;

struct Parsed {
    std::unique_ptr<Command> command;  ///< null: `text` is all there is to say
    std::string text;                  ///< help or an error
    ExitCode code = ExitCode::Ok;
};

/// Parses a command line (without the program's name). Unknown commands and options come with a
/// suggestion.
Parsed parse(const std::vector<std::string>& line, const std::vector<CommandFactory>& commands);

}  // namespace taffrail::cli
