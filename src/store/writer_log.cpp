#include "store/writer_log.h"

#include "base/crc32c.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "model/series_summary.h"
#include "store/batch_filter.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace taffrail::store {
namespace {

// A batch that waits for its definitions is kept in memory; more than this many are not worth it.
constexpr std::size_t kMaxWaiting = 4096;

std::uint64_t fingerprint(const tlog::FrameHeader& header) {
    std::uint64_t hash = header.first_seq * 0x9E3779B97F4A7C15ull;
    hash ^= (std::uint64_t{header.payload_crc} << 32) | header.rows;
    hash *= 0xBF58476D1CE4E5B9ull;
    return hash ^ header.payload_bytes;
}

}  // namespace

WriterLog::WriterLog(std::string run_folder, std::uint64_t writer)
    : run_folder_(std::move(run_folder)) {
    identity_.writer = writer;
}

std::string WriterLog::url_of(std::uint32_t file) const {
    return io::join(io::join(run_folder_, kLiveFolder), log_name(identity_.writer, file));
}

bool WriterLog::discover() {
    bool found = false;
    for (const FileName& name : list_logs(run_folder_, identity_.writer)) {
        if (name.number < first_file_ || files_.contains(name.number)) {
            continue;
        }
        FrameFile file(run_folder_, url_of(name.number));
        const auto covered = covered_.find(name.number);
        if (covered != covered_.end() && covered_part_ == CoveredPart::Nothing &&
            !file.begin_at(covered->second).ok()) {
            continue;
        }
        files_.emplace(name.number, std::move(file));
        found = true;
    }
    return found;
}

void WriterLog::set_sealed(std::map<std::uint32_t, std::uint64_t> covered_bytes,
                           const std::vector<std::string>& rest_logs, CoveredPart part) {
    covered_ = std::move(covered_bytes);
    covered_part_ = part;
    for (const std::string& url : rest_logs) {
        rest_.emplace_back(run_folder_, url);
    }
}

Result<bool> WriterLog::begin_at_checkpoint() {
    if (!covered_.empty() || !rest_.empty()) {
        return false;  // a checkpoint's totals would count sealed rows a second time
    }
    discover();
    for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
        auto found = find_last_checkpoint(url_of(file->first));
        if (!found.ok()) {
            continue;
        }
        const auto checkpoint = tlog::decode_checkpoint(found->payload);
        if (!checkpoint) {
            continue;
        }
        if (std::ranges::any_of(checkpoint->series, model::is_of_all_points,
                                &tlog::SeriesState::summary)) {
            return false;  // an older version's: only the points tell the finite ones
        }
        state_.restore(*checkpoint);
        identity_ = checkpoint->identity;
        if (found->next_seq > 0) {
            rows_.insert(0, found->next_seq - 1);
        }
        next_seq_ = found->next_seq;
        last_sign_ns_ = std::max(checkpoint->heartbeat_ns, found->modified_ns);
        TAFFRAIL_TRY(file->second.begin_at(found->next_frame));
        first_file_ = file->first;
        start_ = Start{file->first, found->next_frame, found->nonce};
        files_.erase(files_.begin(), files_.find(first_file_));
        return true;
    }
    return false;
}

bool WriterLog::defined(const tlog::Batch& batch) const {
    for (const tlog::WideRows& rows : batch.wide) {
        if (state_.schema(rows.schema) == nullptr) {
            return false;
        }
    }
    for (const tlog::LongRows& rows : batch.long_rows) {
        if (!std::ranges::all_of(
                rows.key, [this](std::uint32_t key) { return state_.key(key) != nullptr; })) {
            return false;
        }
    }
    return std::ranges::all_of(batch.values, [this](const tlog::ValueRecord& value) {
        return state_.key(value.key) != nullptr;
    });
}

