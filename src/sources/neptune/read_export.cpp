// Parquet files of neptune-exporter: one row for each value, in parts of one run.
#include "base/utf8.h"
#include "codec/parquet/foreign_file.h"
#include "io/files.h"
#include "io/inside.h"
#include "sources/neptune/attributes.h"
#include "sources/neptune/read_run.h"

#include <algorithm>
#include <cmath>

namespace taffrail::sources::neptune {

using namespace formats::neptune;
using parquet::ForeignColumn;
using parquet::ForeignFile;
using parquet::ForeignLeaf;

namespace {

constexpr std::size_t kLongestAttribute = 4096;
/// Texts repeat for nothing in the file, but not in memory.
constexpr std::uint64_t kMostText = std::uint64_t{1} << 30;

/// One column of a row group, row by row.
class Column {
  public:
    Column() = default;

    Column(const ForeignLeaf& leaf, ForeignColumn column)
        : leaf_(leaf), column_(std::move(column)) {}

    /// Goes to the next row and tells where its values lie.
    void next_row() {
        first_ = value_;
        if (entry_ >= column_.entries) {
            return;
        }
        do {
            value_ += column_.definitions.empty() || column_.definitions[entry_] == leaf_.definition
                          ? 1
                          : 0;
            ++entry_;
        } while (entry_ < column_.entries && !column_.repetitions.empty() &&
                 column_.repetitions[entry_] != 0);
    }

    [[nodiscard]] std::size_t count() const noexcept { return value_ - first_; }

    [[nodiscard]] std::string_view text(std::size_t i = 0) const {
        return first_ + i < std::min(value_, column_.words.size())
                   ? std::string_view(column_.pool[column_.words[first_ + i]])
                   : std::string_view();
    }

    [[nodiscard]] std::optional<std::int64_t> whole() const {
        return first_ < std::min(value_, column_.whole.size())
                   ? std::optional(column_.whole[first_])
                   : std::nullopt;
    }

    [[nodiscard]] std::optional<double> number(std::size_t i = 0) const {
        return first_ + i < std::min(value_, column_.numbers.size())
                   ? std::optional(column_.numbers[first_ + i])
                   : std::nullopt;
    }

    /// A decimal, or any number.
    [[nodiscard]] std::optional<double> step() const {
        if (const auto unscaled = whole()) {
            return static_cast<double>(*unscaled) / std::pow(10.0, leaf_.scale);
        }
        return number();
    }

    [[nodiscard]] std::int64_t time_ns() const {
        constexpr std::int64_t kLatestMs = INT64_MAX / 1'000'000;
        const std::int64_t told = whole().value_or(0) / (leaf_.is_micros ? 1000 : 1);
        return std::clamp<std::int64_t>(told, 0, kLatestMs) * 1'000'000;
    }

  private:
    ForeignLeaf leaf_;
    ForeignColumn column_;
    std::size_t entry_ = 0, value_ = 0, first_ = 0;
};

class Export {
  public:
    Export(const std::string& folder, model::GatheredContent& to)
        : folder_(folder), to_(to), attributes_(to) {}

    void take(const std::string& path) {
        const auto info = io::stat_inside(folder_, path);
        auto opened = io::open_inside(folder_, path);
        if (!info.ok() || !opened.ok()) {
            to_.damaged(path, (info.ok() ? opened.error() : info.error()).message);
            return;
        }
        const auto file = ForeignFile::open(read_at(**opened), info->size);
        if (!file.ok()) {
            to_.damaged(path, file.error().message);
            return;
        }
        for (std::size_t group = 0; group < file->row_groups(); ++group) {
            if (const auto read = take_group(*file, group); !read.ok()) {
                to_.damaged(path,
                            "row group " + std::to_string(group) + ": " + read.error().message);
            }
        }
    }

    void finish() {
        attributes_.finish();
        to_.info.start_time_ns = created_ns_ != 0 ? created_ns_ : first_ns_;
        // An export is made of what had an end, or will never get one.
        to_.is_open_ended = false;
        to_.info.state = has_failed_ ? RunState::Failed : RunState::Finished;
    }

  private:
    static parquet::ReadAt read_at(io::File& file) {
        return [&file](std::uint64_t offset, std::uint64_t size) -> Result<Bytes> {
            Bytes bytes(static_cast<std::size_t>(size));
            const auto read = file.read_at(offset, bytes);
            if (!read.ok()) {
                return read.error();
            }
            if (*read != bytes.size()) {
                return Error{ErrorCode::Corrupt, "the file is cut short"};
            }
            return bytes;
        };
    }

