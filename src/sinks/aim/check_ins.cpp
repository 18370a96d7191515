#include "sinks/aim/check_ins.h"

#include "base/diagnostics.h"
#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::sinks::aim {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// What Aim's own runs announce; renewed often enough that a busy machine is no dead one.
constexpr int kNextSeconds = 30;
constexpr std::int64_t kPause = 5 * kSecond;

/// "<hash>-<number>-progress-<time>-<seconds>"; -1 for a file that is none of this run.
std::int64_t number_of(std::string_view name, std::string_view hash) {
    const auto parts = split(name, '-');
    return parts.size() == 5 && parts[0] == hash ? parse_int(parts[1]).value_or(-1) : -1;
}

/// `name` inside the repository, which may have come with a stranger's run.
Result<void> make_empty(const std::string& repository, const std::string& name) {
    const std::string path = io::join(repository, name);
    TAFFRAIL_TRY(io::make_directories(io::parent(path)));
    TAFFRAIL_ASSIGN(const auto made, io::open_inside(repository, path, io::OpenMode::Truncate));
    return {};
}

/// The signs of all runs.
std::vector<io::DirectoryEntry> signs_in(const std::string& repository) {
    auto known = io::list_inside(repository, io::join(repository, "check_ins"));
    return known.ok() ? std::move(*known) : std::vector<io::DirectoryEntry>();
}

void remove(const std::string& repository, const std::string& name) {
    (void)io::remove_inside(repository, io::join(repository, name));
}

void tell(const Result<void>& done) {
    if (!done.ok()) {
        diagnose_once(DiagnosticLevel::Warning, "aim check-in",
                      "aim: the run cannot be shown as active: " + done.error().message);
    }
}

}  // namespace

CheckIns::CheckIns(std::string repository, std::string hash, std::int64_t now_ns)
    : repository_(std::move(repository)), hash_(std::move(hash)) {
    for (const io::DirectoryEntry& entry : signs_in(repository_)) {
        number_ = std::max(number_, number_of(entry.name, hash_) + 1);
    }
    give(now_ns);
    remove_signs(sign_);
    for (const char* part : {"meta", "seqs"}) {
        tell(make_empty(repository_, std::string(part) + "/progress/" + hash_));
    }
}

void CheckIns::give(std::int64_t now_ns) {
    const std::string before = sign_;
    std::array<char, 80> rest{};
    std::snprintf(rest.data(), rest.size(), "-%016lld-progress-%011.2f-%05d",
                  static_cast<long long>(number_++), static_cast<double>(now_ns) / kSecond,
                  kNextSeconds);
    sign_ = hash_ + rest.data();
    given_ns_ = now_ns;
    tell(make_empty(repository_, "check_ins/" + sign_));
    if (!before.empty()) {
        remove(repository_, "check_ins/" + before);
    }
}

void CheckIns::renew(std::int64_t now_ns) {
    // A clock that was set back must not make the run look dead.
    if (!repository_.empty() && (now_ns >= given_ns_ + kPause || now_ns < given_ns_)) {
        give(now_ns);
    }
}

void CheckIns::remove_signs(const std::string& but) {
    for (const io::DirectoryEntry& entry : signs_in(repository_)) {
        if (entry.name != but && number_of(entry.name, hash_) >= 0) {
            remove(repository_, "check_ins/" + entry.name);
        }
    }
}

void CheckIns::end() {
    if (repository_.empty()) {
        return;
    }
    for (const char* part : {"meta", "seqs"}) {
        remove(repository_, std::string(part) + "/progress/" + hash_);
    }
    remove_signs({});
    repository_.clear();
}

}  // namespace taffrail::sinks::aim
