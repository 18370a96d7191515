#include "terminal/screen.h"

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "base/strings.h"
#include "terminal/streams.h"
#include "terminal/text.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <utility>

namespace taffrail::terminal {
namespace {

// Five times a second is lively enough; ten cost 0.11-0.15 % of a core on a quiet machine, most of
// it waking up.
constexpr auto kFrame = std::chrono::milliseconds(200);

void write_all(int fd, std::string_view text) noexcept {
    while (!text.empty()) {
        const auto written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return;  // a closed terminal: nothing to tell anybody
        }
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
}

// What a signal handler wants said, and whether anybody would: handlers cannot take locks.
std::atomic<const char*> posted = nullptr;
std::atomic<bool> drawing = false;

// Rows a drawn line takes after the terminal became `columns` wide and wrapped it anew.
int rows_of(std::string_view line, int columns) {
    const auto width = static_cast<int>(display_width(line));
    return std::max(1, (width + columns - 1) / std::max(1, columns));
}

}  // namespace

Region::Region(Region&& other) noexcept
    : screen_(std::exchange(other.screen_, nullptr)), id_(other.id_) {}

Region& Region::operator=(Region&& other) noexcept {
    if (this != &other) {
        close();
        screen_ = std::exchange(other.screen_, nullptr);
        id_ = other.id_;
    }
    return *this;
}

Region::~Region() {
    close();
}

void Region::close(Leave leave) noexcept {
    if (Screen* screen = std::exchange(screen_, nullptr)) {
        screen->close(id_, leave);
    }
}

void Region::touch() noexcept {
    if (screen_ != nullptr) {
        screen_->touch();
    }
}

Screen::Screen(ScreenOptions options)
    : options_(std::move(options)),
      interactive_(options_.interactive.value_or(is_interactive(options_.fd))),
      color_(interactive_ && wants_color(options_.fd)) {}

Screen::~Screen() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

Screen& Screen::standard() {
    // Leaked: other threads may print while statics are being destroyed.
    static Screen* const screen = [] {
        auto* made = new Screen(ScreenOptions{.fd = STDOUT_FILENO});
        // A forked child has no drawing thread and must not move the parent's cursor.
        ::pthread_atfork([] { standard().mutex_.lock(); }, [] { standard().mutex_.unlock(); },
                         [] { standard().became_child(); });
        return made;
    }();
    return *screen;
}

void Screen::became_child() noexcept {
    interactive_ = false;
    slots_.clear();
    drawn_.clear();
    // The parent's thread does not exist here; its handle must not be joined.
    new (&thread_) std::thread();
    mutex_.unlock();
    StandardStreams::release();
}

bool Screen::color() const noexcept {
    return color_;
}

Size Screen::size() const noexcept {
    return options_.size       ? *options_.size
           : options_.ask_size ? options_.ask_size()
                               : size_of_terminal(options_.fd);
}

// Nothing stands where it was drawn until the last change has been told. Asked before anything is
// written while regions are on the screen.
bool Screen::resizing(Size now) {
    const std::int64_t time = options_.now_ns ? options_.now_ns() : monotonic_ns();
    if (now.columns != seen_.columns || now.rows != seen_.rows) {
        const bool first = seen_.columns == 0;
        seen_ = now;
        resized_ns_ = first || drawn_.empty() ? -1 : time;
    }
    const auto settle = std::chrono::nanoseconds(options_.settle).count();
    if (resized_ns_ >= 0 && time - resized_ns_ >= settle) {
        resized_ns_ = -1;
    }
    return resized_ns_ >= 0;
}

// For the last words of a bar: the program may end right behind them.
void Screen::wait_until_settled(std::unique_lock<std::mutex>& lock) {
    constexpr auto kLook = std::chrono::milliseconds(20);
    const auto end = std::chrono::steady_clock::now() + 2 * options_.settle;
    while (options_.threaded && resizing(size()) && std::chrono::steady_clock::now() < end) {
        wake_.wait_for(lock, kLook);
    }
    resized_ns_ = -1;
}

Region Screen::add(Render render) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t id = next_id_++;
    slots_.push_back({id, std::move(render)});
    dirty_ = true;
    if (interactive_ && options_.threaded) {
        const bool is_drawn = start_thread();
        if (is_drawn && slots_.size() == 1 && this == &standard()) {
            StandardStreams::divert(*this);
            drawing.store(true);
        }
    }
    wake_.notify_all();
    return {this, id};
}

bool Screen::start_thread() noexcept {
    try {
        if (!thread_.joinable()) {
            thread_ = start_quiet_thread("taffrail-bars", [this] { loop(); });
        }
        return true;
    } catch (const std::exception& error) {
        diagnose_once(DiagnosticLevel::Warning, "terminal.thread",
                      std::string("progress bars show their end only, there is no thread that "
                                  "would draw them: ") +
                          error.what());
        return false;
    }
}

