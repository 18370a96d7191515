// The names behind the numbers in a writer's rings: `<writer>.keys`, appended to when a key or
// schema is first used and before any ring entry names it, so that rings can be read after the
// process died.
//
// The file is also the writer's sign of life: its process holds the lock of it from open to finish.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "io/file.h"
#include "record/identity.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::record {

/// Key and schema numbers are dense from 1. A schema of width 1 is a lone scalar.
struct Definitions {
    struct Key {
        std::uint32_t id = 0;
        Kind kind = Kind::Scalar;
        std::string name;
    };

    struct Schema {
        std::uint32_t id = 0;
        std::vector<std::uint32_t> keys;
    };

    WriterIdentity identity;
    std::vector<Key> keys;
    std::vector<Schema> schemas;
};

/// Finds what a number in a ring means. The pointers stay valid as long as the source.
class DefinitionSource {
  public:
    virtual ~DefinitionSource() = default;
    [[nodiscard]] virtual const Definitions::Key* find_key(std::uint32_t id) const = 0;
    [[nodiscard]] virtual const Definitions::Schema* find_schema(std::uint32_t id) const = 0;
};

class DefinitionsFile {
  public:
    /// Makes and locks `<folder>/<writer>.keys`.
    static Result<std::unique_ptr<DefinitionsFile>> create(const std::string& folder,
                                                           const WriterIdentity& identity);

    /// One write; in the page cache when it returns.
    Result<void> append(std::span<const Definitions::Key> keys,
                        std::span<const Definitions::Schema> schemas);

    [[nodiscard]] const std::string& path() const noexcept { return file_->path(); }

  private:
    std::unique_ptr<io::File> file_;
};

/// Reads such a file as far as it is whole: a killed process may leave half an entry at the end.
Result<Definitions> read_definitions(const std::string& path);

/// `<folder>/<writer>.keys`.
std::string definitions_path(const std::string& folder, std::uint64_t writer);

}  // namespace taffrail::record
