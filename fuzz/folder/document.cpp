#include "document.h"

#include "codec/formats/tensorboard/framing.h"
#include "codec/tlog/frame_encoder.h"
#include "io/files.h"
#include "manifest_parts.h"
#include "store/frame_file.h"
#include "table_parts.h"

#include <functional>
#include <map>

namespace taffrail::fuzzing {
namespace {

constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostParts = 4096;

void take_files(const std::string& folder, const std::string& below, FolderDocument& document) {
    const auto entries = io::list(below.empty() ? folder : io::join(folder, below));
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        const std::string name = below.empty() ? entry.name : below + "/" + entry.name;
        if (entry.type == io::EntryType::Directory) {
            take_files(folder, name, document);
        } else {
            document.files.push_back({name, Form::Raw, {}});
        }
    }
}

std::vector<Part> take_frames_apart(const std::string& folder, const std::string& url) {
    std::vector<Part> parts;
    store::FrameFile file(folder, url);
    (void)file.poll(
        [&](const store::FrameFile::Frame& frame) {
            parts.push_back({PartKind::Frame,
                             static_cast<std::uint64_t>(frame.header.type),
                             (std::uint64_t{frame.header.rows} << 48) | frame.header.first_seq,
                             {frame.payload.begin(), frame.payload.end()}});
            return true;
        },
        [](const tlog::DamagedRange&) {});
    return parts;
}

std::vector<Part> take_events_apart(ByteSpan file) {
    std::vector<Part> parts;
    while (!file.empty()) {
        const formats::tensorboard::Scan scan = formats::tensorboard::scan_record(file);
        if (scan.status != formats::tensorboard::ScanStatus::Record) {
            parts.push_back({PartKind::Bytes, 0, 0, {file.begin(), file.end()}});
            break;
        }
        parts.push_back({PartKind::Record, 0, 0, {scan.payload.begin(), scan.payload.end()}});
        file = file.subspan(formats::tensorboard::kFrameBytes + scan.payload.size());
    }
    return parts;
}

bool is_manifest(std::string_view name) {
    return name.starts_with("manifest-");
}

bool is_log(std::string_view name) {
    return name.ends_with(".tlog") || is_manifest(name);
}

Bytes put_frames_together(const std::vector<Part>& parts) {
    Bytes file;
    tlog::FrameEncoder encoder;
    encoder.begin_file(4711 + parts.size());
    for (const Part& part : parts) {
        if (part.kind != PartKind::Frame) {
            append(file, part.content);
            continue;
        }
        encoder.append_frame(file,
                             encoder.store(static_cast<tlog::FrameType>(part.number), part.content,
                                           static_cast<std::uint32_t>(part.second >> 48),
                                           part.second & ((std::uint64_t{1} << 48) - 1)));
    }
    return file;
}

Bytes bytes_of(const FileDocument& file) {
    if (file.form == Form::Frames) {
        return put_frames_together(file.parts);
    }
    if (file.form == Form::Table) {
        return put_table_together(file.parts);
    }
    Bytes bytes;
    for (const Part& part : file.parts) {
        if (part.kind == PartKind::Record) {
            formats::tensorboard::append_record(bytes, part.content);
        } else {
            append(bytes, part.content);
        }
    }
    return bytes;
}

}  // namespace

Bytes serialise(const FolderDocument& folder) {
    Bytes to;
    append_varint(to, folder.files.size());
    for (const FileDocument& file : folder.files) {
        append_text(to, file.name);
        append(to, file.form);
        append_varint(to, file.parts.size());
        for (const Part& part : file.parts) {
            append(to, part.kind);
            append_varint(to, part.number);
            append_varint(to, part.second);
            append_varint(to, part.content.size());
            append(to, part.content);
        }
    }
    return to;
}

std::optional<FolderDocument> parse(ByteSpan bytes) {
    ByteCursor from(bytes);
    FolderDocument folder;
    const std::uint64_t files = from.varint();
    if (files > kMostFiles) {
        return std::nullopt;
    }
    for (std::uint64_t i = 0; i < files && from.ok(); ++i) {
        FileDocument file;
        file.name = from.text();
        file.form = from.read<Form>();
        const std::uint64_t parts = from.varint();
        if (parts > kMostParts) {
            return std::nullopt;
        }
        for (std::uint64_t j = 0; j < parts && from.ok(); ++j) {
            Part part;
            part.kind = from.read<PartKind>();
            part.number = from.varint();
            part.second = from.varint();
            const ByteSpan content = from.take(from.varint());
            part.content.assign(content.begin(), content.end());
            file.parts.push_back(std::move(part));
        }
        folder.files.push_back(std::move(file));
    }
    if (!from.ok()) {
        return std::nullopt;
    }
    return folder;
}

FolderDocument take_apart(const std::string& folder) {
    FolderDocument document;
    take_files(folder, "", document);
    for (FileDocument& file : document.files) {
        const std::string url = io::join(folder, file.name);
        const std::string_view name = std::string_view(file.name).substr(file.name.rfind('/') + 1);
        auto bytes = io::read_file(url);
        if (!bytes.ok()) {
            continue;
        }
        if (is_log(name)) {
            file.form = Form::Frames;
            file.parts = take_frames_apart(folder, url);
            if (is_manifest(file.name)) {
                forget_checksums(file);
            }
        } else if (name.ends_with(".parquet")) {
            file.form = Form::Table;
            file.parts = take_table_apart(*bytes);
        } else if (name.find("tfevents") != std::string_view::npos) {
            file.form = Form::Events;
            file.parts = take_events_apart(*bytes);
        } else {
            file.parts.push_back({PartKind::Bytes, 0, 0, *std::move(bytes)});
        }
    }
    return document;
}

void put_together(const FolderDocument& document, const std::string& folder) {
    const auto write = [&](const FileDocument& file, const Bytes& bytes) {
        const std::string url = io::join(folder, file.name);
        // The name of a file as a folder: a real disk could not hold it either.
        if (io::make_directories(io::parent(url)).ok()) {
            (void)io::write_file_atomically(url, bytes, false);
        }
    };
    std::map<std::string, Bytes, std::less<>> others;
    for (const FileDocument& file : document.files) {
        if (!is_manifest(file.name)) {
            write(file, others[file.name] = bytes_of(file));
        }
    }
    for (FileDocument file : document.files) {
        if (is_manifest(file.name)) {
            fill_in_checksums(file, [&](std::string_view name) -> const Bytes* {
                const auto found = others.find("data/" + std::string(name));
                return found == others.end() ? nullptr : &found->second;
            });
            write(file, bytes_of(file));
        }
    }
}

}  // namespace taffrail::fuzzing
