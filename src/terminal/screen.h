// The sole owner of a terminal: live lines stay at its bottom, printed text scrolls away above
// them.
//
// A Region is a block of live lines that a callback renders. One thread draws all regions at most
// ten times a second; what callers do is setting a flag. The cursor rests in the first column below
// the last line, so that a program that dies, and the shell after it, begin on a clean line.
#pragma once

#include "terminal/environment.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace taffrail::terminal {

/// Renders the lines of a region for a width. Called with no lock of the caller held; must not call
/// back into the Screen.
using Render = std::function<std::vector<std::string>(int columns)>;

/// What happens to a region's lines when it closes.
enum class Leave : std::uint8_t { Keep, Erase };

class Screen;

/// A block of live lines; closing it (or its end) takes it off the screen. May outlive nothing: the
/// Screen must live.
class Region {
  public:
    Region() = default;
    Region(Region&& other) noexcept;
    Region& operator=(Region&& other) noexcept;
    ~Region();

    /// Draws the last state; it then belongs to the text above, or vanishes. Idempotent.
    void close(Leave leave = Leave::Keep) noexcept;
    /// The region changed; it is drawn within 100 ms.
    void touch() noexcept;

    [[nodiscard]] bool open() const noexcept { return screen_ != nullptr; }

  private:
    friend class Screen;

    Region(Screen* screen, std::uint64_t id) : screen_(screen), id_(id) {}

    Screen* screen_ = nullptr;
    std::uint64_t id_ = 0;
};

struct ScreenOptions {
    int fd = 1;
    std::optional<bool> interactive = {};       ///< else: is_interactive(fd)
    std::optional<Size> size = {};              ///< else: asked at each drawing
    std::function<Size()> ask_size = {};        ///< else: of the terminal behind fd
    std::function<std::int64_t()> now_ns = {};  ///< else: the monotonic clock
    /// How long a window must have kept its size before something is drawn on it again. While one
    /// is dragged, tmux wraps its lines at once and tells the size up to 250 ms later: what is
    /// drawn in between stands where nothing can erase it.
    std::chrono::milliseconds settle = std::chrono::milliseconds(300);
    bool threaded = true;                              ///< false: drawn only by draw(), for tests
    std::function<void(std::string_view)> write = {};  ///< else: write(2) to fd
};

class Screen {
  public:
    explicit Screen(ScreenOptions options);
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    ~Screen();

    /// The one on standard output. Never destroyed. While it shows regions, what the program prints
    /// through stdio and iostreams, and the library's own messages, appear above them.
    static Screen& standard();

    /// Cursor movement works here. Otherwise regions show nothing and printed text is passed on.
    [[nodiscard]] bool interactive() const noexcept { return interactive_; }

    [[nodiscard]] bool color() const noexcept;
    [[nodiscard]] Size size() const noexcept;

    /// Adds a region below the others.
    [[nodiscard]] Region add(Render render);
    /// Writes text above the regions. A last line without its newline is held back while regions
    /// are shown.
    void print(std::string_view text) noexcept;
    /// The same for text meant for another descriptor (stderr) of the same terminal.
    void print_to(int fd, std::string_view text) noexcept;
    /// For signal handlers: `text` (of static life, with its newline) appears above the regions of
    /// the standard screen within 100 ms. False when nothing is drawn there; the handler then
    /// writes it by itself.
    static bool post(const char* text) noexcept;
    /// Draws now, unless suspended or under a debugger.
    void draw() noexcept;
    /// Between suspend and resume nothing is drawn and the regions are off the screen: for prompts.
    /// Calls nest.
    void suspend() noexcept;
    void resume() noexcept;
    /// Console capture moved the terminal to another descriptor.
    void redirect(int fd) noexcept;

  private:
    friend class Region;

    struct Slot {
        std::uint64_t id = 0;
        Render render;
    };

    struct Waiting {
        int fd = 1;
        std::string text;
    };

    void close(std::uint64_t id, Leave leave) noexcept;
    void touch() noexcept;
    void loop();
    [[nodiscard]] bool resizing(Size now);
    void wait_until_settled(std::unique_lock<std::mutex>& lock);
    void put_above(int fd, std::string_view text);
    void put_waiting();
    std::vector<std::string> render(Size size);
    void erase_into(std::string& out, Size size);
    void draw_locked(bool forced);
    bool held_by_debugger() noexcept;
    void put(int fd, std::string_view text) noexcept;
    void print_locked(int fd, std::string_view text);
    void print_posted();
    bool start_thread() noexcept;
    void became_child() noexcept;

    ScreenOptions options_;
    bool interactive_ = false;
    bool color_ = false;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<Slot> slots_;
    std::vector<std::string> drawn_;  ///< lines on the screen now
    int drawn_columns_ = 0;
    std::string held_;              ///< printed text without its newline
    Size seen_{0, 0};               ///< the last size that was asked
    std::int64_t resized_ns_ = -1;  ///< when that was new; -1 = long ago
    std::vector<Waiting> waiting_;  ///< printed while the window is resized
    std::size_t waiting_bytes_ = 0;
    std::uint64_t next_id_ = 1;
    int suspended_ = 0;
    bool dirty_ = false;
    bool debugger_ = false;          ///< at the last look
    std::int64_t debugger_ns_ = -1;  ///< when that was; monotonic
    std::int64_t last_frame_ns_ = 0;
    bool spaced_ = false;  ///< an empty row was put above the first region of the process
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace taffrail::terminal
