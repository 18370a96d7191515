// Aim's objects as values.
#pragma once

#include "model/gathered_run.h"

#include <map>
#include <memory>
#include <string>

namespace taffrail::sources::aim {

/// The leaves of one object: keys are names joined with '/', numbers in decimal; the object itself
/// is "". Texts and bytes are kept apart from their type.
struct Leaves {
    std::map<std::string, std::string> encoded;  ///< as stored
    std::map<std::string, std::string> blobs;
};

Kind kind_of(const std::string& type);
Result<Value> value_of(const std::string& type, const Leaves& leaves, model::GatheredBlobs& blobs);

}  // namespace taffrail::sources::aim
