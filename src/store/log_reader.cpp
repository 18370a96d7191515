#include "store/log_reader.h"

#include "base/diagnostics.h"
#include "base/try.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "store/layout.h"
#include "store/spool_folder.h"

#include <fmt/core.h>

#include <algorithm>

namespace taffrail::store {
namespace {

// A chunk ends early when its media fills this much memory.
constexpr std::uint64_t kMaxChunkBytes = 32u << 20;

// A log lies in live/ of its run folder, or in live/ of the spool's.
std::string folder_of(const std::string& log) {
    return io::parent(io::parent(log));
}

}  // namespace

Result<std::unique_ptr<record::LogReader>> open_log_reader(const std::string& run_folder,
                                                           std::uint64_t writer,
                                                           const std::string& spool) {
    return std::unique_ptr<record::LogReader>(
        std::make_unique<StoreLogReader>(run_folder, writer, spool));
}

StoreLogReader::StoreLogReader(std::string run_folder, std::uint64_t writer, std::string spool)
    : run_folder_(std::move(run_folder)),
      spool_(spool.empty() ? std::move(spool) : spool_folder(spool, run_folder_)),
      writer_(writer),
      blobs_(run_folder_) {
    identity_.writer = writer;
}

std::string StoreLogReader::url_of(std::uint32_t number) const {
    const std::string name = log_name(writer_, number);
    std::string url = io::join(io::join(run_folder_, kLiveFolder), name);
    if (!spool_.empty() && !io::exists(url)) {
        std::string spooled = io::join(io::join(spool_, kLiveFolder), name);
        if (io::exists(spooled)) {
            return spooled;
        }
    }
    return url;
}

std::optional<std::uint32_t> StoreLogReader::next_file(std::uint32_t after) const {
    std::optional<std::uint32_t> next;
    for (const std::string& folder : {run_folder_, spool_}) {
        if (folder.empty()) {
            continue;
        }
        for (const FileName& name : list_logs(folder, writer_)) {
            if (name.number > after && (!next || name.number < *next)) {
                next = name.number;
            }
        }
    }
    return next;
}

// The frames a new file may repeat are those of the file before it.
void StoreLogReader::remember_frames(const std::string& url) {
    earlier_frames_.clear();
    bool ended = false;
    FrameFile file(folder_of(url), url);
    (void)file.poll(
        [&](const FrameFile::Frame& frame) {
            earlier_frames_.insert(
                {frame.header.first_seq, frame.header.rows, frame.header.payload_crc});
            ended = frame.header.type == tlog::FrameType::End;
            return true;
        },
        [](const tlog::DamagedRange&) {});
    if (ended) {
        earlier_frames_.clear();
    }
}

Result<void> StoreLogReader::open_file(std::uint32_t number, std::uint64_t offset) {
    std::optional<std::uint32_t> before;
    for (const FileName& name : list_logs(run_folder_, writer_)) {
        if (name.number < number) {
            before = name.number;
        }
    }
    earlier_frames_.clear();
    if (before) {
        remember_frames(url_of(*before));
    }
    number_ = number;
    current_.reset();
    const std::string url = url_of(number);
    file_.emplace(folder_of(url), url);
    TAFFRAIL_TRY(learn_definitions(offset));
    return file_->begin_at(offset);
}

Result<void> StoreLogReader::learn_definitions(std::uint64_t until) {
    if (until == 0) {
        return {};
    }
    FrameFile file(folder_of(url_of(*number_)), url_of(*number_));
    tlog::DecodedBatch decoded;
    const auto polled = file.poll(
        [&](const FrameFile::Frame& frame) {
            if (frame.offset >= until) {
                return false;
            }
            if (frame.header.type == tlog::FrameType::Header) {
                if (auto identity = tlog::decode_identity(frame.payload)) {
                    identity_ = *std::move(identity);
                }
            } else if (frame.header.type == tlog::FrameType::Checkpoint) {
                if (const auto checkpoint = tlog::decode_checkpoint(frame.payload)) {
                    definitions_.define(checkpoint->keys, checkpoint->schemas);
                    identity_ = checkpoint->identity;
                }
            } else if (frame.header.type == tlog::FrameType::Batch &&
                       decoded.decode(frame.header, frame.payload)) {
                definitions_.define(decoded.batch().keys, decoded.batch().schemas);
            }
            return true;
        },
        [](const tlog::DamagedRange&) {});
    return polled.ok() ? Result<void>() : Result<void>(polled.error());
}

void StoreLogReader::take_frame(const FrameFile::Frame& frame) {
    LoadedFrame& current = current_.emplace();
    current.offset = frame.offset;
    current.next_offset = frame.offset + frame.header.frame_bytes();
    current.type = frame.header.type;
    current.payload.assign(frame.payload.begin(), frame.payload.end());
    if (frame.header.type == tlog::FrameType::Header) {
        if (auto identity = tlog::decode_identity(current.payload)) {
            identity_ = *std::move(identity);
        }
    } else if (frame.header.type == tlog::FrameType::Checkpoint) {
        if (const auto checkpoint = tlog::decode_checkpoint(current.payload)) {
            definitions_.define(checkpoint->keys, checkpoint->schemas);
            identity_ = checkpoint->identity;
        }
        earlier_frames_.clear();  // repeats stand before the file's first checkpoint
    } else if (frame.header.type == tlog::FrameType::End) {
        current.end = tlog::decode_end(current.payload);
    } else if (frame.header.type == tlog::FrameType::Batch) {
        if (!current.decoded.decode(frame.header, current.payload)) {
            diagnose_once(
                DiagnosticLevel::Warning, "unreadable batch " + file_->url(),
                fmt::format("{} holds a batch at byte {} that cannot be decoded; it is skipped",
                            file_->url(), frame.offset));
            return;
        }
        definitions_.define(current.decoded.batch().keys, current.decoded.batch().schemas);
        if (!earlier_frames_.contains(
                {frame.header.first_seq, frame.header.rows, frame.header.payload_crc})) {
            order_rows(current.decoded.batch(), current.rows);
        }
    }
}

Result<bool> StoreLogReader::load_frame(std::uint64_t offset) {
    if (current_ && current_->offset == offset) {
        return true;
    }
    if (file_->offset() != offset) {
        TAFFRAIL_TRY(file_->begin_at(offset));
    }
    bool found = false;
    TAFFRAIL_TRY(file_->poll(
        [&](const FrameFile::Frame& frame) {
            take_frame(frame);
            found = true;
            return false;
        },
        [this](const tlog::DamagedRange& range) {
            diagnose_once(
                DiagnosticLevel::Warning, "damage " + file_->url(),
                fmt::format("{} is damaged at byte {} ({}); sinks miss rows {} to {}", file_->url(),
                            range.offset, range.reason, range.first_seq, range.end_seq));
        }));
    return found;
}

void StoreLogReader::load_blobs(Value& value, const tlog::ValueRecord& record) {
    for_each_blob(value, [&](Blob& blob) {
        const auto place =
            std::ranges::find_if(record.blobs, [&blob](const tlog::BlobPlace& candidate) {
                return candidate.ref.sha256 == blob.ref.sha256;
            });
        auto bytes =
            place != record.blobs.end() ? blobs_.load(*place, writer_) : blobs_.find(blob.ref);
        if (bytes.ok()) {
            if (auto sized = check_size(blob.ref, **bytes); !sized.ok()) {
                bytes = std::move(sized).error();
            }
        }
        if (bytes.ok()) {
            blob.bytes = *std::move(bytes);
        } else {
            diagnose_once(DiagnosticLevel::Warning, "blob " + run_folder_, bytes.error().message);
        }
    });
}

RecordPlace StoreLogReader::place_of(std::uint64_t within, RouteMask mask) const {
    const RecordPlace& next = current_->next;
    return next.mask == mask && next.within == within ? next : RecordPlace{.mask = mask};
}

// `within` counts the routed records of the frame, so that a position means the same to every
// reader with that mask.
void StoreLogReader::fill(Chunk& chunk, record::LogPosition from, RouteMask mask,
                          std::size_t max_records) {
    const tlog::Batch& batch = current_->decoded.batch();
    std::size_t possible = batch.values.size();
    for (const tlog::WideRows& rows : batch.wide) {
        possible += rows.axes.rows() * rows.columns.size();
    }
    for (const tlog::LongRows& rows : batch.long_rows) {
        possible += rows.axes.rows();
    }
    chunk.records.reserve(std::min(possible, max_records));
    const RecordPlace begin = place_of(from.within, mask);
    std::uint64_t number = begin.within;  // of the routed record
    std::uint64_t loaded = 0;
    std::size_t row = begin.row;
    bool full = false;
    auto wanted = [&](std::uint32_t route, std::size_t column = 0) {
        if ((route & mask) == 0 || number++ < from.within) {
            return false;
        }
        full = chunk.records.size() >= max_records || loaded >= kMaxChunkBytes;
        if (full) {
            current_->next = {from.within + chunk.records.size(), mask, row, column};
        }
        return !full;
    };
    for (; row < current_->rows.size() && !full; ++row) {
        const RowPlace& place = current_->rows[row];
        if (place.section == RowPlace::Section::Wide) {
            const tlog::WideRows& rows = batch.wide[place.index];
            const auto* members = definitions_.schema(rows.schema);
            for (std::size_t column = row == begin.row ? begin.column : 0;
                 column < rows.columns.size() && !full; ++column) {
                if (!wanted(route_of(rows.axes, place.row), column)) {
                    continue;
                }
                const LogState::Key* key = members != nullptr && column < members->size()
                                               ? definitions_.key((*members)[column])
                                               : nullptr;
                Record& record =
                    chunk.records.emplace_back(record_of(rows.axes, place.row, identity_));
                record.key = key != nullptr ? std::string_view(key->name) : std::string_view();
                record.scalar = rows.columns[column][place.row];
            }
        } else if (place.section == RowPlace::Section::Long) {
            const tlog::LongRows& rows = batch.long_rows[place.index];
            if (!wanted(route_of(rows.axes, place.row))) {
                continue;
            }
            const LogState::Key* key = definitions_.key(rows.key[place.row]);
            Record& record = chunk.records.emplace_back(record_of(rows.axes, place.row, identity_));
            record.key = key != nullptr ? std::string_view(key->name) : std::string_view();
            record.scalar = rows.value[place.row];
        } else {
            const tlog::ValueRecord& value = batch.values[place.index];
            if (!wanted(value.route)) {
                continue;
            }
            const LogState::Key* key = definitions_.key(value.key);
            Record& record = chunk.records.emplace_back(record_of(value, identity_));
            record.key = key != nullptr ? std::string_view(key->name) : std::string_view();
            auto decoded = decode_value(value.metadata);
            values_.push_back(decoded.ok() ? *std::move(decoded) : Value(Text{}));
            if (!decoded.ok()) {
                record.kind = Kind::Text;
            }
            load_blobs(values_.back(), value);
            for (const tlog::BlobPlace& blob : value.blobs) {
                loaded += blob.ref.size;
            }
            record.value = &values_.back();
        }
    }
    chunk.next = from;
    if (full) {
        chunk.next.within = from.within + chunk.records.size();
    } else {
        chunk.next.offset = current_->next_offset;
        chunk.next.within = 0;
    }
}

Result<record::LogReader::Chunk> StoreLogReader::read(record::LogPosition from, RouteMask mask,
                                                      std::size_t max_records) {
    values_.clear();
    Chunk chunk;
    chunk.start = from;
    chunk.next = from;
    while (true) {
        if (number_ != chunk.next.file_number) {
            if (!io::exists(url_of(chunk.next.file_number))) {
                const auto other = next_file(chunk.next.file_number);
                if (!other) {
                    return chunk;
                }
                chunk.next = {*other, 0, 0};
                continue;
            }
            TAFFRAIL_TRY(open_file(chunk.next.file_number, chunk.next.offset));
        }
        // Asked before the last look at the file: once a later one exists, this one is complete.
        const auto later = next_file(chunk.next.file_number);
        TAFFRAIL_ASSIGN(const bool found, load_frame(chunk.next.offset));
        if (!found) {
            if (!later) {
                chunk.start = chunk.next;
                return chunk;
            }
            chunk.next = {*later, 0, 0};
            continue;
        }
        // Damage in front of the frame may have moved it.
        chunk.start = {chunk.next.file_number, current_->offset, chunk.next.within};
        fill(chunk, chunk.start, mask, max_records);
        if (!chunk.records.empty()) {
            return chunk;
        }
    }
}

bool StoreLogReader::at_end(record::LogPosition at) {
    if (number_ != at.file_number && !open_file(at.file_number, at.offset).ok()) {
        return false;
    }
    if (current_ && current_->next_offset == at.offset) {
        return current_->end && current_->end->reason == tlog::EndReason::Finished;
    }
    bool finished = false;
    FrameFile file(folder_of(url_of(at.file_number)), url_of(at.file_number));
    (void)file.poll(
        [&](const FrameFile::Frame& frame) {
            if (frame.header.type == tlog::FrameType::End &&
                frame.offset + frame.header.frame_bytes() <= at.offset) {
                const auto end = tlog::decode_end(frame.payload);
                finished = end && end->reason == tlog::EndReason::Finished;
            }
            return true;
        },
        [](const tlog::DamagedRange&) {});
    return finished;
}

}  // namespace taffrail::store