    Result<void> take_group(const ForeignFile& file, std::size_t group) {
        constexpr std::string_view kNames[] = {"project_id",
                                               "run_id",
                                               "attribute_path",
                                               "attribute_type",
                                               "step",
                                               "timestamp",
                                               "int_value",
                                               "float_value",
                                               "string_value",
                                               "bool_value",
                                               "datetime_value",
                                               "string_set_value",
                                               "file_value.path",
                                               "histogram_value.type",
                                               "histogram_value.edges",
                                               "histogram_value.values"};
        std::vector<Column> columns(std::size(kNames));
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (const auto leaf = file.leaf(kNames[i])) {
                auto column = file.read(group, *leaf);
                if (!column.ok()) {
                    return column.error();
                }
                columns[i] = Column(file.leaves()[*leaf], *std::move(column));
            }
        }
        for (std::uint64_t row = 0; row < file.rows(group); ++row) {
            for (Column& column : columns) {
                column.next_row();
            }
            if (!take_row(columns)) {
                return Error{ErrorCode::Unsupported,
                             "more text than a run may have: the rest was left out"};
            }
        }
        return {};
    }

    bool take_row(const std::vector<Column>& row) {
        const std::string_view path = row[2].text(), type = row[3].text();
        if (path.empty() || path.size() > kLongestAttribute) {
            to_.info.project =
                to_.info.project.empty() ? repair_utf8(row[0].text()) : to_.info.project;
            return true;
        }
        text_ += path.size() + row[8].text().size();
        if (text_ > kMostText) {
            return false;
        }
        if (to_.info.project.empty()) {
            to_.info.project = repair_utf8(row[0].text());
        }
        if (!row[1].text().empty() && !has_id_) {
            has_id_ = true;
            to_.info.id = repair_utf8(row[1].text());
            to_.info.name = to_.info.id;
        }
        const std::int64_t time_ns = row[5].time_ns();
        if (time_ns != 0 && (first_ns_ == 0 || time_ns < first_ns_)) {
            first_ns_ = time_ns;
        }
        const std::optional<double> step = row[4].step();
        if (type.ends_with("_series") && type != "file_series") {
            append(row, path, type, step, time_ns);
        } else if (type == "file" || type == "file_series") {
            take_file(row, path, step, time_ns);
        } else if (type == "string_set") {
            take_set(row[11], path, time_ns);
        } else {
            assign(row, path, type, time_ns);
        }
        return true;
    }

    void append(const std::vector<Column>& row, std::string_view path, std::string_view type,
                std::optional<double> step, std::int64_t time_ns) {
        if (type == "float_series" && row[7].number()) {
            attributes_.append(path, *row[7].number(), step, time_ns);
        } else if (type == "string_series" && row[8].count() > 0) {
            attributes_.append(path, repair_utf8(row[8].text()), step, time_ns);
        } else if (type == "histogram_series" && row[14].count() > 0) {
            Histogram histogram;
            for (std::size_t i = 0; i < row[14].count(); ++i) {
                histogram.edges.push_back(row[14].number(i).value_or(0));
            }
            const bool is_density = row[13].text() == "DENSITY";
            for (std::size_t i = 0; i < row[15].count(); ++i) {
                const double value = row[15].number(i).value_or(0);
                const double width = i + 1 < histogram.edges.size()
                                         ? histogram.edges[i + 1] - histogram.edges[i]
                                         : 1;
                histogram.counts.push_back(is_density ? value * width : value);
            }
            text_ += 16 * row[14].count();
            if (histogram.counts.size() + 1 == histogram.edges.size()) {
                attributes_.append(path, std::move(histogram), step, time_ns);
            } else {
                to_.damaged(folder_, "a histogram of '" + repair_utf8(path) +
                                         "' whose counts do not fit its edges");
            }
        } else {
            unread(path, type);
        }
    }

