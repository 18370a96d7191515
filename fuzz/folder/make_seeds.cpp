// Turns folders into seeds and back.
//   make_seeds samples CORPUS    the seeds of run_folder, sealed_file and manifest that are made
//   here, below the kept corpora make_seeds FOLDER SEED       a run folder or logdir in its decoded
//   form make_seeds put SEED FOLDER   the way back, to look at a crash with the command
#include "cli/export/tensorboard.h"
#include "codec/parquet/reader.h"
#include "codec/value_codec.h"
#include "document.h"
#include "io/files.h"
#include "sample_run.h"
#include "store/run_check.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace {

using namespace taffrail;

const std::string kRoot = "memory://seeds", kAgain = "memory://again";

int fail(const std::string& why) {
    std::fprintf(stderr, "make_seeds: %s\n", why.c_str());
    return 1;
}

/// The same records come out of a folder that was taken apart and put together.
bool is_whole(const std::string& folder, std::uint64_t& records) {
    records = 0;
    const auto catalogue = read(folder);
    if (!catalogue.ok()) {
        return false;
    }
    for (const RunInfo& info : (*catalogue)->runs(true)) {
        const auto run = (*catalogue)->run(info.id);
        if (!run.ok() || !(*run)->for_each([&](const Record&) { return ++records != 0; }).ok() ||
            !(*run)->damage().empty()) {
            return false;
        }
    }
    return store::check_run_files(folder).empty();
}

int write_seed(const std::string& folder, const std::string& seed) {
    const Bytes bytes = fuzzing::serialise(fuzzing::take_apart(folder));
    const auto done = io::write_file_atomically(seed, bytes, false);
    return done.ok() ? 0 : fail(done.error().message);
}

int write_samples(const std::string& corpus) {
    struct Kept {
        std::string_view target, name;
        fuzzing::Sample sample;
    };

    using enum fuzzing::Sample;
    for (const Kept& kept : {Kept{"run_folder_fuzz", "live", Live},
                             {"run_folder_fuzz", "killed", Killed},
                             {"run_folder_fuzz", "sealed_and_logs", Both},
                             {"run_folder_fuzz", "deleted", Deleted},
                             {"run_folder_fuzz", "edges", Edges},
                             {"sealed_file_fuzz", "sealed", Sealed},
                             {"sealed_file_fuzz", "long", Long},
                             {"manifest_fuzz", "sealed", Sealed},
                             {"manifest_fuzz", "sealed_and_logs", Both}}) {
        (void)io::remove_tree(kRoot);
        (void)io::remove_tree(kAgain);
        const auto folder = fuzzing::write_sample(kRoot, kept.sample);
        if (!folder.ok()) {
            return fail(folder.error().message);
        }
        const std::string again = kAgain + "/runs/01FUZZ-run";
        fuzzing::put_together(fuzzing::take_apart(*folder), again);
        std::uint64_t before = 0, after = 0;
        if (!is_whole(*folder, before) || !is_whole(again, after) || before != after ||
            before == 0) {
            return fail(std::string(kept.name) + " is not the same run once put together again: " +
                        std::to_string(after) + " of " + std::to_string(before) + " records");
        }
        if (const int failed =
                write_seed(*folder, io::join(io::join(corpus, kept.target), kept.name))) {
            return failed;
        }
    }
    return 0;
}

/// A run as the sink writes it, and a logdir of other writers: every plugin's events (the seeds of
/// tensorboard_values_fuzz), a trace, files of a projector.
int write_logdir_seeds(const std::string& corpus) {
    (void)io::remove_tree(kRoot);
    const auto folder = fuzzing::write_sample(kRoot, fuzzing::Sample::Live);
    const auto catalogue = folder.ok() ? read(*folder) : folder.error();
    const auto run =
        catalogue.ok() ? (*catalogue)->run((*catalogue)->runs().front().id) : catalogue.error();
    if (!run.ok()) {
        return fail(run.error().message);
    }
    query::ExportRequest request;
    request.runs = {*run};
    request.attempts = Attempts::All;  // with the marks of later attempts
    const std::string logdir = kRoot + "/logdir", kept = io::join(corpus, "logdir_fuzz");
    if (auto done = cli::export_tensorboard(request, logdir, [](std::string_view) {}); !done.ok()) {
        return fail(done.error().message);
    }
    if (const int failed = write_seed(logdir, io::join(kept, "exported"))) {
        return failed;
    }
    fuzzing::FolderDocument others;
    fuzzing::FileDocument events{
        "train/events.out.tfevents.1700000000.here", fuzzing::Form::Events, {}};
    const std::string values = io::join(corpus, "tensorboard_values_fuzz");
    const auto seeds = io::list(values);
    for (const auto& seed : seeds.ok() ? *seeds : std::vector<io::DirectoryEntry>()) {
        if (auto payload = io::read_file(io::join(values, seed.name));
            payload.ok() && !seed.name.ends_with("_value")) {
            events.parts.push_back({fuzzing::PartKind::Record, 0, 0, *std::move(payload)});
        }
    }
    others.files.push_back(std::move(events));
    for (const auto& [name, text] : std::initializer_list<std::pair<const char*, std::string_view>>{
             {"train/plugins/profile/2026_01_01/here.pt.trace.json",
              R"({"traceEvents":[{"ph":"X","name":"step","ts":1,"dur":2,"pid":0,"tid":0}]})"},
             {"train/projector_config.pbtxt",
              "embeddings {\n  tensor_name: \"words\"\n  tensor_path: \"words.tsv\"\n"
              "  metadata_path: \"names.tsv\"\n  sprite { image_path: \"sprite.png\" "
              "single_image_dim: 2 single_image_dim: 2 }\n}\n"},
             {"train/words.tsv", "1\t2\t3\n4\t5\t6\n"},
             {"train/names.tsv", "a\nb\n"},
             {"train/sprite.png", "\x89PNG"}}) {
        const ByteSpan bytes = as_bytes(text);
        others.files.push_back({name,
                                fuzzing::Form::Raw,
                                {{fuzzing::PartKind::Bytes, 0, 0, {bytes.begin(), bytes.end()}}}});
    }
    const auto done = io::write_file_atomically(io::join(kept, "every_plugin"),
                                                fuzzing::serialise(others), false);
    return done.ok() ? 0 : fail(done.error().message);
}

