#include "store/manifest.h"

#include "base/clock.h"
#include "base/names.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/tlog/decode.h"
#include "codec/tlog/decode_items.h"
#include "codec/tlog/encode.h"
#include "codec/tlog/frame_encoder.h"
#include "codec/tlog/sections.h"
#include "io/files.h"
#include "io/inside.h"
#include "store/frame_file.h"
#include "store/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace taffrail::store {
namespace {

constexpr std::int64_t kMaxNumber = 1 << 30;  ///< what comes after the largest must fit as well
constexpr auto kManifestFrame = static_cast<tlog::FrameType>(5);

std::vector<std::uint32_t> numbers_of(const std::string& run_folder) {
    std::vector<std::uint32_t> numbers;
    const auto entries = io::list(run_folder);
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        if (entry.name.starts_with(kManifestPrefix)) {
            const auto number =
                parse_int(std::string_view(entry.name).substr(kManifestPrefix.size()));
            if (number && *number >= 0 && *number < kMaxNumber) {
                numbers.push_back(static_cast<std::uint32_t>(*number));
            }
        }
    }
    std::ranges::sort(numbers, std::greater<>());
    return numbers;
}

std::string url_of(const std::string& run_folder, std::uint32_t number) {
    return io::join(run_folder, fmt::format("{}{:05}", kManifestPrefix, number));
}

Bytes encode(const Manifest& manifest) {
    Bytes payload, body;
    append_varint(body, manifest.files.size());
    for (const seal::SealedFileInfo& file : manifest.files) {
        append_text(body, file.name);
        append(body, file.kind);
        append_varint(body, file.bytes);
        append_varint(body, file.rows);
        append(body, file.crc);
    }
    append_section(payload, tlog::Section::SealedFiles, body);
    body.clear();
    append_varint(body, manifest.logs.size());
    for (const seal::CoveredLog& log : manifest.logs) {
        append(body, log.writer);
        append_varint(body, log.file_number);
        append_varint(body, log.bytes);
        append_varint(body, log.damaged_ranges);
    }
    append_section(payload, tlog::Section::Watermarks, body);
    body.clear();
    append_zigzag(body, manifest.time_ns);
    append_section(payload, tlog::Section::Heartbeat, body);
    if (!manifest.profiles.empty()) {
        body.clear();
        append_varint(body, manifest.profiles.size());
        for (const ProfileFileInfo& file : manifest.profiles) {
            append_text(body, file.name);
            append_varint(body, file.bytes);
            append(body, file.crc);
        }
        append_section(payload, tlog::Section::Profiles, body);
    }
    return payload;
}

bool decode(ByteSpan payload, Manifest& manifest) {
    bool good = true;
    const bool divided = tlog::for_each_section(payload, [&](tlog::Section tag, ByteSpan body) {
        ByteCursor from(body);
        if (tag == tlog::Section::SealedFiles) {
            tlog::decode_list(from, manifest.files, [](ByteCursor& item) {
                seal::SealedFileInfo file;
                file.name = item.text();
                file.kind = item.read<seal::SealedFileInfo::Kind>();
                file.bytes = item.varint();
                file.rows = item.varint();
                file.crc = item.read<std::uint32_t>();
                return file;
            });
            // Names become paths; one that is more than a name is no file of ours.
            good = good && std::ranges::all_of(manifest.files, [](const auto& file) {
                       return io::is_plain_name(file.name) &&
                              file.kind <= seal::SealedFileInfo::Kind::Rest;
                   });
        } else if (tag == tlog::Section::Watermarks) {
            tlog::decode_list(from, manifest.logs, [](ByteCursor& item) {
                seal::CoveredLog log;
                log.writer = item.read<std::uint64_t>();
                log.file_number = static_cast<std::uint32_t>(item.varint());
                log.bytes = item.varint();
                log.damaged_ranges = item.varint();
                return log;
            });
        } else if (tag == tlog::Section::Heartbeat) {
            manifest.time_ns = from.zigzag();
        } else if (tag == tlog::Section::Profiles) {
            tlog::decode_list(from, manifest.profiles, [](ByteCursor& item) {
                ProfileFileInfo file;
                file.name = item.text();
                file.bytes = item.varint();
                file.crc = item.read<std::uint32_t>();
                return file;
            });
            good = good && std::ranges::all_of(manifest.profiles, [](const auto& file) {
                       return io::is_plain_name(file.name);
                   });
        }
        good = good && from.ok();
    });
    return divided && good;
}

}  // namespace

