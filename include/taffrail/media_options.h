// What may be said about a picture, a sound, a histogram, an embedding or an artifact that is
// logged.
#pragma once

#include <taffrail/value.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace taffrail {

struct ImageOptions {
    std::string_view caption = {};
    std::span<const std::string> captions = {};  ///< one per image of a batch
};

struct HistogramOptions {
    std::size_t bins = 64;
};

struct MediaOptions {
    std::string_view caption = {};
};

struct EmbeddingOptions {
    const Table* metadata = nullptr;        ///< one row per vector
    const ImageView* thumbnails = nullptr;  ///< a batch, one per vector
};

struct ArtifactOptions {
    std::string_view type = "file";
    Hparams metadata = {};
};

}  // namespace taffrail
