// What a command works with: where it prints, how, and how it opens runs.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "cli/args.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace taffrail::cli {

enum class Style : std::uint8_t { Plain, Bold, Dim, Red, Green, Yellow, Blue, Cyan, Magenta };

/// How the output looks; decided once, from the terminal and the environment.
struct Looks {
    bool color = false;
    bool utf8 = true;
    int width = 100;  ///< columns
};

class Session {
  public:
    using Opener = std::function<Result<std::shared_ptr<Catalogue>>(std::string_view path)>;
    using Writer = std::function<void(std::string_view text)>;

    Session(Looks looks, Writer out, Writer errors, Opener open);

    void print(std::string_view text) const { out_(text); }

    /// Brings what was printed to its reader now: who follows a run waits for lines.
    void flush() const {
        if (flush_output) {
            flush_output();
        }
    }

    /// How flush() does it; empty where print() keeps nothing back.
    std::function<void()> flush_output;

    /// "taffrail: …" on standard error; returns Failed so that commands end with `return
    /// session.fail(…)`. Escape sequences in messages are shown, not sent.
    ExitCode fail(const Error& error) const;
    ExitCode fail(std::string_view message) const;
    /// The same for a command line that makes no sense: returns Usage.
    ExitCode wrong_usage(std::string_view message) const;
    void warn(std::string_view message) const;

    [[nodiscard]] const Looks& looks() const noexcept { return looks_; }

    /// `text` in a style, or as it is without colour. Escape sequences in it are shown, not sent.
    [[nodiscard]] std::string styled(Style style, std::string_view text) const;
    /// UTC nanoseconds; tests set it.
    std::int64_t now_ns = 0;

    /// Opens a folder or logdir. Results are kept: opening the same path twice costs once.
    Result<std::shared_ptr<Catalogue>> open(std::string_view path) const { return open_(path); }

  private:
    Looks looks_;
    Writer out_, errors_;
    Opener open_;
};

/// Where runs are looked for: `root`, else $TAFFRAIL_DIR, else ./taffrail.
std::string default_root(std::string_view root);

/// Adds `--root DIR`.
void declare_root(Arguments& arguments, std::string& root);

}  // namespace taffrail::cli
