// Secrets of many shapes under innocent names, everywhere a program can have them: none is found in
// any byte of the run folder, compressed or not.
#include <taffrail/reader.h>

#include "codec/value_codec.h"
#include "io/temporary_folder.h"
#include "places.h"
#include "store/frame_file.h"
#include "store/layout.h"
#include "system/subprocess.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

struct Shape {
    const char* name;
    std::string secret;
    std::string needle = {};  ///< what must not be found, when it is less than all of it
};

void PrintTo(const Shape& shape, std::ostream* to) {
    *to << shape.name;
}

// None is real; split so that no scanner takes this file for a leak.
std::vector<Shape> shapes() {
    return {
        {"AwsKeyId", std::string("AKIA") + "Z7QK2M4X9P3L5N8R"},
        {"AwsSecret", std::string("wJa1rXUtnF3MI/K7MDENG") + "/bPxRfiCY4kQz9LmT0"},
        {"GitHub", std::string("gh") + "p_16C7e42F292c6912E7710c838347Ae178B4a"},
        {"GitLab", std::string("glpat") + "-x7Kq2mZ9pL4nR8vT1wYb"},
        {"Slack", std::string("xoxb") + "-2345678901-abcdefGHIJKLmnop"},
        {"OpenAi", std::string("sk") + "-proj-T3BlbkFJ9aXw2QmZ7vK4nR8L"},
        {"HuggingFace", std::string("hf") + "_QwErTyUiOpAsDfGhJkLzXcVbNm"},
        {"WeightsAndBiases", "4f3c2b1a0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a"},
        {"JsonWebToken", std::string("eyJhbGciOiJIUzI1NiJ9") +
                             ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"},
        {"PrivateKey",
         std::string("-----BEGIN RSA PRIVATE") +
             " KEY-----\nMIIEowIBAAKCAQEAu5\nshort\n-----END RSA PRIVATE" + " KEY-----",
         "MIIEowIBAAKCAQEAu5"},
        {"UrlPassword", "https://bob:hunter2pw@db.example.org/x", "hunter2pw"},
        {"BearerHeader", "Authorization: Bearer opensesame-opensesame", "opensesame"},
        {"Google", std::string("AIza") + "SyD4x9QmZ7vK2nR8LpT1wYbCfGhJkM3oXsU"},
        {"HighEntropy", "vR8q2LxW5nT9pZ3mK7cY1dF6"},
    };
}

void write_text(const std::string& path, std::string_view text) {
    ASSERT_TRUE(io::write_file_atomically(path, as_bytes(text)).ok()) << path;
}

// Newlines become "\n" inside double quotes: YAML, JSON and Python agree on that.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return out;
}

class SecretPlaces : public testing::TestWithParam<Shape> {
  protected:
    void SetUp() override {
        for (const char* part : {"work", "store"}) {
            ASSERT_TRUE(io::make_directories(folder_.file(part)).ok());
        }
        const std::string& secret = GetParam().secret;
        const bool is_url = secret.find("://") != std::string::npos;
        const bool is_word = secret.find_first_of(" \n") == std::string::npos;
        write_text(folder_.file("work/train.py"), "print('hello')\n");
        git({"init", "-q", "."});
        git({"add", "train.py"});
        git({"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"});
        git({"remote", "add", "origin",
             is_url    ? secret
             : is_word ? "https://" + secret + "@example.org/x.git"
                       : "https://example.org/x.git"});
        write_text(folder_.file("work/train.py"), "print('hello')\nremark = \"" + escaped(secret) +
                                                      "\"\ntheme = '''\n" + secret + "\n'''\n");
        write_text(folder_.file("config.yaml"),
                   "# @package _global_\nremark: \"" + escaped(secret) +
                       "\"\nnested:\n  colours: [red, \"" + escaped(secret) + "\"]\n");
    }

