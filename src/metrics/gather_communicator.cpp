#include "metrics/gather_communicator.h"

#include "base/try.h"

#include <algorithm>
#include <cstring>

namespace taffrail::metrics {

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

template <typename Number>
Number combine(Number left, Number right, ReduceOp op) {
    switch (op) {
        case ReduceOp::Sum:
            return left + right;
        case ReduceOp::Min:
            // Written so that a NaN on either side stays: a broken rank must not look healthy after
            // a sync.
            return right < left || right != right ? right : left;
        case ReduceOp::Max:
            return right > left || right != right ? right : left;
    }
    return left;
}

// What a rank says that stops: no collective is called so.
constexpr std::string_view kFarewell = "farewell";

std::string_view to_text(ReduceOp op) {
    return op == ReduceOp::Sum ? "sum" : op == ReduceOp::Min ? "min" : "max";
}

}  // namespace

GatherCommunicator::GatherCommunicator(int rank, std::vector<int> members, std::string name)
    : rank_(rank), members_(std::move(members)), name_(std::move(name)) {}

std::string GatherCommunicator::name_ranks(const std::vector<int>& ranks) const {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t index = 0; index < ranks.size(); ++index) {
        text += (index == 0 ? "" : ", ");
        text += std::to_string(members_[static_cast<std::size_t>(ranks[index])]);
    }
    return text;
}

void GatherCommunicator::interrupt(std::string_view why) noexcept {
    try {
        const std::lock_guard guard(interruption_->mutex);
        if (interruption_->why.empty()) {
            interruption_->why = why;
        }
    } catch (...) {
        // Out of memory: the reason is lost, the interruption is not.
    }
    interruption_->set.store(true, std::memory_order_release);
}

std::optional<Error> GatherCommunicator::interrupted() const {
    if (!interruption_->set.load(std::memory_order_acquire)) {
        return std::nullopt;
    }
    const std::lock_guard guard(interruption_->mutex);
    return Error{ErrorCode::Unavailable, interruption_->why};
}

void GatherCommunicator::say_farewell(std::string_view why) noexcept {
    if (settled_ || world_size() < 2 || interruption_->set.load(std::memory_order_acquire)) {
        return;
    }
    try {
        // Takes part in the collective that the others come to next, under a label of its own, so
        // that all ranks have made the same number of exchanges afterwards. Who is not there is
        // gone or stopped as well.
        static_cast<void>(labelled_exchange(kFarewell, bytes_of(why)).ok());
    } catch (...) {
        // Out of memory: the others run into their time-out.
    }
    settled_ = true;
}

void GatherCommunicator::forget_farewells() noexcept {
    settled_ = false;
    const std::lock_guard guard(interruption_->mutex);
    if (interruption_->by_farewell) {
        interruption_->by_farewell = false;
        interruption_->why.clear();
        interruption_->set.store(false, std::memory_order_release);
    }
}

// Later collectives fail at once: the rank that said it is not there.
void GatherCommunicator::hear_farewell(const std::string& why) {
    if (!interruption_->set.load(std::memory_order_acquire)) {
        interrupt(why);
        const std::lock_guard guard(interruption_->mutex);
        interruption_->by_farewell = true;
    }
}

Result<Gathered> GatherCommunicator::labelled_exchange(std::string_view label,
                                                       std::span<const std::byte> bytes) {
    auto gathered = compared_exchange(label, bytes);
    settled_ = settled_ || !gathered.ok();
    return gathered;
}

Result<Gathered> GatherCommunicator::compared_exchange(std::string_view label,
                                                       std::span<const std::byte> bytes) {
    const auto length = static_cast<std::uint32_t>(label.size());
    std::vector<std::byte> message(sizeof(length) + label.size() + bytes.size());
    std::memcpy(message.data(), &length, sizeof(length));
    std::ranges::copy(bytes_of(label), message.begin() + sizeof(length));
    std::ranges::copy(bytes,
                      message.begin() + static_cast<std::ptrdiff_t>(sizeof(length) + label.size()));
    const auto known_gone = interrupted();
    auto gathered = known_gone ? Result<Gathered>(*known_gone) : exchange(message);
    if (!gathered.ok()) {
        Error error = std::move(gathered).error();
        error.message += " (waiting in " + std::string(label) + ")";
        return error;
    }
    std::optional<Error> difference;
    std::string farewells;
    for (std::size_t member = 0; member < gathered->size(); ++member) {
        std::vector<std::byte>& one = (*gathered)[member];
        std::uint32_t theirs = 0;
        if (one.size() >= sizeof(theirs)) {
            std::memcpy(&theirs, one.data(), sizeof(theirs));
        }
        if (one.size() < sizeof(theirs) + theirs) {
            return Error{ErrorCode::Corrupt, name_ranks({static_cast<int>(member)}) +
                                                 " sent a collective message that was cut short"};
        }
        const std::string other(reinterpret_cast<const char*>(one.data()) + sizeof(theirs), theirs);
        one.erase(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(sizeof(theirs) + theirs));
        if (other == kFarewell) {
            farewells +=
                (farewells.empty() ? "" : "; ") + name_ranks({static_cast<int>(member)}) +
                " stopped: " + std::string(reinterpret_cast<const char*>(one.data()), one.size());
        } else if (other != label && !difference) {
            difference = Error{ErrorCode::InvalidArgument,
                               "the ranks are doing different things: " + name_ranks({rank_}) +
                                   " is in " + std::string(label) + ", " +
                                   name_ranks({static_cast<int>(member)}) + " is in " + other +
                                   "; every rank must make the same calls in the same order"};
        }
    }
    if (label == kFarewell) {
        return gathered;
    }
    if (!farewells.empty()) {
        hear_farewell(farewells);
        return Error{ErrorCode::Unavailable, farewells};
    }
    if (difference) {
        return *difference;
    }
    return gathered;
}

