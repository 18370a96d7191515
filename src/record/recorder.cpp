#include "record/recorder.h"

#include "base/diagnostics.h"
#include "record/all_recorders.h"

#include <algorithm>
#include <vector>

namespace taffrail::record {

constinit thread_local ThreadSlot thread_slot
    __attribute__((tls_model("initial-exec"))) = {nullptr, nullptr, 0, 0};

namespace {

// What a thread holds in the runs it logged to, given back when it ends.
struct ThreadProducers {
    struct Entry {
        std::weak_ptr<Session> session;
        Producer* producer;
    };

    std::vector<Entry> entries;

    ~ThreadProducers();
};

// Plain: readable after the destructor of ThreadProducers ran.
constinit thread_local bool thread_ended = false;
constinit thread_local Session* last_session = nullptr;  // of a thread that ended; never freed

ThreadProducers& thread_producers() {
    thread_local ThreadProducers producers;
    return producers;
}

void forget_producer() noexcept {
    thread_slot.recorder = nullptr;
    thread_slot.producer = nullptr;
    thread_slot.version = 0;
}

ThreadProducers::~ThreadProducers() {
    forget_producer();
    thread_ended = true;
    for (Entry& entry : entries) {
        if (auto session = entry.session.lock()) {
            session->release(entry.producer);
        }
    }
}

}  // namespace

void forget_thread_producers() noexcept {
    forget_producer();
    thread_slot.inside.store(0, std::memory_order_relaxed);
    if (!thread_ended) {
        thread_producers().entries.clear();
    }
}

Result<void> Recorder::start(SessionParts parts) {
    const std::lock_guard guard(session_mutex_);
    auto session = Session::start(*this, options_, std::move(parts));
    if (!session.ok()) {
        return session.error();
    }
    session_ = *std::move(session);
    return {};
}

std::shared_ptr<Session> Recorder::session() const noexcept {
    const std::lock_guard guard(session_mutex_);
    return session_;
}

std::shared_ptr<Session> Recorder::ensure_session() noexcept {
    const std::lock_guard guard(session_mutex_);
    if (session_ || !forked_ || closed()) {
        return session_;
    }
    forked_ = false;
    try {
        auto parts = again_();
        auto session = parts.ok() ? Session::start(*this, options_, *std::move(parts))
                                  : Result<std::shared_ptr<Session>>(std::move(parts).error());
        if (session.ok()) {
            session_ = *std::move(session);
        } else {
            count_error("record.fork",
                        "a forked process cannot record: " + session.error().message);
        }
    } catch (const std::exception& error) {
        count_error("record.fork", error.what());
    }
    return session_;
}

Producer* Recorder::thread_producer(const std::shared_ptr<Session>& session,
                                    std::uint64_t values) noexcept {
    if (thread_ended) {
        // Destructors of thread-locals and exit handlers may log after the list below is gone. Such
        // a thread keeps its producer, and the session, for good.
        if (thread_slot.recorder != this || last_session != session.get()) {
            Producer* producer = session->acquire(nullptr, values);
            if (producer == nullptr) {
                return nullptr;
            }
            last_session = session.get();
            thread_slot.recorder = this;
            thread_slot.producer = producer;
            thread_slot.version = 0;
        }
        return thread_slot.producer;
    }
    try {
        auto& entries = thread_producers().entries;
        Producer* producer = nullptr;
        for (const ThreadProducers::Entry& entry : entries) {
            if (entry.session.lock() == session) {
                producer = entry.producer;
            }
        }
        if (producer == nullptr) {
            std::erase_if(entries, [](const auto& entry) { return entry.session.expired(); });
            entries.reserve(entries.size() + 1);
            producer = session->acquire(&thread_slot, values);
            if (producer == nullptr) {
                return nullptr;
            }
            entries.push_back({session, producer});
        }
        thread_slot.recorder = this;
        thread_slot.producer = producer;
        thread_slot.version = producer->version;
        return producer;
    } catch (const std::bad_alloc&) {
        session->lose(values);
        return nullptr;
    }
}

Producer* Recorder::prepare(const detail::RowCore* row, std::uint64_t words,
                            std::uint64_t values) noexcept {
    const std::shared_ptr<Session> session = closed() ? nullptr : ensure_session();
    Producer* producer = session ? thread_producer(session, values) : nullptr;
    if (!session) {
        count_error("record.closed", closed() ? "a record logged after finish() is not taken"
                                              : "a record is not taken: the run has no writer");
    }
    // A handle of an earlier run that this recorder served: asked last, when its run can no longer
    // be taken down unnoticed.
    if (producer == nullptr || (row != nullptr && &row->target() != this)) {
        return nullptr;
    }
    const auto fits = [&](std::uint64_t needed) {
        return needed <= static_cast<std::uint64_t>(producer->limit - producer->cursor);
    };
    // The context and the entry must land in the same ring; a move to a bigger one asks for the
    // context again.
    for (;;) {
        const bool tell = producer->version != open_version();
        const std::uint64_t needed = words + (tell ? kContextWords : 0);
        if (!fits(needed)) {
            if (session->make_room(*producer, needed, values) == Session::Room::Full) {
                return nullptr;
            }
            continue;
        }
        if (tell) {
            const std::lock_guard guard(context_mutex_);
            std::uint64_t* at = producer->cursor;
            at[0] = pack_word0(EntryType::Context, 0, 0, 0);
            at[1] = std::bit_cast<std::uint64_t>(context_.epoch);
            at[2] = static_cast<std::uint64_t>(context_.samples);
            at[3] = context_.phase;
            producer->publish(kContextWords);
            producer->version = open_version();
        }
        thread_slot.version = producer->version;
        return producer;
    }
}

bool Recorder::log_bytes(BytesKind kind, std::uint32_t id, Step step,
                         std::span<const ByteSpan> parts, Routing routing,
                         bool always_spool) noexcept {
    if (closed()) {
        count_error("record.closed", "a record logged after finish() is not taken");
        return false;
    }
    std::size_t length = 0;
    for (ByteSpan part : parts) {
        length += part.size();
    }
    Bytes reference;
    ByteSpan reference_part;
    if (kind == BytesKind::Console && length > kMaxInlineBytes) {
        for (ByteSpan part : parts) {
            for (std::size_t at = 0; at < part.size(); at += kMaxInlineBytes) {
                const ByteSpan piece =
                    part.subspan(at, std::min(kMaxInlineBytes, part.size() - at));
                log_bytes(kind, id, step, {&piece, 1}, routing);
            }
        }
        return true;
    }
    if (always_spool || length > kMaxInlineBytes) {
        const std::shared_ptr<Session> session = ensure_session();
        if (!session) {
            count_error("record.spool", "a value is not recorded: the run has no writer");
            return false;
        }
        auto spooled = session->spool(parts);
        if (!spooled.ok()) {
            session->lose(1);
            count_error("record.spool", "a value is not recorded: " + spooled.error().message);
            return false;
        }
        reference = *std::move(spooled);
        reference_part = reference;
        parts = {&reference_part, 1};
        length = reference.size();
        kind = kind == BytesKind::Meta ? BytesKind::SpooledMeta : BytesKind::Spooled;
    }
    const InsideLogCall inside;
    const std::uint64_t words = kBytesWords + (length + 7) / 8;
    Producer* producer =
        prepare(nullptr, words, kind == BytesKind::Value || kind == BytesKind::Spooled ? 1 : 0);
    if (producer == nullptr) {
        return false;
    }
    std::uint64_t* at = producer->cursor;
    const auto flags = static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) |
                                                 (routing.visible ? 0 : kHiddenFlag));
    at[0] = pack_word0(EntryType::Bytes, flags, routing.route, id);
    at[1] = static_cast<std::uint64_t>(step);
    at[2] = ticks();
    at[3] = length;
    auto* to = reinterpret_cast<std::byte*>(at + kBytesWords);
    for (ByteSpan part : parts) {
        to = std::copy(part.begin(), part.end(), to);
    }
    if (kind == BytesKind::Value || kind == BytesKind::Spooled) {
        producer->count(1);
    }
    producer->publish(words);
    return true;
}

