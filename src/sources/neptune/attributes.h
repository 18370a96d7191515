// Attributes of a Neptune run, as both of its programs have them, gathered as a run here.
#pragma once

#include "codec/formats/neptune/decode.h"
#include "codec/scaled_steps.h"
#include "model/gathered_run.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::neptune {

/// A file that lies in the folder of the run.
struct KnownFile {
    std::string folder, path;
    std::uint64_t size = 0;
};

/// Takes what was assigned and appended in order; finish() makes the content of it: steps may be
/// fractional there, and only all of them together tell how they become whole.
class Attributes {
  public:
    explicit Attributes(model::GatheredContent& to) : to_(to) {}

    void assign(std::string_view path, const formats::neptune::AttributeValue& value,
                std::int64_t time_ns);
    void append(std::string_view path, const formats::neptune::AttributeValue& value,
                std::optional<double> step, std::int64_t time_ns);
    void tag(std::string_view path, std::string_view tag, bool is_removed);
    /// A file of the run; a picture, a film, … by what it is.
    void append_file(std::string_view path, const KnownFile& file, std::optional<double> step,
                     std::int64_t time_ns);

    /// Where a file that an operation names lies; asked when the content is finished.
    std::map<std::string, KnownFile> files;

    void finish();

  private:
    struct Appended {
        double step = 0;
        std::int64_t time_ns = 0;
        formats::neptune::AttributeValue value;
        KnownFile file;
    };

    void file_value(const std::string& key, const Appended& point, Step step);

    model::GatheredContent& to_;
    std::map<std::string, formats::neptune::AttributeValue, std::less<>> assigned_;
    std::map<std::string, std::vector<Appended>, std::less<>> appended_;
    ScaledSteps steps_;
};

}  // namespace taffrail::sources::neptune
