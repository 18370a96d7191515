// Values over ranks: one exchange for all synced values of an epoch, so that names that differ are
// seen and told.
#include "base/bytes.h"
#include "base/try.h"
#include "metrics/log_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace taffrail::metrics {

namespace {

struct Part {
    std::string name;
    double total = 0;
    std::int64_t weight = 0;
};

Bytes pack(std::span<const Part> parts) {
    Bytes bytes;
    for (const Part& part : parts) {
        append(bytes, static_cast<std::uint32_t>(part.name.size()));
        const auto text = std::as_bytes(std::span(part.name));
        bytes.insert(bytes.end(), text.begin(), text.end());
        append(bytes, part.total);
        append(bytes, part.weight);
    }
    return bytes;
}

std::vector<Part> unpack(ByteSpan bytes) {
    std::vector<Part> parts;
    while (bytes.size() >= sizeof(std::uint32_t)) {
        const auto length = load<std::uint32_t>(bytes.data());
        bytes = bytes.subspan(sizeof(length));
        if (bytes.size() < length + sizeof(double) + sizeof(std::int64_t)) {
            break;
        }
        Part part;
        part.name.assign(reinterpret_cast<const char*>(bytes.data()), length);
        part.total = load<double>(bytes.data() + length);
        part.weight = load<std::int64_t>(bytes.data() + length + sizeof(double));
        bytes = bytes.subspan(length + sizeof(double) + sizeof(std::int64_t));
        parts.push_back(std::move(part));
    }
    return parts;
}

std::string list_names(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "'" : ", '") + name + "'";
    }
    return text;
}

// "" when both ranks sync the same names in the same order.
std::string difference(const std::vector<Part>& mine, const std::vector<Part>& theirs) {
    const auto names = [](const std::vector<Part>& parts) {
        std::vector<std::string> all;
        for (const Part& part : parts) {
            all.push_back(part.name);
        }
        return all;
    };
    std::vector<std::string> own = names(mine);
    std::vector<std::string> other = names(theirs);
    if (own == other) {
        return {};
    }
    std::ranges::sort(own);
    std::ranges::sort(other);
    std::vector<std::string> missing;
    std::vector<std::string> extra;
    std::ranges::set_difference(own, other, std::back_inserter(missing));
    std::ranges::set_difference(other, own, std::back_inserter(extra));
    if (missing.empty() && extra.empty()) {
        return "logs the same names in another order";
    }
    std::string text;
    if (!missing.empty()) {
        text = "did not log " + list_names(missing);
    }
    if (!extra.empty()) {
        text += (text.empty() ? "logged " : " but ") + list_names(extra);
    }
    return text;
}

double combine(double left, double right, Reduce reduce) {
    if (reduce == Reduce::Mean || reduce == Reduce::Sum) {
        return left + right;
    }
    if (std::isnan(left) || std::isnan(right)) {
        return std::nan("");
    }
    return reduce == Reduce::Min ? std::min(left, right) : std::max(left, right);
}

}  // namespace

// Replaces the step values, or fills the computed epoch values, of slots that share a group.
std::optional<Error> LogState::sync(std::span<Slot* const> wanted, Level at) {
    Communicator* ranks = settings_.communicator;
    std::shared_ptr<Communicator> group;
    if (!wanted.front()->group.empty()) {
        auto found = ranks->find_group(wanted.front()->group);
        if (!found.ok()) {
            return found.error();
        }
        group = *found;
        ranks = group.get();
    }
    std::vector<Part> mine;
    for (const Slot* slot : wanted) {
        const std::string name = slot->forked_name(at);
        mine.push_back(at == Level::Step ? Part{name, slot->step_value, 1}
                                         : Part{name, slot->total, slot->weight});
    }
    const auto gathered = ranks->all_gather(pack(mine));
    if (!gathered.ok()) {
        return Error{gathered.error().code, "syncing '" + mine.front().name +
                                                (mine.size() > 1 ? "' and others" : "'") +
                                                " over ranks: " + gathered.error().message};
    }
    std::vector<Part> total;
    for (std::size_t rank = 0; rank < gathered->size(); ++rank) {
        const std::vector<Part> theirs = unpack((*gathered)[rank]);
        if (const std::string problem = difference(mine, theirs); !problem.empty()) {
            return Error{ErrorCode::InvalidArgument,
                         "syncing over ranks: rank " + std::to_string(rank) + " " + problem +
                             ", which rank " + std::to_string(ranks->rank()) +
                             " did differently; every rank must log the same synced names"};
        }
        if (total.empty()) {
            total = theirs;
            continue;
        }
        for (std::size_t index = 0; index < total.size(); ++index) {
            total[index].total =
                combine(total[index].total, theirs[index].total, wanted[index]->options.reduce);
            total[index].weight += theirs[index].weight;
        }
    }
    for (std::size_t index = 0; index < wanted.size(); ++index) {
        Slot& slot = *wanted[index];
        double value = total[index].total;
        if (slot.options.reduce == Reduce::Mean) {
            value /= static_cast<double>(total[index].weight);
        }
        if (single() && !slot.wide) {
            value = static_cast<double>(static_cast<float>(value));
        }
        (at == Level::Step ? slot.step_value : slot.computed.emplace()) = value;
    }
    return std::nullopt;
}

// Before epoch values are read: those that are synced and not computed yet, group by group.
void LogState::compute_synced() {
    if (!distributed()) {
        return;
    }
    std::map<std::string, std::vector<Slot*>> by_group;
    Slots& current = slots();
    for (Slot& slot : current.all()) {
        const SlotOptions& options = slot.options;
        if (!slot.has_reset && options.loader == current.current_loader && slot.metric == nullptr &&
            options.on_epoch && options.sync && !options.rank_zero_only && !slot.computed) {
            by_group[slot.group].push_back(&slot);
        }
    }
    for (const auto& [name, members] : by_group) {
        if (auto problem = sync(members, Level::Epoch)) {
            fail(*problem);
            return;
        }
    }
}

}  // namespace taffrail::metrics
