#include "seal/seal.h"

#include "base/names.h"
#include "base/sha256.h"
#include "base/try.h"
#include "codec/tlog/decode.h"
#include "io/files.h"
#include "seal/file_check.h"
#include "seal/log_frames.h"
#include "seal/portions.h"
#include "seal/rest_log.h"
#include "seal/scalar_sorter.h"
#include "seal/seen_rows.h"
#include "seal/values_table.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace taffrail::seal {
namespace {

struct LogInput {
    std::string path;
    tlog::FileIdentity identity;
    std::uint64_t nonce = 0;
    /// It begins with a checkpoint: no frame of it may stand in an earlier log as well.
    bool stands_alone = false;
};

std::string hex16(std::uint64_t value) {
    std::uint8_t bytes[8];
    for (unsigned i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::uint8_t>(value >> (56 - 8 * i));
    }
    return to_hex(bytes);
}

/// Reads who wrote each log and puts them into log order: attempts, ranks, writers, file numbers.
Result<std::vector<LogInput>> order_logs(std::span<const std::string> paths) {
    std::vector<LogInput> inputs;
    for (const std::string& path : paths) {
        std::optional<LogInput> input;
        // The header is the first frame; an error code stops the walk right behind the second.
        const auto scan = for_each_frame(
            path, [&](const tlog::FrameHeader& header, ByteSpan payload) -> Result<void> {
                if (!input && header.type == tlog::FrameType::Header) {
                    if (auto identity = tlog::decode_identity(payload)) {
                        input = LogInput{path, *std::move(identity), header.nonce};
                        return {};
                    }
                } else if (input) {
                    input->stands_alone = header.type == tlog::FrameType::Checkpoint;
                }
                return Error{ErrorCode::Closed, "seen enough"};
            });
        if (!scan.ok() && scan.error().code != ErrorCode::Closed) {
            return scan.error();
        }
        if (!input) {
            return Error{ErrorCode::Corrupt,
                         "cannot seal " + path + ": it does not begin with a log's header"};
        }
        inputs.push_back(*std::move(input));
    }
    const auto place = [](const LogInput& input) {
        const tlog::FileIdentity& identity = input.identity;
        return std::tuple(identity.attempt, identity.rank, identity.start_time_ns, identity.writer,
                          identity.file_number);
    };
    std::sort(inputs.begin(), inputs.end(),
              [&](const LogInput& a, const LogInput& b) { return place(a) < place(b); });
    return inputs;
}

/// Names this set of logs: the same logs give the same names.
std::string suffix_of(std::span<const LogInput> inputs) {
    Bytes all;
    for (const LogInput& input : inputs) {
        append(all, input.identity.writer);
        append_varint(all, input.identity.file_number);
        append(all, input.nonce);
    }
    return to_hex(sha256(all)).substr(0, 8);
}

class Sealing {
  public:
    Sealing(std::string data_folder, std::string run_id, std::string suffix,
            const SealOptions& options)
        : folder_(std::move(data_folder)),
          run_id_(run_id),
          suffix_(suffix),
          options_(options),
          scalars_(folder_, std::move(run_id), std::move(suffix), options.table) {}

    Result<void> read(const LogInput& input) {
        const tlog::FileIdentity& identity = input.identity;
        Writer& writer = writers_[identity.writer];
        if (!writer.rest) {
            const std::string name = "rest-" + hex16(identity.writer) + "-" + suffix_ + ".tlog";
            files_.push_back({{temporary(name), name}, SealedFileInfo::Kind::Rest});
            TAFFRAIL_ASSIGN(writer.rest, RestLog::create(files_.back().file.temporary_path,
                                                         identity, input.nonce));
        }
        const RowWriter who{identity.writer, identity.attempt, identity.rank};
        TAFFRAIL_ASSIGN(
            const LogFileScan scan,
            for_each_frame(input.path, [&](const tlog::FrameHeader& header, ByteSpan payload) {
                return take_frame(writer, who, header, payload);
            }));
        report_.logs.push_back(
            {identity.writer, identity.file_number, scan.bytes, scan.damage.size(), input.path});
        return {};
    }

    Result<SealReport> finish() {
        TAFFRAIL_ASSIGN(std::vector<NewFile> scalar_files, scalars_.finish());
        for (NewFile& file : scalar_files) {
            files_.push_back({std::move(file), SealedFileInfo::Kind::Scalars});
        }
        if (values_) {
            TAFFRAIL_TRY(values_->finish());
            report_.values = values_->rows();
        }
        for (auto& [id, writer] : writers_) {
            TAFFRAIL_TRY(writer.rest->finish());
        }
        report_.points = scalars_.points();
        for (const File& file : files_) {
            TAFFRAIL_TRY(publish(file));
        }
        TAFFRAIL_TRY(io::sync_directory(folder_));
        std::sort(report_.files.begin(), report_.files.end(),
                  [](const SealedFileInfo& a, const SealedFileInfo& b) { return a.name < b.name; });
        return std::move(report_);
    }

