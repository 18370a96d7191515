// A recorded run as TensorBoard's data provider sees it: tags with a plugin and a data class.
#pragma once

#include <taffrail/reader.h>

#include "codec/formats/tensorboard/event.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::tb_data_server {

struct TagInfo {
    std::string tag;
    formats::tensorboard::Metadata metadata;  ///< plugin and data class always set
    std::string key;                          ///< the run's key behind it
    std::int64_t max_step = 0;
    double max_wall_time = 0;
    std::int64_t max_length = 0;  ///< blob sequences
};

/// All tags of a data class and plugin (empty: of every plugin), sorted by name.
std::vector<TagInfo> list_tags(const RecordedRun& run, formats::tensorboard::DataClass data_class,
                               std::string_view plugin);
/// Names of the plugins that have tags of a data class.
std::vector<std::string> plugins_of(const RecordedRun& run,
                                    formats::tensorboard::DataClass data_class);
/// The tag, if the run has it with this data class.
std::optional<TagInfo> find_tag(const RecordedRun& run, formats::tensorboard::DataClass data_class,
                                std::string_view plugin, std::string_view tag);

}  // namespace taffrail::tb_data_server