void Screen::touch() noexcept {
    const std::lock_guard lock(mutex_);
    dirty_ = true;
}

// Sleeps for good while there is nothing live, and draws five times a second otherwise: clocks move
// without a touch.
void Screen::loop() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
        if (slots_.empty()) {
            wake_.wait(lock);
            continue;
        }
        if (this == &standard()) {
            print_posted();
        }
        draw_locked(false);
        wake_.wait_for(lock, kFrame, [this] { return stop_; });
    }
}

std::vector<std::string> Screen::render(Size size) {
    std::vector<std::string> lines;
    for (const Slot& slot : slots_) {
        for (std::string& line : slot.render(size.columns)) {
            // One column short of the edge: a full line leaves some terminals in the next one.
            lines.push_back(
                cut_to_width(line, static_cast<std::size_t>(std::max(1, size.columns - 1))));
        }
    }
    if (!held_.empty()) {
        lines.insert(lines.begin(),
                     cut_to_width(held_, static_cast<std::size_t>(size.columns - 1)));
    }
    // More lines than the terminal has rows cannot be reached again with cursor movement.
    const auto most = static_cast<std::size_t>(std::max(1, size.rows - 1));
    if (lines.size() > most) {
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
    }
    return lines;
}

void Screen::erase_into(std::string& out, Size size) {
    if (drawn_.empty()) {
        return;
    }
    int rows = 0;
    for (const std::string& line : drawn_) {
        rows += size.columns < drawn_columns_ ? rows_of(line, size.columns) : 1;
    }
    // Line by line: erasing "all below" from the top of the screen makes some terminals keep a copy
    // of the bar in their history.
    rows = std::min(rows, std::max(1, size.rows - 1));
    const std::string up = "\x1B[" + std::to_string(rows) + "A";
    out += "\r" + up;
    for (int row = 0; row < rows; ++row) {
        out += "\x1B[2K\x1B[1B";
    }
    out += "\x1B[2K" + up;
    drawn_.clear();
}

// The look costs more than drawing a bar. Whoever types at a debugger's prompt has stopped the
// process, and the clock goes on meanwhile: a frame that comes late looks, others only now and
// then.
bool Screen::held_by_debugger() noexcept {
    constexpr std::int64_t kLate = 250'000'000, kLookAgain = 2'000'000'000;
    const std::int64_t now = monotonic_ns();
    const bool late = now - std::exchange(last_frame_ns_, now) >= kLate;
    if (debugger_ns_ < 0 || debugger_ || late || now - debugger_ns_ >= kLookAgain) {
        debugger_ = debugger_attached();
        debugger_ns_ = now;
    }
    return debugger_;
}

void Screen::draw_locked(bool forced) {
    if (!interactive_ || suspended_ > 0) {
        return;
    }
    if (held_by_debugger()) {
        // Its prompt has moved the cursor: what was drawn is no longer where it was.
        drawn_.clear();
        if (!forced) {
            return;
        }
    }
    const Size now = size();
    if (resizing(now) && !forced) {
        return;
    }
    put_waiting();
    std::vector<std::string> lines = render(now);
    if (lines == drawn_ && now.columns == drawn_columns_) {
        dirty_ = false;
        return;
    }
    std::string out;
    if (now.columns != drawn_columns_ || lines.size() < drawn_.size()) {
        erase_into(out, now);
    }
    if (!drawn_.empty()) {
        out += "\r\x1B[" + std::to_string(drawn_.size()) + "A";
    } else if (this == &standard() && !std::exchange(spaced_, true)) {
        // A terminal that gets narrower wraps what stands there and pushes as many rows off its
        // top, out of our reach: on an empty screen the first half of the bar. An empty row goes
        // first.
        out += "\n";
    }
    // Cut off at the edge of a window that got narrower in this moment: a line that wraps would
    // take a row more than will be erased.
    out += lines.empty() ? "" : "\x1B[?7l";
    // To a row that is there already with a movement: a line feed in the midst of a text costs the
    // kernel two writes and two wake-ups more.
    std::size_t below = 0;
    const auto move = [&] {
        if (below > 0) {
            out += "\r\x1B[" + std::to_string(std::exchange(below, 0)) + "B";
        }
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i >= drawn_.size()) {
            move();
            out += lines[i] + "\x1B[K\n";
            continue;
        }
        if (drawn_[i] != lines[i]) {
            move();
            out += lines[i] + "\x1B[K";
        }
        ++below;
    }
    move();
    out += lines.empty() ? "" : "\x1B[?7h";
    put(options_.fd, out);
    drawn_ = std::move(lines);
    drawn_columns_ = now.columns;
    dirty_ = false;
}