    /// Leaves nothing half done behind.
    void abandon() {
        for (const File& file : files_) {
            static_cast<void>(io::remove(file.file.temporary_path));
        }
    }

  private:
    struct Writer {
        std::unordered_map<std::uint32_t, std::pair<std::string, Kind>> keys;
        std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> schemas;
        SeenRows seen;
        std::unique_ptr<RestLog> rest;
    };

    struct File {
        NewFile file;
        SealedFileInfo::Kind kind;
    };

    std::string temporary(const std::string& name) const {
        return folder_ + "/." + name + "." + std::to_string(random_u64()) + ".tmp";
    }

    static void learn(Writer& writer, std::span<const tlog::KeyDefinition> keys,
                      std::span<const tlog::SchemaDefinition> schemas) {
        for (const tlog::KeyDefinition& key : keys) {
            writer.keys[key.id] = {std::string(key.name), key.kind};
        }
        for (const tlog::SchemaDefinition& schema : schemas) {
            writer.schemas[schema.id] = schema.keys;
        }
    }

    Result<void> take_frame(Writer& writer, const RowWriter& who, const tlog::FrameHeader& header,
                            ByteSpan payload) {
        switch (header.type) {
            case tlog::FrameType::Header:
                return {};
            case tlog::FrameType::Batch:
                if (!batch_.decode(header, payload)) {
                    return Error{ErrorCode::Corrupt,
                                 "a batch with a good checksum does not decode"};
                }
                learn(writer, batch_.batch().keys, batch_.batch().schemas);
                TAFFRAIL_TRY(take_rows(writer, who, batch_.batch()));
                return writer.rest->add(batch_);
            case tlog::FrameType::Checkpoint:
                if (const auto checkpoint = tlog::decode_checkpoint(payload)) {
                    learn(writer, checkpoint->keys, checkpoint->schemas);
                }
                writer.rest->keep_checkpoint(payload);
                return {};
            case tlog::FrameType::End:
                writer.rest->keep_end(payload);
                return {};
        }
        return writer.rest->carry(header, payload);
    }

    /// Rows that count: not hidden, not seen in another file.
    std::span<const std::uint32_t> visible(const Writer& writer, const tlog::Axes& axes,
                                           bool all_new) {
        rows_.clear();
        for (std::uint32_t row = 0; row < axes.rows(); ++row) {
            if (!axes.route.empty() && (axes.route[row] & tlog::kHidden) != 0) {
                ++report_.hidden;
            } else if (!all_new && writer.seen.contains(axes.seq[row])) {
                ++report_.duplicates;
            } else {
                rows_.push_back(row);
            }
        }
        return rows_;
    }

    Result<void> take_rows(Writer& writer, const RowWriter& who, const tlog::Batch& batch) {
        std::uint64_t first = UINT64_MAX, end = 0, count = 0;
        const auto widen = [&](std::uint64_t seq) {
            first = std::min(first, seq);
            end = std::max(end, seq + 1);
            ++count;
        };
        for (const tlog::WideRows& wide : batch.wide) {
            std::for_each(wide.axes.seq.begin(), wide.axes.seq.end(), widen);
        }
        for (const tlog::LongRows& rows : batch.long_rows) {
            std::for_each(rows.axes.seq.begin(), rows.axes.seq.end(), widen);
        }
        for (const tlog::ValueRecord& value : batch.values) {
            widen(value.seq);
        }
        if (end == 0) {
            return {};
        }
        const bool all_new = writer.seen.is_new(first, end);
        for (const tlog::WideRows& wide : batch.wide) {
            std::vector<std::string_view> keys;
            for (const std::uint32_t id : writer.schemas[wide.schema]) {
                keys.push_back(writer.keys[id].first);
            }
            if (keys.size() != wide.columns.size()) {
                return Error{ErrorCode::Corrupt,
                             "a row uses a schema that no frame before it defines"};
            }
            TAFFRAIL_TRY(scalars_.add(who, keys, wide.axes, wide.columns,
                                      visible(writer, wide.axes, all_new)));
        }
        for (const tlog::LongRows& rows : batch.long_rows) {
            TAFFRAIL_TRY(take_lone(writer, who, rows, all_new));
        }
        for (const tlog::ValueRecord& value : batch.values) {
            if ((value.route & tlog::kHidden) != 0) {
                ++report_.hidden;
            } else if (!all_new && writer.seen.contains(value.seq)) {
                ++report_.duplicates;
            } else {
                TAFFRAIL_TRY(take_value(writer, who, value));
            }
        }
        note_seen(writer, batch, first, end, count);
        return {};
    }