void WriterLog::take_batch(const tlog::Batch& batch, FramePlace place, const OnBatch& on_batch) {
    std::uint64_t first = 0, last = 0;
    const bool any = scalar_rows(batch, first, last);
    auto use = [&](const tlog::Batch& fresh) {
        state_.apply(fresh);
        gaps_.insert(gaps_.end(), fresh.gaps.begin(), fresh.gaps.end());
        if (on_batch) {
            on_batch(fresh, place);
        }
    };
    if (any && rows_.touches(first, last)) {
        use(FilteredBatch(batch, rows_).batch());
    } else {
        use(batch);
    }
    if (any) {
        rows_.insert(first, last);
        next_seq_ = std::max(next_seq_, last + 1);
    }
    last_sign_ns_ = std::max(last_sign_ns_, state_.last_time_ns());
}

void WriterLog::take(const FrameFile::Frame& frame, std::uint32_t file, const OnBatch& on_batch) {
    if (frame.header.version != 1) {
        return;
    }
    if (is_covered(file, frame.offset)) {
        return take_covered(frame, file, on_batch);
    }
    const std::uint64_t end_seq = frame.header.first_seq + frame.header.rows;
    next_seq_ = std::max(next_seq_, end_seq);
    FileRows& known = file_rows_[file];
    known.end = std::max(known.end, end_seq);
    if (frame.header.type == tlog::FrameType::Header) {
        known.first = frame.header.first_seq;
    }
    switch (frame.header.type) {
        case tlog::FrameType::Header:
            if (auto identity = tlog::decode_identity(frame.payload)) {
                identity_ = *std::move(identity);
                last_sign_ns_ = std::max(last_sign_ns_, identity_.start_time_ns);
            }
            break;
        case tlog::FrameType::Checkpoint:
            if (const auto checkpoint = tlog::decode_checkpoint(frame.payload)) {
                // Totals come from the rows themselves; what a checkpoint adds are definitions that
                // a damaged frame took away, and the identity.
                state_.define(checkpoint->keys, checkpoint->schemas);
                identity_ = checkpoint->identity;
                last_sign_ns_ = std::max(last_sign_ns_, checkpoint->heartbeat_ns);
                definitions_changed_ = true;
            }
            break;
        case tlog::FrameType::End:
            if (const auto end = tlog::decode_end(frame.payload)) {
                last_sign_ns_ = std::max(last_sign_ns_, end->time_ns);
                finished_ = end->reason == tlog::EndReason::Finished ? end : std::nullopt;
            }
            break;
        case tlog::FrameType::Batch:
            if (!frames_.insert(fingerprint(frame.header)).second) {
                break;
            }
            finished_.reset();
            if (!decoded_.decode(frame.header, frame.payload)) {
                damage_.emplace_back(file,
                                     tlog::DamagedRange{frame.offset, frame.header.frame_bytes(),
                                                        frame.header.first_seq,
                                                        frame.header.first_seq + frame.header.rows,
                                                        "a batch that cannot be decoded"});
                break;
            }
            take_decoded(frame, file, decoded_.batch(), on_batch);
            break;
        default:
            break;
    }
    if (definitions_changed_ && !waiting_.empty()) {
        retry_waiting(on_batch);
    }
    definitions_changed_ = false;
}

void WriterLog::take_decoded(const FrameFile::Frame& frame, std::uint32_t file,
                             const tlog::Batch& batch, const OnBatch& on_batch) {
    state_.define(batch.keys, batch.schemas);
    definitions_changed_ |= !batch.keys.empty() || !batch.schemas.empty();
    if (!defined(batch) && waiting_.size() < kMaxWaiting) {
        waiting_.push_back({{frame.payload.begin(), frame.payload.end()}, {file, frame.offset}});
    } else {
        take_batch(batch, {file, frame.offset}, on_batch);
    }
}

bool WriterLog::is_covered(std::uint32_t file, std::uint64_t offset) const {
    const auto covered = covered_.find(file);
    return covered != covered_.end() && offset < covered->second;
}

