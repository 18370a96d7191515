#include "sqlite/database.h"

#include "base/clock.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"

#include <utility>

namespace taffrail::sqlite {
namespace {

constexpr int kOk = 0, kBusy = 5, kLocked = 6, kReadOnly = 8, kIo = 10, kFull = 13, kCorrupt = 11,
              kCannotOpen = 14, kNotADatabase = 26, kRow = 100, kDone = 101;
constexpr int kOpenRead = 1, kOpenWrite = 2, kOpenCreate = 4, kOpenUri = 0x40;
constexpr int kBusyMilliseconds = 5000;
constexpr int kLimitLength = 0, kLargestValue = 1 << 28;

/// Tells the library to copy.
void (*transient())(void*) {
    return reinterpret_cast<void (*)(void*)>(static_cast<std::intptr_t>(-1));
}

ErrorCode code_of(int result) {
    switch (result & 0xFF) {
        case kBusy:
        case kLocked:
            return ErrorCode::Unavailable;
        case kReadOnly:
            return ErrorCode::PermissionDenied;
        case kFull:
            return ErrorCode::NoSpace;
        case kCorrupt:
        case kNotADatabase:
            return ErrorCode::Corrupt;
        case kIo:
        case kCannotOpen:
            return ErrorCode::Io;
        default:
            return ErrorCode::InvalidArgument;
    }
}

/// A path as the library's own kind of URL.
std::string url_of(std::string_view path, std::string_view query) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string url = "file:";
    for (const char c : path) {
        if (c == '%' || c == '?' || c == '#') {
            const auto byte = static_cast<unsigned char>(c);
            url += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        } else {
            url += c;
        }
    }
    return url + std::string(query);
}

/// The library opens what lies beside a file by its name alone: a named pipe would hold it for
/// ever, a link lead it elsewhere.
Result<void> check_companions(const std::string& path) {
    for (const std::string_view suffix : {"-journal", "-wal", "-shm"}) {
        const std::string beside = path + std::string(suffix);
        const auto info = io::stat(beside);
        if (io::is_link(beside) || (info.ok() && info->type != io::EntryType::File)) {
            return Error{ErrorCode::PermissionDenied,
                         beside + ": no ordinary file, so the database beside it is not opened"};
        }
    }
    return {};
}

/// The first bytes of a file; fewer where there are fewer.
Bytes head_of(const std::string& path) {
    constexpr std::size_t kHead = 20;
    auto file = io::open_inside(io::parent(path), path);
    Bytes head(kHead);
    const Result<std::size_t> read = file.ok() ? (*file)->read_at(0, head) : file.error();
    head.resize(read.ok() ? *read : 0);
    return head;
}

/// A file with a write-ahead log that nobody has open, and nobody had a moment ago: who only reads
/// it would leave an empty log beside it, unless the library is told that it does not change.
bool is_at_rest(const std::string& path) {
    constexpr std::size_t kReadVersion = 19;
    constexpr std::byte kWithLog{2};
    constexpr std::int64_t kAMinute = std::int64_t{60} * 1'000'000'000;
    const Bytes head = head_of(path);
    const auto info = io::stat(path);
    return head.size() > kReadVersion && head[kReadVersion] == kWithLog && info.ok() &&
           info->modified_ns < wall_time_ns() - kAMinute && !io::exists(path + "-wal") &&
           !io::exists(path + "-journal");
}

}  // namespace

bool is_database_file(const std::string& path) {
    constexpr std::string_view kMagic("SQLite format 3\0", 16);
    const auto info = io::stat(path);
    if (!info.ok() || info->type != io::EntryType::File || info->size < kMagic.size()) {
        return false;
    }
    const Bytes head = head_of(path);
    return as_text(head).starts_with(kMagic);
}

Statement::Statement(Statement&& other) noexcept
    : library_(other.library_),
      connection_(other.connection_),
      prepared_(std::exchange(other.prepared_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(connection_, other.connection_);
    std::swap(prepared_, other.prepared_);
    return *this;
}

Statement::~Statement() {
    library_->finalize(prepared_);
}

Statement& Statement::bind(int place, std::int64_t value) {
    library_->bind_whole(prepared_, place, value);
    return *this;
}

Statement& Statement::bind(int place, double value) {
    library_->bind_number(prepared_, place, value);
    return *this;
}

Statement& Statement::bind(int place, std::string_view text) {
    // A null pointer would be NULL, not the empty text.
    library_->bind_text(prepared_, place, text.empty() ? "" : text.data(),
                        static_cast<int>(text.size()), transient());
    return *this;
}

Statement& Statement::bind(int place, ByteSpan bytes) {
    library_->bind_blob(prepared_, place,
                        bytes.empty() ? static_cast<const void*>("") : bytes.data(),
                        static_cast<int>(bytes.size()), transient());
    return *this;
}

Statement& Statement::bind_null(int place) {
    library_->bind_null(prepared_, place);
    return *this;
}

Result<bool> Statement::step() {
    const int result = library_->step(prepared_);
    if (result == kRow || result == kDone) {
        return result == kRow;
    }
    return Error{code_of(result), library_->message(connection_)};
}

void Statement::reset() {
    library_->reset(prepared_);
}

Result<void> Statement::run() {
    const auto stepped = step();
    reset();
    if (!stepped.ok()) {
        return stepped.error();
    }
    return {};
}

Type Statement::type(int column) const {
    return static_cast<Type>(library_->type(prepared_, column));
}

std::int64_t Statement::whole(int column) const {
    return library_->whole(prepared_, column);
}

double Statement::number(int column) const {
    return library_->number(prepared_, column);
}

std::string_view Statement::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(library_->text(prepared_, column));
    return text == nullptr ? std::string_view()
                           : std::string_view(
                                 text, static_cast<std::size_t>(library_->size(prepared_, column)));
}