Result<void> Recorder::flush(bool durable, std::chrono::milliseconds limit) {
    const std::shared_ptr<Session> current = session();
    return current ? current->flush(durable, limit) : Result<void>();
}

Result<void> Recorder::finish(RunState state, std::chrono::milliseconds limit) {
    version_.fetch_or(1, std::memory_order_acq_rel);
    const std::shared_ptr<Session> current = session();
    if (!current) {
        return {};
    }
    Result<void> finished = current->finish(state, limit);
    if (!finished.ok()) {
        report(finished.error());
    }
    std::shared_ptr<Session> ended;
    {
        const std::lock_guard guard(session_mutex_);
        past_.records += current->values_taken();
        past_.written += current->values_written();
        past_.gaps += current->values_lost();
        past_.blocked_ns += current->blocked_ns();
        past_.bytes_written += current->bytes_written();
        ended = std::move(session_);
        session_.reset();
    }
    if (!ended->quiet()) {
        // A log call of another thread still stands inside one of its producers, or may come back.
        AllRecorders::keep(std::move(ended));
    }
    return finished;
}

void Recorder::count_error(std::string_view cause, std::string_view message) noexcept {
    errors_.fetch_add(1, std::memory_order_relaxed);
    diagnose_once(DiagnosticLevel::Warning, cause, message);
    try {
        const std::lock_guard guard(failure_mutex_);
        if (!call_failure_) {
            call_failure_ = Error{ErrorCode::InvalidArgument, std::string(message)};
        }
    } catch (const std::bad_alloc&) {
        // Counted already.
    }
}

void Recorder::report(const Error& error) noexcept {
    try {
        const std::lock_guard guard(failure_mutex_);
        if (!failure_) {
            failure_ = error;
        }
    } catch (const std::bad_alloc&) {
        // There is nowhere left to keep it.
    }
}

std::optional<Error> Recorder::first_failure() const {
    const std::lock_guard guard(failure_mutex_);
    return failure_;
}

std::optional<Error> Recorder::first_call_failure() const {
    const std::lock_guard guard(failure_mutex_);
    return call_failure_;
}

RunStats Recorder::stats() const noexcept {
    const std::lock_guard guard(session_mutex_);
    RunStats stats = past_;
    if (session_) {
        stats.records += session_->values_taken();
        stats.written += session_->values_written();
        stats.gaps += session_->values_lost();
        stats.blocked_ns += session_->blocked_ns();
        stats.bytes_written += session_->bytes_written();
    }
    stats.errors = errors_.load(std::memory_order_relaxed);
    return stats;
}

}  // namespace taffrail::record