// Only rows and values: console, marks and states of this part are in the rest log.
void WriterLog::take_covered(const FrameFile::Frame& frame, std::uint32_t file,
                             const OnBatch& on_batch) {
    if (frame.header.type != tlog::FrameType::Batch ||
        !frames_.insert(fingerprint(frame.header)).second ||
        !decoded_.decode(frame.header, frame.payload)) {
        return;
    }
    tlog::Batch rows = decoded_.batch();
    rows.meta.clear();
    rows.console.clear();
    rows.gaps.clear();
    take_decoded(frame, file, rows, on_batch);
    if (std::exchange(definitions_changed_, false) && !waiting_.empty()) {
        retry_waiting(on_batch);
    }
}

void WriterLog::take_orphan_batch(const tlog::Batch& batch, const OnBatch& on_batch) {
    state_.define(batch.keys, batch.schemas);
    take_batch(batch, {UINT32_MAX, 0}, on_batch);
}

void WriterLog::retry_waiting(const OnBatch& on_batch) {
    std::vector<Waiting> still;
    tlog::DecodedBatch decoded;
    for (Waiting& waiting : waiting_) {
        if (decoded.decode(waiting.payload) && defined(decoded.batch())) {
            take_batch(decoded.batch(), waiting.place, on_batch);
        } else {
            still.push_back(std::move(waiting));
        }
    }
    waiting_ = std::move(still);
}

// Rest logs are complete: what cannot be read in them is damage, also at their end.
bool WriterLog::poll_rest(const OnBatch& on_batch) {
    bool changed = false;
    for (FrameFile& file : rest_) {
        const auto note = [&](const tlog::DamagedRange& range) {
            rest_damage_.try_emplace(
                fmt::format("{} {}", file.url(), range.offset),
                Damage{file.url(), range.offset, range.length, 0, 0, std::string(range.reason)});
        };
        const auto grew = file.poll(
            [&](const FrameFile::Frame& frame) {
                if (frame.header.type == tlog::FrameType::Checkpoint) {
                    if (const auto checkpoint = tlog::decode_checkpoint(frame.payload)) {
                        state_.restore_description(*checkpoint);
                    }
                }
                return take(frame, UINT32_MAX, on_batch), true;
            },
            note);
        if (!grew.ok()) {
            note({0, 0, 0, 0, "the file cannot be read"});
            continue;
        }
        if (file.offset() < file.size()) {
            note({file.offset(), file.size() - file.offset(), 0, 0, "bytes that are no frame"});
        }
        changed |= *grew;
    }
    return changed;
}

Result<bool> WriterLog::poll(const OnBatch& on_batch) {
    bool changed = poll_rest(on_batch);
    changed |= discover();
    for (auto file = files_.begin(); file != files_.end();) {
        const auto polled = file->second.poll(
            [&](const FrameFile::Frame& frame) { return take(frame, file->first, on_batch), true; },
            [&](const tlog::DamagedRange& range) { damage_.emplace_back(file->first, range); });
        if (!polled.ok()) {
            if (polled.error().code == ErrorCode::NotFound) {
                file = files_.erase(file);  // sealed and removed, or deleted by someone
                changed = true;
                continue;
            }
            return polled.error();
        }
        changed |= *polled;
        last_sign_ns_ = std::max(last_sign_ns_, file->second.modified_ns());
        ++file;
    }
    return changed;
}

std::uint64_t WriterLog::bytes() const noexcept {
    std::uint64_t total = 0;
    for (const auto& [number, file] : files_) {
        total += file.size();
    }
    return total;
}

void WriterLog::add_short_files(std::vector<Damage>& to) const {
    for (auto after = file_rows_.begin(); after != file_rows_.end(); ++after) {
        if (after == file_rows_.begin() || after->first == UINT32_MAX || !after->second.first) {
            continue;
        }
        const auto before = std::prev(after);
        std::uint64_t first = before->second.end;
        const std::uint64_t end = *after->second.first;
        while (first < end && rows_.contains(first)) {
            ++first;
        }
        if (before->first + 1 == after->first && files_.contains(before->first) && first < end) {
            to.push_back({url_of(before->first), files_.at(before->first).offset(), 0, first,
                          end - 1,
                          fmt::format("the file ends early (copied while it was written?); rows {} "
                                      "to {} are missing",
                                      first, end - 1)});
        }
    }
}