    /// One note for rows without a hole between them, which is the rule.
    static void note_seen(Writer& writer, const tlog::Batch& batch, std::uint64_t first,
                          std::uint64_t end, std::uint64_t count) {
        if (end - first == count) {
            writer.seen.add(first, end);
            return;
        }
        const auto add = [&](std::uint64_t seq) { writer.seen.add(seq, seq + 1); };
        for (const tlog::WideRows& wide : batch.wide) {
            std::for_each(wide.axes.seq.begin(), wide.axes.seq.end(), add);
        }
        for (const tlog::LongRows& rows : batch.long_rows) {
            std::for_each(rows.axes.seq.begin(), rows.axes.seq.end(), add);
        }
        for (const tlog::ValueRecord& value : batch.values) {
            add(value.seq);
        }
    }

    Result<void> take_lone(Writer& writer, const RowWriter& who, const tlog::LongRows& rows,
                           bool all_new) {
        std::map<std::uint32_t, std::vector<std::uint32_t>> by_key;
        for (const std::uint32_t row : visible(writer, rows.axes, all_new)) {
            by_key[rows.key[row]].push_back(row);
        }
        for (const auto& [id, places] : by_key) {
            TAFFRAIL_TRY(
                scalars_.add(who, {writer.keys[id].first}, rows.axes, {&rows.value, 1}, places));
        }
        return {};
    }

    Result<void> take_value(Writer& writer, const RowWriter& who, const tlog::ValueRecord& value) {
        if (!values_) {
            const std::string name = "values-" + suffix_ + ".parquet";
            files_.push_back({{temporary(name), name}, SealedFileInfo::Kind::Values});
            TAFFRAIL_ASSIGN(values_, ValuesTableWriter::create(files_.back().file.temporary_path,
                                                               run_id_, options_.table.profile));
        }
        return values_->add(who, writer.keys[value.key].first, value);
    }

    // In windows: a sealed file may be larger than the memory of the machine.
    Result<void> publish(const File& file) {
        SealedFileInfo info{file.file.name, file.kind, file.file.bytes, file.file.rows, 0};
        if (file.file.crc) {
            info.crc = *file.file.crc;
            info.crc_is_known = true;
        } else {
            TAFFRAIL_TRY(measure(file.file.temporary_path, info));
        }
        const std::string path = folder_ + "/" + file.file.name;
        if (io::exists(path) && is_whole(path, info)) {
            TAFFRAIL_TRY(io::remove(file.file.temporary_path));
        } else {
            // A damaged or half-copied file of that name goes, and so does a link or a pipe, for
            // renaming follows no link: the fresh one was verified a moment ago.
            TAFFRAIL_TRY(io::rename(file.file.temporary_path, path));
        }
        if (file.kind == SealedFileInfo::Kind::Values) {
            info.rows = values_->rows();
        }
        report_.files.push_back(std::move(info));
        return {};
    }

    std::string folder_, run_id_, suffix_;
    SealOptions options_;
    ScalarSorter scalars_;
    std::unique_ptr<ValuesTableWriter> values_;
    std::map<std::uint64_t, Writer> writers_;
    std::vector<File> files_;
    tlog::DecodedBatch batch_;
    std::vector<std::uint32_t> rows_;
    SealReport report_;
};

}  // namespace

Result<std::vector<std::vector<std::string>>> portion_logs(std::span<const std::string> logs,
                                                           std::uint64_t bytes) {
    TAFFRAIL_ASSIGN(const std::vector<LogInput> inputs, order_logs(logs));
    std::vector<std::vector<std::string>> portions;
    std::uint64_t taken = 0;
    for (const LogInput& input : inputs) {
        if (portions.empty() || (taken >= bytes && input.stands_alone)) {
            portions.emplace_back();
            taken = 0;
        }
        TAFFRAIL_ASSIGN(const io::FileInfo info, io::stat(input.path));
        taken += info.size;
        portions.back().push_back(input.path);
    }
    return portions;
}

Result<SealReport> seal_run(const std::string& run_folder, std::span<const std::string> logs,
                            const SealOptions& options) {
    if (logs.empty()) {
        return SealReport{};
    }
    TAFFRAIL_ASSIGN(const std::vector<LogInput> inputs, order_logs(logs));
    const std::string data = run_folder + "/data";
    TAFFRAIL_TRY(io::make_directories(data));
    Sealing sealing(data, inputs.front().identity.run_id, suffix_of(inputs), options);
    const auto work = [&]() -> Result<SealReport> {
        for (const LogInput& input : inputs) {
            TAFFRAIL_TRY(sealing.read(input));
        }
        return sealing.finish();
    };
    Result<SealReport> report = work();
    if (!report.ok()) {
        sealing.abandon();
    }
    return report;
}

}  // namespace taffrail::seal
