#include "system/console_capture.h"

#include "io/files.h"
#include "test_files.h"
#include "without_threads.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace taffrail::system {
namespace {

using testing::ElementsAre;

/// Collects chunks per stream.
struct Heard {
    std::mutex mutex;
    std::string output, errors;

    ConsoleCallback callback() {
        return [this](ConsoleStream stream, std::int64_t, std::string_view bytes) {
            const std::lock_guard lock(mutex);
            (stream == ConsoleStream::Output ? output : errors) += bytes;
        };
    }
};

/// Points standard output at a file for the life of the object, as a shell's `>` does.
class Redirected {
  public:
    explicit Redirected(int to) : before_(dup(1)) {
        std::fflush(stdout);
        dup2(to, 1);
    }

    ~Redirected() {
        std::fflush(stdout);
        dup2(before_, 1);
        close(before_);
    }

  private:
    int before_;
};

TEST(ConsoleCapture, HearsEveryWriterAndPassesBytesOn) {
    std::string pattern = testing::TempDir() + "taffrail-console-XXXXXX";
    const int file = mkstemp(pattern.data());
    Heard heard;
    {
        const Redirected redirected(file);
        auto capture = ConsoleCapture::start(heard.callback()).value();
        std::printf("from stdio\n");
        std::fflush(stdout);
        (void)!write(1, "raw \x00\xff bytes\n", 13);
        ASSERT_EQ(std::system("echo from a child"), 0);
        std::fprintf(stderr, "an error\n");
        capture->stop();
        (void)!write(1, "after\n", 6);
    }
    const std::string expected = std::string("from stdio\nraw \x00\xff bytes\nfrom a child\n", 37);
    EXPECT_EQ(heard.output, expected);
    EXPECT_EQ(heard.errors, "an error\n");
    EXPECT_EQ(io::read_text(pattern).value(), expected + "after\n");
    close(file);
    unlink(pattern.c_str());
}

TEST(ConsoleCapture, LargeOutputArrivesWhole) {
    const int null = ::open("/dev/null", O_WRONLY);
    Heard heard;
    std::string expected;
    {
        const Redirected redirected(null);
        auto capture = ConsoleCapture::start(heard.callback()).value();
        for (int i = 0; i < 20000; ++i) {
            const std::string line = "line " + std::to_string(i) + " of many\n";
            expected += line;
            (void)!write(1, line.data(), line.size());
        }
        capture->stop();
    }
    EXPECT_TRUE(heard.output == expected);
    close(null);
}

TEST(ConsoleCapture, ATerminalStaysATerminal) {
    int master = -1, slave = -1;
    winsize size{33, 111, 0, 0};
    ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, &size), 0);
    Heard heard;
    bool was_terminal = false;
    winsize seen{};
    {
        const Redirected redirected(slave);
        auto capture = ConsoleCapture::start(heard.callback()).value();
        was_terminal = isatty(1) == 1;
        ioctl(1, TIOCGWINSZ, &seen);
        (void)!write(1, "\x1b[32mgreen\x1b[0m\n", 15);
        capture->stop();
    }
    EXPECT_TRUE(was_terminal);
    EXPECT_EQ(seen.ws_col, 111);
    EXPECT_EQ(heard.output, "\x1b[32mgreen\x1b[0m\n");
    char buffer[64];
    const ssize_t got = read(master, buffer, sizeof buffer);
    // The line end is the terminal's work, once.
    EXPECT_EQ(std::string_view(buffer, static_cast<std::size_t>(got)), "\x1b[32mgreen\x1b[0m\r\n");
    close(master);
    close(slave);
}

// A background child keeps the captured descriptor: finishing must not wait for it, nor break it.
TEST(ConsoleCapture, AChildThatOutlivesTheCaptureCanStillWrite) {
    std::string pattern = testing::TempDir() + "taffrail-console-XXXXXX";
    const int file = mkstemp(pattern.data());
    std::array<int, 2> go{};
    ASSERT_EQ(pipe(go.data()), 0);
    Heard heard;
    int status = -1;
    {
        const Redirected redirected(file);
        auto capture = ConsoleCapture::start(heard.callback()).value();
        const pid_t child = fork();
        if (child == 0) {
            char byte = 0;
            (void)!read(go[0], &byte, 1);
            _exit(write(1, "late\n", 5) == 5 ? 0 : 1);
        }
        capture->stop();
        (void)!write(go[1], "x", 1);
        waitpid(child, &status, 0);
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(heard.output, "");
    std::string text;
    for (int i = 0; i < 200 && text.empty(); ++i) {
        usleep(10000);
        text = io::read_text(pattern).value();
    }
    EXPECT_EQ(text, "late\n");
    for (int descriptor : {file, go[0], go[1]}) {
        close(descriptor);
    }
    unlink(pattern.c_str());
}

// With the console in a pipe that nobody empties the program would stand still, or end by SIGPIPE.
TEST(ConsoleCapture, WithoutAThreadTheConsoleStaysWhereItIs) {
    const test::TestFolder folder;
    const std::string path = folder / "console";
    EXPECT_EQ(test::as_a_user(folder.path(),
                              [&] {
                                  const int file = open(path.c_str(), O_CREAT | O_WRONLY, 0644);
                                  dup2(file, 1);
                                  test::forbid_threads();
                                  const auto started =
                                      ConsoleCapture::start([](auto, auto, auto) {});
                                  const auto again = ConsoleCapture::start([](auto, auto, auto) {});
                                  if (started.ok() || again.error().code != ErrorCode::Io) {
                                      return 1;
                                  }
                                  return write(1, "still there\n", 12) == 12 ? 0 : 2;
                              }),
              0);
    EXPECT_EQ(folder.read("console"), "still there\n");
}

TEST(ConsoleCapture, OnlyOneAtATime) {
    auto first = ConsoleCapture::start([](auto, auto, auto) {}).value();
    EXPECT_EQ(ConsoleCapture::start([](auto, auto, auto) {}).error().code,
              ErrorCode::AlreadyExists);
    first->stop();
    EXPECT_TRUE(ConsoleCapture::start([](auto, auto, auto) {}).ok());
}

TEST(LineAssembler, BarsLeaveTheirLastStateOnly) {
    LineAssembler lines;
    std::vector<std::string> seen;
    const auto emit = [&](std::int64_t, std::string_view line) { seen.emplace_back(line); };
    lines.add(1, "one\r\ntw", emit);
    lines.add(2, "o\n\n10%\r50%\r100%\rdone \n", emit);
    lines.add(3, "tail\r", emit);
    lines.finish(emit);
    EXPECT_THAT(seen, ElementsAre("one\n", "two\n", "\n", "done \n", "tail"));
}

// A line of printed data is longer than any bar: it comes in pieces and whole.
TEST(LineAssembler, LongLinesAreNotCut) {
    LineAssembler lines;
    std::string seen;
    const auto emit = [&](std::int64_t, std::string_view line) { seen += line; };
    std::string line;
    for (int i = 0; line.size() < 200'000; ++i) {
        line += std::to_string(i) + "\u00e9";
    }
    lines.add(1, line, emit);
    lines.add(2, "\n", emit);
    EXPECT_EQ(seen, line + "\n");
}

}  // namespace
}  // namespace taffrail::system
