// Where the batches of the training come from: the digits in a new order in every pass.
#pragma once

#include <taffrail/loader.h>

#include "digits.h"
#include "settings.h"

#include <cstdint>
#include <memory>

namespace vae_digits {

/// Pictures in columns.
struct PictureBatch {
    Eigen::MatrixXf pixels;
};

/// `batches` in a pass. With settings.workers the next one is made while this one is computed with;
/// the batches are the same. `data` must outlive the loader.
std::shared_ptr<taffrail::Loader> shuffled_batches(const Digits& data, std::int64_t batches,
                                                   const Settings& settings, std::uint64_t seed);

}  // namespace vae_digits

template <>
struct taffrail::BatchTraits<vae_digits::PictureBatch> {
    static void visit(BatchVisitor& visitor, const vae_digits::PictureBatch& batch) {
        visitor.tensor(batch.pixels.cols());
    }
};