    void git(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"git", "-C", folder_.file("work")});
        ASSERT_TRUE(system::output_of(arguments, 20s, 1000)) << arguments[3];
    }

    int run_program(const std::string& ending) {
        const std::string& secret = GetParam().secret;
        const std::string program = tests::build_folder() + "/tests/faults/secrets_program";
        const pid_t child = fork();
        if (child == 0) {
            for (const char* name : {"COLOUR", "TORCH_THEME", "NCCL_REMARK", "OMP_REMARK",
                                     "PYTORCH_REMARK", "TAFFRAIL_NOTES", "TAFFRAIL_TAGS"}) {
                setenv(name, secret.c_str(), 1);
            }
            if (chdir(folder_.file("work").c_str()) != 0) {
                _exit(100);
            }
            const std::string remark = "--remark=" + secret;
            execl(program.c_str(), program.c_str(), folder_.file("store").c_str(),
                  folder_.file("config.yaml").c_str(), ending.c_str(), remark.c_str(), "--theme",
                  secret.c_str(), secret.c_str(), nullptr);
            _exit(101);
        }
        int status = 0;
        waitpid(child, &status, 0);
        return status;
    }

    void expect_absent_below(const std::string& folder) {
        for (const auto& entry : io::list(folder).value()) {
            const std::string path = io::join(folder, entry.name);
            if (entry.type == io::EntryType::Directory) {
                expect_absent_below(path);
                continue;
            }
            ++files_;
            expect_absent(io::read_text(path).value(), path);
            if (path.ends_with(".tlog")) {
                store::FrameFile frames(io::parent(path), path);
                (void)frames.poll(
                    [&](const store::FrameFile::Frame& frame) {
                        expect_absent({reinterpret_cast<const char*>(frame.payload.data()),
                                       frame.payload.size()},
                                      path + " decompressed");
                        return true;
                    },
                    [](const auto&) {});
            }
        }
    }

    static void expect_absent(std::string_view text, const std::string& where) {
        const Shape& shape = GetParam();
        const std::string needle =
            shape.needle.empty() ? shape.secret.substr(4, shape.secret.size() - 6) : shape.needle;
        const std::size_t at = text.find(needle);
        EXPECT_EQ(at, std::string_view::npos)
            << where << ": …" << text.substr(at < 80 ? 0 : at - 80, 160);
    }

    // Everything readers hand out, so that no compression hides anything.
    void expect_absent_in_values() {
        const auto run = read(folder_.file("store")).value()->run("open").value();
        std::string all = run->info().notes;
        const auto add = [&](const Hparams& cells) {
            for (const auto& [name, cell] : cells) {
                const auto* text = std::get_if<std::string>(&cell);
                all += name + "=" + (text != nullptr ? *text : "") + "\n";
            }
        };
        add(run->environment());
        add(run->info().config);
        for (const auto& tag : run->info().tags) {
            all += tag;
        }
        std::size_t records = 0;
        ASSERT_TRUE(run->for_each([&](const Record& record) {
                           ++records;
                           if (record.value != nullptr) {
                               const Bytes bytes = encode_value(*record.value);
                               all.append(reinterpret_cast<const char*>(bytes.data()),
                                          bytes.size());
                           }
                           return true;
                       })
                        .ok());
        EXPECT_GE(records, 4u);
        expect_absent(all, "what readers see");
        for (const char* kept :
             {"git/diff=", "git/remote=", "command/line=", "variable/NCCL_REMARK", "remark",
              "config_file", "[removed]", "token_length"}) {
            EXPECT_NE(all.find(kept), std::string::npos) << kept << " is not recorded at all";
        }
    }

    test::TemporaryFolder folder_;
    std::size_t files_ = 0;
};

TEST_P(SecretPlaces, AreEmptyInAFinishedRun) {
    ASSERT_EQ(run_program("finish"), 0);
    expect_absent_below(folder_.file("store"));
    EXPECT_GE(files_, 3u);
    expect_absent_in_values();
}

TEST_P(SecretPlaces, AreEmptyInTheRingsOfAKilledRun) {
    const int status = run_program("die");
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    const auto runs = io::list(folder_.file("store/runs")).value();
    ASSERT_TRUE(io::exists(folder_.file("store/runs/" + runs.at(0).name + "/ring")));
    expect_absent_below(folder_.file("store"));
    expect_absent_in_values();
}

INSTANTIATE_TEST_SUITE_P(Shapes, SecretPlaces, testing::ValuesIn(shapes()),
                         [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace taffrail
