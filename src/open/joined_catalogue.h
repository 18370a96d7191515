// Several catalogues under names: what `name1:path1,name2:path2` opens.
#pragma once

#include <taffrail/reader.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::open {

/// Ids and names of every run get "name/" in front, everywhere: in the list, in the run itself and
/// in what refresh() returns, so that runs of two parts never share one. The run that is a part's
/// own folder (id ".") is called as the part. run() also takes what a part calls its run, as long
/// as only one part knows it. Names must be there and differ: name_parts() sees to that.
std::shared_ptr<Catalogue> join_catalogues(
    std::vector<std::pair<std::string, std::shared_ptr<Catalogue>>> parts);

/// Gives (name, path) pairs without a name that of the folder, told apart by a number where it is
/// taken. Two that were given the same name are an error.
Result<void> name_parts(std::vector<std::pair<std::string, std::string>>& parts);

}  // namespace taffrail::open
