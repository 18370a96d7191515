// Hyperparameters, which are flat here (`optimizer/lr`), as the nested settings of the tracker.
#pragma once

#include <taffrail/value.h>

#include "codec/formats/wandb/encode.h"

#include <set>
#include <string>
#include <vector>

namespace taffrail::sinks::wandb {

/// Remembers what is a value and what a group: a name that would be both stays flat, so that no
/// value pushes another one out.
class ConfigItems {
  public:
    std::vector<formats::wandb::Item> take(const Hparams& values);

  private:
    std::set<std::string, std::less<>> values_, groups_;
};

/// A cell as JSON; numbers that JSON lacks as text.
std::string json_of(const Cell& cell);

}  // namespace taffrail::sinks::wandb