void Screen::draw() noexcept {
    try {
        const std::lock_guard lock(mutex_);
        draw_locked(false);
    } catch (...) {
        diagnose_once(DiagnosticLevel::Warning, "terminal.draw",
                      "a progress bar could not be drawn");
    }
}

void Screen::close(std::uint64_t id, Leave leave) noexcept {
    bool last = false;
    try {
        std::unique_lock lock(mutex_);
        if (interactive_ && suspended_ == 0 && slots_.size() == 1) {
            wait_until_settled(lock);
        }
        const auto slot = std::ranges::find(slots_, id, &Slot::id);
        if (slot == slots_.end()) {
            return;
        }
        if (slots_.size() == 1 && this == &standard()) {
            drawing.store(false);
            print_posted();
        }
        const Render final_state = std::move(slot->render);
        slots_.erase(slot);
        last = slots_.empty();
        if (interactive_ && suspended_ == 0) {
            const Size now = size();
            std::string final_lines;
            if (leave == Leave::Keep) {
                for (const std::string& line : final_state(now.columns)) {
                    final_lines +=
                        cut_to_width(line, static_cast<std::size_t>(now.columns - 1)) + "\n";
                }
            }
            if (!last && resizing(now)) {
                // Others are still drawn below: it goes above them when the window has settled.
                if (!final_lines.empty()) {
                    waiting_.push_back({options_.fd, std::move(final_lines)});
                }
            } else {
                put_waiting();
                std::string out;
                if (held_by_debugger()) {
                    drawn_.clear();
                }
                erase_into(out, now);
                out += final_lines;
                if (last && !held_.empty()) {
                    out += std::exchange(held_, {});
                }
                put(options_.fd, out);
                draw_locked(true);
            }
        }
    } catch (...) {
        diagnose_once(DiagnosticLevel::Warning, "terminal.close",
                      "a progress bar could not be closed");
    }
    if (last && this == &standard()) {
        StandardStreams::release();
    }
}

bool Screen::post(const char* text) noexcept {
    if (!drawing.load()) {
        return false;
    }
    posted.store(text);
    return true;
}

void Screen::print_posted() {
    if (const char* text = posted.exchange(nullptr)) {
        if (interactive_ && drawn_.empty()) {
            put(options_.fd, "\r\x1B[K");  // the terminal has echoed the key that caused it
        }
        print_locked(STDERR_FILENO, text);
    }
}

void Screen::print(std::string_view text) noexcept {
    print_to(options_.fd, text);
}

void Screen::print_to(int fd, std::string_view text) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        print_locked(fd, text);
    } catch (...) {
        put(fd, text);
    }
}

void Screen::print_locked(int fd, std::string_view text) {
    if (!interactive_ || slots_.empty() || suspended_ > 0) {
        put(fd, text);
        return;
    }
    // A program that prints much does not fill the memory while somebody plays with the window.
    constexpr std::size_t kMostWaiting = std::size_t{64} << 10;
    if (resizing(size()) && waiting_bytes_ < kMostWaiting) {
        waiting_bytes_ += text.size();
        waiting_.push_back({fd, std::string(text)});
        return;
    }
    put_waiting();
    put_above(fd, text);
    draw_locked(false);
}

void Screen::put_above(int fd, std::string_view text) {
    const std::string whole = std::exchange(held_, {}) + std::string(text);
    const std::size_t end = whole.rfind('\n');
    held_ = end == std::string::npos ? whole : whole.substr(end + 1);
    if (end != std::string::npos) {
        std::string out;
        erase_into(out, size());
        put(options_.fd, out);
        put(fd, std::string_view(whole).substr(0, end + 1));
    }
}

void Screen::put_waiting() {
    waiting_bytes_ = 0;
    for (const Waiting& one : std::exchange(waiting_, {})) {
        put_above(one.fd, one.text);
    }
}

void Screen::suspend() noexcept {
    const std::lock_guard lock(mutex_);
    if (suspended_++ == 0 && interactive_) {
        put_waiting();
        std::string out;
        erase_into(out, size());
        out += std::exchange(held_, {});
        put(options_.fd, out);
    }
}

void Screen::resume() noexcept {
    const std::lock_guard lock(mutex_);
    suspended_ = std::max(0, suspended_ - 1);
    draw_locked(false);
}

void Screen::redirect(int fd) noexcept {
    const std::lock_guard lock(mutex_);
    options_.fd = fd;
}

void Screen::put(int fd, std::string_view text) noexcept {
    if (text.empty()) {
        return;
    }
    if (options_.write) {
        options_.write(text);
    } else {
        write_all(fd, text);
    }
}

}  // namespace taffrail::terminal
