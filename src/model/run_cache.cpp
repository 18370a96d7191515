#include "model/run_cache.h"

#include "base/bytes.h"
#include "base/sha256.h"
#include "codec/tlog/meta.h"
#include "io/user_folders.h"
#include "model/cache_file.h"

#include <filesystem>

namespace taffrail::model {
namespace {

constexpr std::string_view kMagic = "TRC1";
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

void append_cells(Bytes& to, const Hparams& cells) {
    append_varint(to, cells.size());
    for (const auto& [name, cell] : cells) {
        append_text(to, name);
        tlog::append_cell(to, cell);
    }
}

void append_texts(Bytes& to, const std::vector<std::string>& texts) {
    append_varint(to, texts.size());
    for (const std::string& text : texts) {
        append_text(to, text);
    }
}

/// Every item has at least one byte, so a damaged count cannot ask for more memory than the file
/// has.
template <typename Take>
void take_items(ByteCursor& from, Take take) {
    for (std::uint64_t left = from.varint(); left > 0 && from.ok() && from.remaining() > 0;
         --left) {
        take();
    }
}

void append_info(Bytes& to, const RunInfo& info) {
    for (const std::string* text :
         {&info.id, &info.name, &info.project, &info.group, &info.job_type, &info.notes,
          &info.location, &info.source, &info.color, &info.message}) {
        append_text(to, *text);
    }
    append_texts(to, info.tags);
    to.push_back(static_cast<std::byte>(info.state));
    append_zigzag(to, info.start_time_ns);
    append_zigzag(to, info.end_time_ns);
    append_varint(to, info.attempts);
    append_zigzag(to, info.world_size);
    to.push_back(static_cast<std::byte>((info.archived ? 1 : 0) | (info.deleted ? 2 : 0)));
    append_cells(to, info.config);
    append_cells(to, Hparams(info.summary.begin(), info.summary.end()));
}

RunInfo take_info(ByteCursor& from) {
    RunInfo info;
    for (std::string* text :
         {&info.id, &info.name, &info.project, &info.group, &info.job_type, &info.notes,
          &info.location, &info.source, &info.color, &info.message}) {
        *text = from.text();
    }
    take_items(from, [&] { info.tags.emplace_back(from.text()); });
    info.state = static_cast<RunState>(from.read<std::byte>());
    info.start_time_ns = from.zigzag();
    info.end_time_ns = from.zigzag();
    info.attempts = static_cast<std::uint32_t>(from.varint());
    info.world_size = static_cast<std::int32_t>(from.zigzag());
    const auto flags = static_cast<unsigned>(from.read<std::byte>());
    info.archived = (flags & 1) != 0;
    info.deleted = (flags & 2) != 0;
    take_items(from, [&] {
        std::string name(from.text());
        info.config.emplace_back(std::move(name), tlog::read_cell(from));
    });
    take_items(from, [&] {
        std::string name(from.text());
        info.summary[std::move(name)] = tlog::read_cell(from);
    });
    return info;
}

}  // namespace

std::string run_cache_path(const std::string& root) {
    if (root.find("://") != std::string::npos) {
        return {};
    }
    const std::string folder = io::user_cache_folder();
    if (folder.empty()) {
        return {};
    }
    const std::string absolute = std::filesystem::absolute(root).lexically_normal().string();
    return folder + "/taffrail/catalogue/" + to_hex(sha256(as_bytes(absolute))).substr(0, 24) +
           ".runs";
}

std::vector<CachedRun> read_run_cache(const std::string& path) {
    const auto body = read_cache_file(path, kMagic, kMaxBytes);
    if (!body) {
        return {};
    }
    std::vector<CachedRun> runs;
    ByteCursor from(*body);
    take_items(from, [&] {
        CachedRun& run = runs.emplace_back();
        run.folder = from.text();
        take_items(from, [&] { run.fingerprint.push_back(from.read<std::uint64_t>()); });
        take_items(from, [&] { run.watched.emplace_back(from.text()); });
        run.info = take_info(from);
    });
    return from.ok() ? runs : std::vector<CachedRun>();
}

Result<void> write_run_cache(const std::string& path, std::span<const CachedRun> runs) {
    Bytes body;
    append_varint(body, runs.size());
    for (const CachedRun& run : runs) {
        append_text(body, run.folder);
        append_varint(body, run.fingerprint.size());
        for (const std::uint64_t number : run.fingerprint) {
            append(body, number);
        }
        append_texts(body, run.watched);
        append_info(body, run.info);
    }
    return write_cache_file(path, kMagic, body);
}

}  // namespace taffrail::model
