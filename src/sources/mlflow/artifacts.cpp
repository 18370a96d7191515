// The files of a run, as values: pictures of the image grid at their steps, the folders that our
// own sink makes as what they were, everything else as artifacts.
#include "base/strings.h"
#include "base/utf8.h"
#include "codec/capture.h"
#include "codec/formats/mlflow/names.h"
#include "codec/media_probe.h"
#include "io/files.h"
#include "io/inside.h"
#include "sources/mlflow/run_builder.h"

#include <algorithm>

namespace taffrail::sources::mlflow {

using namespace formats::mlflow;

namespace {

constexpr int kDeepest = 12;
constexpr std::size_t kMostFiles = 100'000;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;

struct FoundFile {
    std::string path;  ///< below the folder
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
};

void list_files(const std::string& root, const std::string& below, int depth,
                std::vector<FoundFile>& to) {
    const auto entries = io::list_inside(root, below.empty() ? root : io::join(root, below));
    if (!entries.ok() || depth > kDeepest) {
        return;
    }
    for (const io::DirectoryEntry& entry : *entries) {
        const std::string path = below.empty() ? entry.name : below + "/" + entry.name;
        if (to.size() >= kMostFiles) {
            return;
        }
        if (entry.type == io::EntryType::Directory && !io::is_link(io::join(root, path))) {
            list_files(root, path, depth + 1, to);
        } else if (entry.type == io::EntryType::File) {
            if (const auto info = io::stat_inside(root, io::join(root, path)); info.ok()) {
                to.push_back({path, info->size, info->modified_ns});
            }
        }
    }
}

Result<Value> picture(const std::string& root, const FoundFile& file, model::GatheredBlobs& blobs) {
    auto bytes = io::read_inside(root, io::join(root, file.path), kLargestFile);
    if (!bytes.ok()) {
        return bytes.error();
    }
    const auto info = probe_media(*bytes, file.path);
    if (!info.ok()) {
        return info.error();
    }
    const std::string path = io::join(root, file.path);
    return Value(Image{.format = info->format,
                       .dtype = info->bit_depth == 16 ? DType::U16 : DType::U8,
                       .width = info->width,
                       .height = info->height,
                       .channels = info->channels,
                       .images = {blobs.add(bytes->size(), [root, path] {
                           return io::read_inside(root, path, kLargestFile);
                       })}});
}

}  // namespace

void RunBuilder::artifacts(const std::string& folder) {
    std::vector<FoundFile> files;
    list_files(folder, "", 0, files);
    std::map<std::string, std::vector<FoundFile>> groups;
    for (const FoundFile& file : files) {
        const std::size_t slash = file.path.find('/');
        const std::string first = file.path.substr(0, slash);
        const std::string name = file.path.substr(file.path.rfind('/') + 1);
        const auto shown = first == "images" ? parse_image_name(name) : std::nullopt;
        if (shown) {
            if (!shown->is_thumbnail) {
                content_->values[repair_utf8(shown->key)].push_back(
                    {.kind = Kind::Image,
                     .step = shown->step,
                     .time_ns = shown->time_ms * 1'000'000,
                     .make = [folder, file](model::GatheredBlobs& blobs) {
                         return picture(folder, file, blobs);
                     }});
            }
            continue;
        }
        if (first == "console" && name.starts_with("part_")) {
            if (const auto bytes =
                    io::read_inside(folder, io::join(folder, file.path), std::uint64_t{64} << 20);
                bytes.ok()) {
                std::string_view text = as_text(*bytes);
                if (text.ends_with('\n')) {
                    text.remove_suffix(1);
                }
                for (const std::string_view line : split(text, '\n')) {
                    content_->console.push_back(
                        {.time_ns = content_->info.start_time_ns, .text = repair_utf8(line)});
                }
            }
            continue;
        }
        groups[slash == std::string::npos ? file.path : first].push_back(file);
    }
    for (auto& [name, group] : groups) {
        content_->values[repair_utf8(name)].push_back(
            {.kind = Kind::Artifact,
             .time_ns = content_->info.end_time_ns,
             .make = [folder, name, group](model::GatheredBlobs& blobs) -> Result<Value> {
                 Artifact artifact{.name = repair_utf8(name), .type = "mlflow", .version = "v0"};
                 for (const FoundFile& file : group) {
                     const std::string path = io::join(folder, file.path);
                     const std::string inside = file.path.starts_with(name + "/")
                                                    ? file.path.substr(name.size() + 1)
                                                    : file.path;
                     artifact.files.push_back(
                         {repair_utf8(inside), blobs.add(file.size, [folder, path] {
                              return io::read_inside(folder, path, kLargestFile);
                          })});
                 }
                 return Value(std::move(artifact));
             }});
    }
}

}  // namespace taffrail::sources::mlflow
