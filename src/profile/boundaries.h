// Begins and ends that come as separate events, in any order, and have to find each other.
#pragma once

#include "profile/profile.h"

#include <cstdint>
#include <vector>

namespace taffrail::profile {

struct Boundary {
    std::int64_t time_ns = 0;
    TextId name = 0, category = 0;
    ThreadId thread = 0;
    ArgsId args = 0;
    TextId async_id = 0;
    bool is_begin = false;
    std::uint64_t offset = 0;
};

class Boundaries {
  public:
    explicit Boundaries(Profile& profile) : profile_(profile) {}

    void add(const Boundary& boundary) { all_.push_back(boundary); }

    /// Makes spans of what was added. Ends without a beginning are noted; beginnings without an end
    /// last to the latest time of their thread.
    void finish();

  private:
    void match_group(std::size_t from, std::size_t to, std::int64_t last_ns);
    void open_span(const Boundary& begin);
    void close_span(std::size_t span, std::int64_t end_ns, ArgsId end_args, bool unfinished);

    Profile& profile_;
    std::vector<Boundary> all_;
};

}  // namespace taffrail::profile