bool WriterLog::is_garbage() const noexcept {
    bool any = false;
    for (const auto& [number, file] : files_) {
        if (file.offset() > 0) {
            return false;
        }
        any |= file.size() >= tlog::kFrameHeaderBytes;
    }
    return any && rest_.empty();
}

// A log begins with the frame that says whose it is. Less than that is a writer that only just
// began; this much without it is none.
void WriterLog::add_garbage(std::vector<Damage>& to) const {
    for (const auto& [number, file] : files_) {
        if (file.offset() == 0 && file.size() >= tlog::kFrameHeaderBytes) {
            to.push_back({url_of(number), 0, file.size(), 0, 0,
                          "it does not begin with a log's header, and holds no frame"});
        }
    }
}

std::vector<Damage> WriterLog::damage() const {
    std::vector<Damage> result;
    for (const auto& [place, damage] : rest_damage_) {
        result.push_back(damage);
    }
    for (const auto& [file, range] : damage_) {
        if (is_covered(file, range.offset)) {
            continue;  // what is lost with it is decided by the sealed files
        }
        Damage damage{url_of(file), range.offset, range.length, 0, 0, std::string(range.reason)};
        // Rows that came from another file, or later in this one, are not lost.
        std::uint64_t first = range.first_seq;
        while (first < range.end_seq && rows_.contains(first)) {
            ++first;
        }
        std::uint64_t end = range.end_seq;
        while (end > first && rows_.contains(end - 1)) {
            --end;
        }
        if (first == end && range.length == 0) {
            continue;  // frames out of order, but all of them are here
        }
        if (end > first) {
            damage.first_seq = first;
            damage.last_seq = end - 1;
            damage.reason += fmt::format("; rows {} to {} are missing", first, end - 1);
        }
        result.push_back(std::move(damage));
    }
    add_short_files(result);
    add_garbage(result);
    for (const Waiting& waiting : waiting_) {
        result.push_back({url_of(waiting.place.file), waiting.place.offset, waiting.payload.size(),
                          0, 0, "rows whose key names were in a damaged part"});
    }
    for (const tlog::Gap& gap : gaps_) {
        result.push_back(damage_of(gap));
    }
    return result;
}

Damage damage_of(const tlog::Gap& gap) {
    return {"", 0, 0,
            0,  0, fmt::format("{} values were not taken because the ring was full", gap.lost)};
}

Result<void> read_batch_at(const std::string& url, std::uint64_t offset, Bytes& payload,
                           tlog::DecodedBatch& decoded) {
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(io::parent(io::parent(url)), url));
    Bytes bytes(tlog::kFrameHeaderBytes);
    TAFFRAIL_ASSIGN(const std::size_t count, file->read_at(offset, bytes));
    const auto header = tlog::parse_header(ByteSpan(bytes).first(count));
    const Error broken{
        ErrorCode::Corrupt,
        fmt::format("the frame at byte {} of {} changed: `taffrail verify` says more", offset,
                    url)};
    if (!header) {
        return broken;
    }
    bytes.resize(header->stored_bytes);
    TAFFRAIL_ASSIGN(const std::size_t stored,
                    file->read_at(offset + tlog::kFrameHeaderBytes, bytes));
    if (stored != bytes.size() || crc32c(bytes) != header->payload_crc) {
        return broken;
    }
    tlog::Decompressor decompressor;
    const auto view = payload_of(*header, bytes, decompressor, payload);
    if (!view) {
        return broken;
    }
    if (!header->compressed()) {
        payload = std::move(bytes);
    }
    return decoded.decode(*header, payload) ? Result<void>() : Result<void>(broken);
}

}  // namespace taffrail::store
