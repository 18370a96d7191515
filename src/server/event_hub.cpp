#include "server/event_hub.h"

namespace taffrail::server {
namespace {

constexpr std::size_t kClientLimitBytes = 1u << 20;
constexpr std::size_t kKeptEvents = 1000;
constexpr std::chrono::seconds kKeptFor{60};
constexpr std::chrono::seconds kCommentEvery{15};

std::string format(const HubEvent& event) {
    return "id: " + std::to_string(event.id) + "\nevent: " + event.name + "\ndata: " + event.data +
           "\n\n";
}

}  // namespace

EventHub::EventHub() : ticker_([this] { keep_alive(); }) {}

EventHub::~EventHub() {
    close();
    ticker_.join();
}

void EventHub::publish(std::string name, std::string data) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    kept_.push_back({++last_id_, std::move(name), std::move(data), now});
    while (kept_.size() > kKeptEvents && now - kept_.front().at > kKeptFor) {
        kept_.pop_front();
    }
    const std::string text = format(kept_.back());
    std::erase_if(streams_,
                  [&](const auto& stream) { return !stream->offer(text, kClientLimitBytes); });
}

void EventHub::subscribe(std::shared_ptr<ResponseStream> stream, std::optional<std::uint64_t> since,
                         const std::string& hello) {
    const std::lock_guard lock(mutex_);
    const Backlog backlog = since ? after_locked(*since) : Backlog{last_id_, true, {}};
    // Always first: ids alone cannot tell a client that another server answers now. Without an id
    // where events follow, so that a stream cut among them is taken up at the right one.
    std::string text = backlog.reset ? "id: " + std::to_string(last_id_) + "\n" : "";
    text += "event: hello\ndata: " + hello + "\n\n";
    for (const HubEvent& event : backlog.events) {
        text += format(event);
    }
    if (!closing_ && stream->offer(text, kClientLimitBytes)) {
        streams_.push_back(std::move(stream));
    }
}

EventHub::Backlog EventHub::after(std::uint64_t since) const {
    const std::lock_guard lock(mutex_);
    return after_locked(since);
}

EventHub::Backlog EventHub::after_locked(std::uint64_t since) const {
    Backlog backlog;
    backlog.next = last_id_;
    const std::uint64_t oldest = kept_.empty() ? last_id_ + 1 : kept_.front().id;
    if (since > last_id_ || since + 1 < oldest) {
        backlog.reset = true;
        return backlog;
    }
    for (const HubEvent& event : kept_) {
        if (event.id > since) {
            backlog.events.push_back(event);
        }
    }
    return backlog;
}

std::size_t EventHub::clients() const {
    const std::lock_guard lock(mutex_);
    return streams_.size();
}

void EventHub::close() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        for (const auto& stream : streams_) {
            stream->end();
        }
        streams_.clear();
    }
    wake_.notify_all();
}

// Proxies drop silent streams, and a dead client is only noticed by writing to it.
void EventHub::keep_alive() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kCommentEvery, [this] { return closing_; })) {
        std::erase_if(streams_, [](const auto& stream) {
            return !stream->offer(": keep\n\n", kClientLimitBytes);
        });
    }
}

}  // namespace taffrail::server