    void take_file(const std::vector<Column>& row, std::string_view path,
                   std::optional<double> step, std::int64_t time_ns) {
        const std::string name(row[12].text());
        // The tree of files lies beside that of the data, with a folder for each project, or not.
        const std::string above = io::parent(io::parent(folder_));
        const std::string project = folder_.substr(folder_.rfind('/') + 1);
        const std::string files = io::join(above, "files");
        for (const std::string& root : {io::join(files, project), files}) {
            // A folder that came along may be a link to any other.
            const bool is_strange =
                name.empty() || name.starts_with('/') || io::is_link(files) || io::is_link(root);
            const auto info = is_strange ? Result<io::FileInfo>(Error{})
                                         : io::stat_inside(root, io::join(root, name));
            if (info.ok() && info->type == io::EntryType::File) {
                attributes_.append_file(path, {root, io::join(root, name), info->size}, step,
                                        time_ns);
                return;
            }
        }
        to_.damaged(repair_utf8(name), "a file of '" + repair_utf8(path) +
                                           "' does not lie in 'files' beside the exported data");
    }

    void take_set(const Column& column, std::string_view path, std::int64_t time_ns) {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < column.count(); ++i) {
            all.push_back(repair_utf8(column.text(i)));
            text_ += all.back().size();
            if (path.ends_with("tags")) {
                attributes_.tag(path, all.back(), false);
            }
        }
        if (path != "sys/tags" && path != "sys/group_tags") {
            attributes_.assign(path, std::move(all), time_ns);
        }
    }

    void assign(const std::vector<Column>& row, std::string_view path, std::string_view type,
                std::int64_t time_ns) {
        if (type == "int" && row[6].whole()) {
            attributes_.assign(path, *row[6].whole(), time_ns);
        } else if (type == "float" && row[7].number()) {
            attributes_.assign(path, *row[7].number(), time_ns);
        } else if (type == "string" && row[8].count() > 0) {
            attributes_.assign(path, repair_utf8(row[8].text()), time_ns);
        } else if (type == "bool" && row[9].whole()) {
            has_failed_ = has_failed_ || (path == "sys/failed" && *row[9].whole() != 0);
            attributes_.assign(path, *row[9].whole() != 0, time_ns);
        } else if (type == "datetime" && row[10].whole()) {
            created_ns_ = path == "sys/creation_time" ? row[10].time_ns() : created_ns_;
            attributes_.assign(path, row[10].time_ns() / 1'000'000, time_ns);
        } else if (type != "int" && type != "float" && type != "string" && type != "bool" &&
                   type != "datetime") {
            unread(path, type);
        }
        // The others are attributes that this run lacks: tables of many runs have a row for each.
    }

    void unread(std::string_view path, std::string_view type) {
        if (++unread_ <= 100) {
            to_.damaged(folder_, "'" + repair_utf8(path) + "': a value of type '" +
                                     repair_utf8(type) + "' that is not read");
        }
    }

    std::string folder_;
    model::GatheredContent& to_;
    Attributes attributes_;
    std::uint64_t text_ = 0;
    std::int64_t first_ns_ = 0, created_ns_ = 0;
    std::size_t unread_ = 0;
    bool has_id_ = false, has_failed_ = false;
};

}  // namespace

bool is_export(const std::string& file) {
    const auto info = io::stat_inside(io::parent(file), file);
    const auto opened = io::open_inside(io::parent(file), file);
    if (!info.ok() || !opened.ok()) {
        return false;
    }
    const auto read = ForeignFile::open(
        [&](std::uint64_t offset, std::uint64_t size) -> Result<Bytes> {
            Bytes bytes(static_cast<std::size_t>(size));
            const auto got = (*opened)->read_at(offset, bytes);
            return got.ok() && *got == bytes.size() ? Result<Bytes>(std::move(bytes))
                                                    : Error{ErrorCode::Corrupt, "cut short"};
        },
        info->size);
    return read.ok() && read->leaf("run_id") && read->leaf("attribute_path") &&
           read->leaf("attribute_type");
}

std::shared_ptr<model::GatheredContent> read_export(const std::vector<std::string>& parts,
                                                    const std::string& name) {
    auto content = std::make_shared<model::GatheredContent>();
    const std::string folder = io::parent(parts.front());
    content->info.source = "neptune";
    content->info.location = folder + "/" + name;
    content->info.id = content->info.name = name;
    content->files = parts;
    if (!parts.front().ends_with("_part_0.parquet")) {
        content->damaged(parts.front(), "its first part is missing: the export was not finished");
    }
    Export reading(folder, *content);
    for (const std::string& part : parts) {
        reading.take(part);
    }
    reading.finish();
    return content;
}

}  // namespace taffrail::sources::neptune