Result<void> GatherCommunicator::barrier() {
    TAFFRAIL_TRY(labelled_exchange("barrier", {}));
    return {};
}

template <typename Number>
Result<void> GatherCommunicator::reduce(std::span<Number> values, ReduceOp op,
                                        std::string_view type) {
    const std::string label = "all_reduce " + std::string(to_text(op)) + " of " +
                              std::to_string(values.size()) + " " + std::string(type);
    TAFFRAIL_ASSIGN(const Gathered gathered, labelled_exchange(label, std::as_bytes(values)));
    std::vector<Number> total(values.size());
    std::vector<Number> one(values.size());
    for (std::size_t member = 0; member < gathered.size(); ++member) {
        if (gathered[member].size() != values.size_bytes()) {
            return Error{ErrorCode::Corrupt, name_ranks({static_cast<int>(member)}) + " sent " +
                                                 std::to_string(gathered[member].size()) +
                                                 " bytes in " + label};
        }
        if (!values.empty()) {
            std::memcpy(one.data(), gathered[member].data(), values.size_bytes());
        }
        for (std::size_t index = 0; index < total.size(); ++index) {
            total[index] = member == 0 ? one[index] : combine(total[index], one[index], op);
        }
    }
    std::ranges::copy(total, values.begin());
    return {};
}

Result<void> GatherCommunicator::all_reduce(std::span<double> values, ReduceOp op) {
    return reduce(values, op, "numbers");
}

Result<void> GatherCommunicator::all_reduce(std::span<std::int64_t> values, ReduceOp op) {
    return reduce(values, op, "integers");
}

Result<Gathered> GatherCommunicator::all_gather(std::span<const std::byte> bytes) {
    return labelled_exchange("all_gather", bytes);
}

Result<void> GatherCommunicator::broadcast(std::vector<std::byte>& bytes, int root) {
    if (root < 0 || root >= world_size()) {
        return Error{ErrorCode::InvalidArgument, "broadcast from rank " + std::to_string(root) +
                                                     " in a group of " +
                                                     std::to_string(world_size())};
    }
    const std::string label = "broadcast from " + std::to_string(root);
    TAFFRAIL_ASSIGN(Gathered gathered,
                    labelled_exchange(label, rank_ == root ? std::span<const std::byte>(bytes)
                                                           : std::span<const std::byte>()));
    bytes = std::move(gathered[static_cast<std::size_t>(root)]);
    return {};
}

Result<void> GatherCommunicator::skip_group(std::string_view, const std::vector<int>&) {
    return {};
}

Result<std::shared_ptr<Communicator>> GatherCommunicator::group(std::string_view name,
                                                                std::span<const int> ranks) {
    std::vector<int> members(ranks.begin(), ranks.end());
    std::ranges::sort(members);
    const bool repeated = std::ranges::adjacent_find(members) != members.end();
    if (members.empty() || repeated || members.front() < 0 || members.back() >= world_size()) {
        return Error{ErrorCode::InvalidArgument, "group '" + std::string(name) +
                                                     "' needs different ranks between 0 and " +
                                                     std::to_string(world_size() - 1)};
    }
    if (const auto known = groups_.find(name); known != groups_.end()) {
        if (known->second.members == members) {
            return known->second.communicator;
        }
        return Error{ErrorCode::AlreadyExists, "group '" + std::string(name) +
                                                   "' exists with other ranks; choose a new name"};
    }
    const auto place = std::ranges::find(members, rank_);
    std::shared_ptr<Communicator> communicator;
    if (place == members.end()) {
        TAFFRAIL_TRY(skip_group(name, members));
    } else {
        NewGroup group{name, members, {}, static_cast<int>(place - members.begin())};
        for (const int member : members) {
            group.world_ranks.push_back(members_[static_cast<std::size_t>(member)]);
        }
        TAFFRAIL_ASSIGN(communicator, make_group(std::move(group)));
        if (auto* own = dynamic_cast<GatherCommunicator*>(communicator.get())) {
            own->interruption_ = interruption_;
        }
    }
    groups_.emplace(name, Group{members, communicator});
    return communicator;
}

Result<std::shared_ptr<Communicator>> GatherCommunicator::find_group(std::string_view name) const {
    const auto known = groups_.find(name);
    if (known == groups_.end()) {
        std::string message = "there is no group '" + std::string(name) +
                              "'; make it with Communicator::group() on every rank first";
        for (const auto& [other, unused] : groups_) {
            message += (other == groups_.begin()->first ? "; known: " : ", ") + other;
        }
        return Error{ErrorCode::NotFound, message};
    }
    if (!known->second.communicator) {
        return Error{ErrorCode::InvalidArgument, "rank " + std::to_string(rank_) +
                                                     " is not a member of group '" +
                                                     std::string(name) + "'"};
    }
    return known->second.communicator;
}

}  // namespace taffrail::metrics
