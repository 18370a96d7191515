#include "record/recorder.h"

#include "base/diagnostics.h"
#include "base/fork_guard.h"
#include "io/locks.h"

#include <pthread.h>

#include <algorithm>
#include <vector>

namespace taffrail::record {

constinit thread_local ThreadSlot thread_slot
    __attribute__((tls_model("initial-exec"))) = {nullptr, nullptr};

namespace {

// What a thread holds in the runs it logged to, given back when it ends.
struct ThreadProducers {
    struct Entry {
        Recorder* recorder;
        std::weak_ptr<Session> session;
        Producer* producer;
    };

    std::vector<Entry> entries;

    ~ThreadProducers();
};

// Plain bool: readable after the destructor of ThreadProducers ran.
constinit thread_local bool thread_ended = false;

ThreadProducers& thread_producers() {
    thread_local ThreadProducers producers;
    return producers;
}

ThreadProducers::~ThreadProducers() {
    thread_slot = {nullptr, nullptr};
    thread_ended = true;
    for (Entry& entry : entries) {
        if (auto session = entry.session.lock()) {
            session->release(entry.producer);
        }
    }
}

// All recorders of the process. They are kept for ever, reachable from here.
struct AllRecorders {
    std::mutex mutex;
    std::vector<std::unique_ptr<Recorder>> recorders;
    std::vector<std::shared_ptr<Session>> abandoned;  // sessions of the parent, in a forked child
};

AllRecorders& all_recorders() {
    static auto* all = new AllRecorders;
    return *all;
}

}  // namespace

// fork() copies one thread and all memory. The tables must be whole in the child, so their locks
// are taken over the fork; sessions belong to the parent, so the child lets go of them without a
// word.
struct ForkGuard {
    static void prepare() {
        all_recorders().mutex.lock();
        for (const auto& recorder : all_recorders().recorders) {
            recorder->session_mutex_.lock();
            recorder->keys_.mutex().lock();
            recorder->context_mutex_.lock();
            recorder->failure_mutex_.lock();
        }
    }

    static void release() {
        for (const auto& recorder : all_recorders().recorders) {
            recorder->failure_mutex_.unlock();
            recorder->context_mutex_.unlock();
            recorder->keys_.mutex().unlock();
            recorder->session_mutex_.unlock();
        }
        all_recorders().mutex.unlock();
    }

    static void parent() {
        for (const auto& recorder : all_recorders().recorders) {
            recorder->has_forked_.store(true, std::memory_order_relaxed);
        }
        release();
    }

    static void child() {
        thread_slot = {nullptr, nullptr};
        if (!thread_ended) {
            thread_producers().entries.clear();
        }
        for (const auto& recorder : all_recorders().recorders) {
            recorder->forget_after_fork();
        }
        release();
    }
};

Recorder& Recorder::create(RecorderOptions options, SessionFactory again) {
    // Taken while the locks of recorders are held, so they come first here and last at a fork.
    guard_diagnostics_over_fork();
    io::guard_locks_over_fork();
    static const int registered =
        pthread_atfork(ForkGuard::prepare, ForkGuard::parent, ForkGuard::child);
    (void)registered;
    std::unique_ptr<Recorder> recorder(new Recorder(std::move(options), std::move(again)));
    const std::lock_guard guard(all_recorders().mutex);
    all_recorders().recorders.push_back(std::move(recorder));
    return *all_recorders().recorders.back();
}

Recorder::Recorder(RecorderOptions options, SessionFactory again)
    : options_(std::move(options)), again_(std::move(again)), keys_(this) {}

Result<void> Recorder::start(SessionParts parts) {
    const std::lock_guard guard(session_mutex_);
    auto session = Session::start(*this, options_, std::move(parts));
    if (!session.ok()) {
        return session.error();
    }
    session_ = *std::move(session);
    return {};
}

void Recorder::forget_after_fork() noexcept {
    if (session_) {
        all_recorders().abandoned.push_back(std::move(session_));
        forked_ = true;
    }
    keys_.detach();
    past_ = {};
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

Producer* Recorder::thread_producer() noexcept {
    if (thread_ended) {
        // Destructors of thread-locals and exit handlers may log after the list below is gone. Such
        // a thread keeps its producer for good.
        const std::shared_ptr<Session> session = ensure_session();
        Producer* producer = session ? session->acquire() : nullptr;
        if (producer != nullptr) {
            thread_slot = {this, producer};
        } else {
            errors_.fetch_add(1, std::memory_order_relaxed);
        }
        return producer;
    }
    try {
        auto& entries = thread_producers().entries;
        for (ThreadProducers::Entry& entry : entries) {
            if (entry.recorder == this) {
                thread_slot = {this, entry.producer};
                return entry.producer;
            }
        }
        const std::shared_ptr<Session> session = ensure_session();
        Producer* producer = session ? session->acquire() : nullptr;
        if (producer == nullptr) {
            errors_.fetch_add(1, std::memory_order_relaxed);
            return nullptr;
        }
        entries.push_back({this, session, producer});
        thread_slot = {this, producer};
        return producer;
    } catch (const std::bad_alloc&) {
        errors_.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
}

Producer* Recorder::prepare(std::uint64_t words, std::uint64_t values) noexcept {
    if (closed()) {
        count_error("record.closed", "a record logged after finish() is not taken");
        return nullptr;
    }
    Producer* producer = thread_slot.recorder == this ? thread_slot.producer : thread_producer();
    if (producer == nullptr) {
        return nullptr;
    }
    const std::shared_ptr<Session> session = this->session();
    if (!session) {
        count_error("record.closed", "a record logged after finish() is not taken");
        return nullptr;
    }
    const auto fits = [&](std::uint64_t needed) {
        return needed <= static_cast<std::uint64_t>(producer->limit - producer->cursor);
    };
    // The context and the entry must land in the same ring; a move to a bigger one asks for the
    // context again.
    for (;;) {
        const bool tell = producer->version != version_.load(std::memory_order_acquire);
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
            producer->version = version_.load(std::memory_order_acquire);
        }
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
            count_error("record.spool", "a value is not recorded: " + spooled.error().message);
            return false;
        }
        reference = *std::move(spooled);
        reference_part = reference;
        parts = {&reference_part, 1};
        length = reference.size();
        kind = kind == BytesKind::Meta ? BytesKind::SpooledMeta : BytesKind::Spooled;
    }
    const std::uint64_t words = kBytesWords + (length + 7) / 8;
    Producer* producer =
        prepare(words, kind == BytesKind::Value || kind == BytesKind::Spooled ? 1 : 0);
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
    // Kept alive: a log call of another thread may still stand inside one of its producers. One
    // lock after the other: a fork takes the list's first.
    const std::lock_guard all(all_recorders().mutex);
    all_recorders().abandoned.push_back(std::move(ended));
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
