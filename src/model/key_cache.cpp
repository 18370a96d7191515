#include "model/key_cache.h"

#include "codec/tlog/meta.h"
#include "model/cache_file.h"
#include "model/run_cache.h"

namespace taffrail::model {
namespace {

constexpr std::string_view kKeyMagic = "TRK2";
// A run of more keys is opened; a file of more than that would be slow to read itself.
constexpr std::size_t kMaxRunBytes = 256 << 10;
constexpr std::uint64_t kMaxFileBytes = 512u << 20;

void append_key(Bytes& to, const KeyInfo& key) {
    append_text(to, key.key);
    append(to, key.kind);
    append_varint(to, key.count);
    append_text(to, key.definition ? as_text(tlog::encode_metric_definition({}, *key.definition))
                                   : std::string_view());
    if (key.kind != Kind::Scalar) {
        return;
    }
    const SeriesSummary& scalar = key.scalar;
    for (const std::uint64_t count :
         {scalar.count, scalar.nan_count, scalar.positive_infinity_count,
          scalar.negative_infinity_count}) {
        append_varint(to, count);
    }
    for (const double number : {scalar.min, scalar.max, scalar.sum, scalar.last}) {
        append(to, number);
    }
    for (const std::int64_t number :
         {scalar.first_step, scalar.last_step, scalar.first_time_ns, scalar.last_time_ns}) {
        append_zigzag(to, number);
    }
}

KeyInfo take_key(ByteCursor& from) {
    KeyInfo key;
    key.key = from.text();
    key.kind = from.read<Kind>();
    key.count = from.varint();
    if (const std::string_view definition = from.text(); !definition.empty()) {
        auto definitions = tlog::decode_metric_definitions(as_bytes(definition));
        if (!definitions.empty()) {
            key.definition =
                std::make_shared<const MetricOptions>(std::move(definitions.front().options));
        }
    }
    if (key.kind != Kind::Scalar) {
        return key;
    }
    SeriesSummary& scalar = key.scalar;
    for (std::uint64_t* count : {&scalar.count, &scalar.nan_count, &scalar.positive_infinity_count,
                                 &scalar.negative_infinity_count}) {
        *count = from.varint();
    }
    for (double* number : {&scalar.min, &scalar.max, &scalar.sum, &scalar.last}) {
        *number = from.read<double>();
    }
    for (std::int64_t* number :
         {&scalar.first_step, &scalar.last_step, &scalar.first_time_ns, &scalar.last_time_ns}) {
        *number = from.zigzag();
    }
    return key;
}

}  // namespace

std::string KeyCache::path_for(const std::string& root) {
    const std::string runs = run_cache_path(root);
    return runs.empty() ? runs : runs.substr(0, runs.rfind('.')) + ".keys";
}

void KeyCache::read(const std::string& path) {
    auto body = read_cache_file(path, kKeyMagic, kMaxFileBytes);
    if (!body) {
        return;
    }
    body_ = *std::move(body);
    ByteCursor from(body_);
    for (std::uint64_t left = from.varint(); left > 0 && from.ok(); --left) {
        std::string folder(from.text());
        Entry entry;
        for (std::uint64_t& number : entry.fingerprint) {
            number = from.read<std::uint64_t>();
        }
        entry.keys = from.take(from.varint());
        if (from.ok()) {
            entries_[std::move(folder)] = entry;
        }
    }
}

std::optional<ByteSpan> KeyCache::find(const std::string& folder,
                                       const Fingerprint& fingerprint) const {
    const auto found = entries_.find(folder);
    return found != entries_.end() && found->second.fingerprint == fingerprint
               ? std::optional(found->second.keys)
               : std::nullopt;
}

std::vector<KeyInfo> KeyCache::decode(ByteSpan bytes) {
    std::vector<KeyInfo> keys;
    ByteCursor from(bytes);
    for (std::uint64_t left = from.varint(); left > 0 && from.ok() && from.remaining() > 0;
         --left) {
        keys.push_back(take_key(from));
    }
    return keys;
}

void KeyCache::add(const std::string& folder, const Fingerprint& fingerprint,
                   const std::vector<KeyInfo>& keys) {
    Bytes bytes;
    append_varint(bytes, keys.size());
    for (const KeyInfo& key : keys) {
        append_key(bytes, key);
        if (bytes.size() > kMaxRunBytes) {
            return;
        }
    }
    added_.push_back(std::move(bytes));
    entries_[folder] = {fingerprint, added_.back()};
}

Result<void> KeyCache::write(
    const std::string& path,
    const std::function<bool(const std::string& folder, const Fingerprint&)>& wanted) const {
    Bytes entries;
    std::uint64_t count = 0;
    for (const auto& [folder, entry] : entries_) {
        if (entries.size() + entry.keys.size() + folder.size() + 64 > kMaxFileBytes) {
            break;
        }
        if (wanted(folder, entry.fingerprint)) {
            append_text(entries, folder);
            for (const std::uint64_t number : entry.fingerprint) {
                append(entries, number);
            }
            append_varint(entries, entry.keys.size());
            append(entries, entry.keys);
            ++count;
        }
    }
    Bytes body;
    append_varint(body, count);
    append(body, entries);
    return write_cache_file(path, kKeyMagic, body);
}

}  // namespace taffrail::model
