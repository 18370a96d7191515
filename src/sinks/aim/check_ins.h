// Signs of life of a run, as Aim's own runs give them: while they come its programs list the run as
// active, and half a minute after the last one `aim up` ends a run whose process was killed.
//
// A sign is an empty file whose name says its number and when the next one comes, beside a marker
// for the run.
#pragma once

#include <cstdint>
#include <string>

namespace taffrail::sinks::aim {

/// One thread. Signs are a courtesy: what hinders them is told once and hinders nothing else.
class CheckIns {
  public:
    CheckIns() = default;
    /// Of the run `hash` in `repository` (a `.aim`); gives the first sign. Those of an earlier
    /// process of the run go.
    CheckIns(std::string repository, std::string hash, std::int64_t now_ns);

    /// The next sign, where it is time.
    void renew(std::int64_t now_ns);
    /// The run is over: nothing more is expected of it.
    void end();

  private:
    void give(std::int64_t now_ns);
    void remove_signs(const std::string& but);

    std::string repository_, hash_, sign_;
    std::int64_t number_ = 0, given_ns_ = 0;
};

}  // namespace taffrail::sinks::aim