ByteSpan Statement::blob(int column) const {
    const auto* bytes = static_cast<const std::byte*>(library_->blob(prepared_, column));
    return bytes == nullptr
               ? ByteSpan()
               : ByteSpan(bytes, static_cast<std::size_t>(library_->size(prepared_, column)));
}

Result<Database> Database::open(const std::string& path, Mode mode) {
    TAFFRAIL_ASSIGN(const Library* const functions, library());
    const int flags = kOpenUri | (mode == Mode::Read    ? kOpenRead
                                  : mode == Mode::Write ? kOpenWrite
                                                        : kOpenWrite | kOpenCreate);
    if (mode == Mode::Read) {
        TAFFRAIL_TRY(check_companions(path));
    }
    // A log that nobody has open, in a folder where nothing may be written: the file as it is.
    constexpr std::string_view kAsItIs = "?immutable=1";
    const bool rests = mode == Mode::Read && is_at_rest(path);
    for (const std::string_view query : {rests ? kAsItIs : std::string_view(), kAsItIs}) {
        Connection* connection = nullptr;
        const int result =
            functions->open(url_of(path, query).c_str(), &connection, flags, nullptr);
        Database opened(*functions, connection, path);
        if (result != kOk) {
            if (mode == Mode::Read && query.empty() && io::exists(path)) {
                continue;
            }
            return Error{io::exists(path) ? code_of(result) : ErrorCode::NotFound,
                         path + ": " +
                             (connection != nullptr ? functions->message(connection)
                                                    : "cannot be opened by SQLite")};
        }
        functions->busy_timeout(connection, kBusyMilliseconds);
        if (mode != Mode::Read) {
            return opened;
        }
        functions->limit(connection, kLimitLength, kLargestValue);
        Result<void> asked = opened.run("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");
        if (asked.ok()) {
            // The file is looked at only now.
            asked = opened.run("SELECT count(*) FROM sqlite_master");
        }
        if (asked.ok()) {
            return opened;
        }
        if (!query.empty() || asked.error().code == ErrorCode::Corrupt) {
            return asked.error();
        }
    }
    return Error{ErrorCode::Internal, path + ": not opened"};
}

Database::Database(Database&& other) noexcept
    : library_(other.library_),
      connection_(std::exchange(other.connection_, nullptr)),
      path_(std::move(other.path_)) {}

Database& Database::operator=(Database&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(connection_, other.connection_);
    std::swap(path_, other.path_);
    return *this;
}

Database::~Database() {
    library_->close(connection_);
}

Result<Statement> Database::prepare(std::string_view sql) const {
    Prepared* prepared = nullptr;
    const int result = library_->prepare(connection_, sql.data(), static_cast<int>(sql.size()),
                                         &prepared, nullptr);
    if (result != kOk || prepared == nullptr) {
        return Error{code_of(result), path_ + ": " + library_->message(connection_)};
    }
    return Statement(*library_, connection_, prepared);
}

Result<void> Database::run(std::string_view sql) const {
    const std::string text(sql);
    for (const char* rest = text.c_str(); *rest != '\0';) {
        Prepared* prepared = nullptr;
        const int result = library_->prepare(connection_, rest, -1, &prepared, &rest);
        if (result != kOk) {
            return Error{code_of(result), path_ + ": " + library_->message(connection_)};
        }
        if (prepared == nullptr) {
            continue;  // only spaces
        }
        Statement statement(*library_, connection_, prepared);
        for (bool more = true; more;) {
            const auto stepped = statement.step();
            if (!stepped.ok()) {
                return Error{stepped.error().code, path_ + ": " + stepped.error().message};
            }
            more = *stepped;
        }
    }
    return {};
}

std::int64_t Database::last_row() const {
    return library_->last_row(connection_);
}

bool Database::has_table(std::string_view name) const {
    auto asked = prepare(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1 "
        "AND sql NOT LIKE 'CREATE VIRTUAL%'");
    if (!asked.ok()) {
        return false;
    }
    const auto found = asked->bind(1, name).step();
    return found.ok() && *found;
}

std::vector<std::string> Database::columns(std::string_view table) const {
    std::vector<std::string> names;
    auto asked = prepare("SELECT name FROM pragma_table_info(?1)");
    if (!asked.ok()) {
        return names;
    }
    asked->bind(1, table);
    for (auto row = asked->step(); row.ok() && *row; row = asked->step()) {
        names.emplace_back(asked->text(0));
    }
    return names;
}

}  // namespace taffrail::sqlite