namespace {

// `whole`, when asked for: every byte of the file is as it was written.
std::optional<Manifest> read_one(const std::string& run_folder, std::uint32_t number,
                                 bool* whole = nullptr) {
    std::optional<Manifest> found;
    bool damaged = false, described = false;
    FrameFile file(run_folder, url_of(run_folder, number));
    const auto polled = file.poll(
        [&](const FrameFile::Frame& frame) {
            Manifest manifest;
            manifest.number = number;
            if (frame.header.type == kManifestFrame && decode(frame.payload, manifest)) {
                found = std::move(manifest);
            } else if (frame.header.type == tlog::FrameType::Header) {
                described = tlog::decode_identity(frame.payload).has_value();
            } else {
                damaged = true;
            }
            return true;
        },
        [&damaged](const tlog::DamagedRange&) { damaged = true; });
    if (whole != nullptr) {
        *whole = polled.ok() && found && described && !damaged && file.offset() == file.size();
    }
    return found;
}

/// Sealed files have their names only once they are complete, so what is there counts.
void add_files_found(const std::string& run_folder, Manifest& manifest) {
    const std::string folder = io::join(run_folder, kDataFolder);
    const auto entries = io::list_inside(run_folder, folder);
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        const bool listed = std::ranges::find(manifest.files, entry.name,
                                              &seal::SealedFileInfo::name) != manifest.files.end();
        const auto info = io::stat_inside(run_folder, io::join(folder, entry.name));
        if (listed || entry.name.starts_with('.') || !info.ok()) {
            continue;
        }
        seal::SealedFileInfo file;
        file.name = entry.name;
        file.bytes = info->size;
        file.crc_is_known = false;
        if (writer_of_rest_log(entry.name)) {
            file.kind = seal::SealedFileInfo::Kind::Rest;
        } else if (entry.name.ends_with(".parquet")) {
            file.kind = entry.name.starts_with("values-") ? seal::SealedFileInfo::Kind::Values
                                                          : seal::SealedFileInfo::Kind::Scalars;
        } else {
            continue;
        }
        manifest.files.push_back(std::move(file));
    }
}

}  // namespace

std::optional<Manifest> read_manifest(const std::string& run_folder) {
    const std::vector<std::uint32_t> numbers = numbers_of(run_folder);
    for (const std::uint32_t number : numbers) {
        auto found = read_one(run_folder, number);
        if (found && number == numbers.front()) {
            return found;
        }
        if (found || number == numbers.back()) {
            Manifest manifest = found.value_or(Manifest{});
            manifest.number = numbers.front();
            manifest.unreadable = url_of(run_folder, numbers.front());
            add_files_found(run_folder, manifest);
            return manifest;
        }
    }
    return std::nullopt;
}

std::vector<std::string> damaged_manifests(const std::string& run_folder) {
    std::vector<std::string> damaged;
    for (const std::uint32_t number : numbers_of(run_folder)) {
        bool whole = false;
        (void)read_one(run_folder, number, &whole);
        if (!whole) {
            damaged.push_back(url_of(run_folder, number));
        }
    }
    return damaged;
}

Result<void> write_manifest(const std::string& run_folder, const std::string& run_id,
                            Manifest manifest) {
    ++manifest.number;
    manifest.time_ns = wall_time_ns();
    manifest.profiles = list_profile_files(run_folder);
    tlog::FileIdentity identity;
    identity.run_id = run_id;
    tlog::FrameEncoder encoder;
    encoder.begin_file(random_u64());
    Bytes payload, file;
    tlog::encode_identity(payload, identity);
    encoder.append_frame(file, encoder.store(tlog::FrameType::Header, payload, 0, 0));
    encoder.append_frame(file, encoder.store(kManifestFrame, encode(manifest), 0, 0));
    return io::write_new_file_atomically(url_of(run_folder, manifest.number), file);
}

std::vector<std::uint64_t> all_writers(const std::string& run_folder, const Manifest& manifest) {
    std::set<std::uint64_t> writers;
    for (const FileName& name : list_logs(run_folder)) {
        writers.insert(name.writer);
    }
    for (const seal::SealedFileInfo& file : manifest.files) {
        if (const auto writer = file.kind == seal::SealedFileInfo::Kind::Rest
                                    ? writer_of_rest_log(file.name)
                                    : std::nullopt) {
            writers.insert(*writer);
        }
    }
    return {writers.begin(), writers.end()};
}

}  // namespace taffrail::store