int write_value_seeds(const std::string& corpus) {
    auto values = fuzzing::sample_values();
    // Frames as they are; in a run they become a film.
    auto frames = std::get<Video>(
        std::ranges::find(values, "video", [](const auto& each) { return each.first; })->second);
    frames.format = "frames";
    values.emplace_back("frames", frames);
    for (const auto& [key, value] : values) {
        const auto done = io::write_file_atomically(io::join(corpus, "value_fuzz/" + key),
                                                    encode_value(value), false);
        if (!done.ok()) {
            return fail(done.error().message);
        }
    }
    return 0;
}

/// parquet_fuzz takes what the first byte says: a whole file, an index, the content of a page.
int write_parquet_seeds(const std::string& corpus) {
    (void)io::remove_tree(kRoot);
    const auto folder = fuzzing::write_sample(kRoot, fuzzing::Sample::Sealed);
    if (!folder.ok()) {
        return fail(folder.error().message);
    }
    const auto keep = [&](const std::string& name, std::initializer_list<unsigned> head,
                          ByteSpan content) {
        Bytes bytes;
        for (const unsigned each : head) {
            bytes.push_back(static_cast<std::byte>(each));
        }
        append(bytes, content);
        return io::write_file_atomically(io::join(corpus, "parquet_fuzz/" + name), bytes, false);
    };
    for (const fuzzing::FileDocument& file : fuzzing::take_apart(*folder).files) {
        if (file.form != fuzzing::Form::Table) {
            continue;
        }
        const bool is_values = file.name.find("values") != std::string::npos;
        const std::string stem = is_values ? "values" : "scalars";
        const auto bytes = io::read_file(io::join(*folder, file.name));
        const auto reader = bytes.ok() ? parquet::Reader::open(*bytes) : bytes.error();
        if (!reader.ok() || !keep(stem + "_file", {0, 0}, *bytes).ok()) {
            return fail("cannot keep " + file.name);
        }
        for (const fuzzing::Part& part : file.parts) {
            if (part.kind == fuzzing::PartKind::Index) {
                (void)keep(stem + "_index", {2, 0}, part.content);
            }
            if (part.kind != fuzzing::PartKind::Page) {
                continue;
            }
            const auto& group = reader->metadata().row_groups.front();
            for (std::size_t i = 0; i < group.columns.size(); ++i) {
                const auto& chunk = group.columns[i];
                const auto first = static_cast<std::uint64_t>(chunk.dictionary_page_offset != 0
                                                                  ? chunk.dictionary_page_offset
                                                                  : chunk.data_page_offset);
                if (part.second < first ||
                    part.second >= first + static_cast<std::uint64_t>(chunk.compressed_bytes)) {
                    continue;
                }
                const parquet::Column& column = reader->metadata().columns[i];
                const unsigned type = column.type == parquet::Type::Int32    ? 0
                                      : column.type == parquet::Type::Int64  ? 1
                                      : column.type == parquet::Type::Double ? 2
                                                                             : 3;
                const auto encoding = static_cast<unsigned>((part.number >> 8) & 0xff);
                const auto values = static_cast<unsigned>(part.number >> 16 & 0xffff);
                const unsigned dictionary = part.number & 1 ? 16 : 0;
                const unsigned detail = type + 4 * static_cast<unsigned>(column.shape) + dictionary;
                (void)keep("page_" + std::to_string(detail) + "_" + std::to_string(encoding),
                           {5, detail, encoding, values & 0xff, values >> 8}, part.content);
            }
        }
    }
    return 0;
}

int put(const std::string& seed, const std::string& folder) {
    const auto bytes = io::read_file(seed);
    const auto document = bytes.ok() ? fuzzing::parse(*bytes) : std::nullopt;
    if (!document) {
        return fail(seed + " is no seed");
    }
    fuzzing::put_together(*document, folder);
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count == 4 && std::string_view(words[1]) == "put") {
        return put(words[2], words[3]);
    }
    if (count == 3 && std::string_view(words[1]) == "samples") {
        for (const auto& write :
             {write_samples, write_logdir_seeds, write_value_seeds, write_parquet_seeds}) {
            if (const int failed = write(words[2])) {
                return failed;
            }
        }
        return 0;
    }
    if (count == 3) {
        return write_seed(words[1], words[2]);
    }
    std::fprintf(
        stderr,
        "make_seeds samples CORPUS, make_seeds FOLDER SEED, or make_seeds put SEED FOLDER\n");
    return 2;
}
