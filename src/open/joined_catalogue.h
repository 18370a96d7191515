// Several catalogues under names: what `name1:path1,name2:path2` opens.
#pragma once

#include <taffrail/reader.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace taffrail {

/// Run names get "name/" in front; ids stay as they are unless two parts have the same one, which
/// then get it too.
std::shared_ptr<Catalogue> join_catalogues(
    std::vector<std::pair<std::string, std::shared_ptr<Catalogue>>> parts);

}  // namespace taffrail
