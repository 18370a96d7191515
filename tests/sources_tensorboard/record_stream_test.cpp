// Damage: everything before and behind it is read, and the gap is stated to the byte.
#include "sources/tensorboard/record_stream.h"

#include "sources_tensorboard/logdir.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace taffrail::sources::tensorboard {
namespace {

struct ReadBack {
    std::vector<std::string> payloads;
    std::vector<DamagedRange> damage;
    Tail tail = Tail::Clean;
    std::uint64_t position = 0;
};

ReadBack read_back(const Bytes& bytes, std::uint64_t begin = 0, bool synchronise = false) {
    const std::string folder = testing::fresh_folder();
    EXPECT_TRUE(io::make_directories(folder).ok());
    const std::string path = io::join(folder, "f");
    EXPECT_TRUE(io::write_file_atomically(path, bytes, false).ok());
    auto file = io::open(path, io::OpenMode::Read).value();
    Bytes buffer;
    RecordStream stream(*file, begin, bytes.size(), bytes.size(), synchronise, buffer);
    ReadBack result;
    ByteSpan payload;
    while (stream.next(payload)) {
        result.payloads.emplace_back(as_text(payload));
    }
    result.damage = stream.damage();
    result.tail = stream.tail();
    result.position = stream.position();
    return result;
}

Bytes records(std::initializer_list<std::string_view> payloads) {
    Bytes bytes;
    for (std::string_view payload : payloads) {
        append_record(bytes, as_bytes(payload));
    }
    return bytes;
}

TEST(RecordStream, ReadsWholeFile) {
    const auto result = read_back(records({"one", "", "three"}));
    EXPECT_EQ(result.payloads, (std::vector<std::string>{"one", "", "three"}));
    EXPECT_TRUE(result.damage.empty());
    EXPECT_EQ(result.tail, Tail::Clean);
}

// A killed writer leaves half a record behind. That is a shorter file, not a damaged one.
TEST(RecordStream, StopsQuietlyAtRecordCutAnywhere) {
    const Bytes whole = records({"one", "two"});
    for (std::size_t size = whole.size() / 2 + 1; size < whole.size(); ++size) {
        const auto result =
            read_back(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
        EXPECT_EQ(result.payloads, std::vector<std::string>{"one"}) << size;
        EXPECT_TRUE(result.damage.empty());
        EXPECT_EQ(result.tail, Tail::Short);
        EXPECT_EQ(result.position, whole.size() / 2);
    }
}

TEST(RecordStream, BadPayloadCostsThatRecordOnly) {
    Bytes bytes = records({"first", "second", "third"});
    bytes[21 + 12] ^= std::byte{1};
    const auto result = read_back(bytes);
    EXPECT_EQ(result.payloads, (std::vector<std::string>{"first", "third"}));
    ASSERT_EQ(result.damage.size(), 1u);
    EXPECT_EQ(result.damage[0].offset, 21u);
    EXPECT_EQ(result.damage[0].length, 22u);
}

// Only the checksum of the length is wrong: the payload, just as long, proves that it is a record.
TEST(RecordStream, FindingO04_ARecordProvenByItsPayloadIsKept) {
    for (const bool is_last : {false, true}) {
        Bytes bytes =
            is_last ? records({"first", "second"}) : records({"first", "second", "third"});
        bytes[21 + 9] ^= std::byte{1};
        const auto result = read_back(bytes);
        EXPECT_EQ(result.payloads, is_last
                                       ? (std::vector<std::string>{"first", "second"})
                                       : (std::vector<std::string>{"first", "second", "third"}));
        ASSERT_EQ(result.damage.size(), 1u) << "the place is named all the same";
        EXPECT_EQ(result.damage[0].offset, 21u);
        EXPECT_EQ(result.damage[0].length, 22u);
        EXPECT_EQ(result.tail, Tail::Clean);
    }
}

TEST(RecordStream, FindsTheWayPastAnyLocalDamage) {
    const Bytes before = records({"before"}), after = records({"after", "last"});
    const Bytes junk(100, std::byte{0xAB}), zeros(5000);
    Bytes lost = records({"a record that loses a byte"});
    lost.erase(lost.begin() + 15);
    Bytes absurd;
    append(absurd, std::uint64_t{1} << 62);
    append(absurd, masked_crc32c(absurd));
    for (const Bytes& middle : {junk, zeros, lost, absurd, Bytes(1), Bytes(12)}) {
        Bytes file = before;
        append(file, ByteSpan(middle));
        append(file, ByteSpan(after));
        const auto result = read_back(file);
        EXPECT_EQ(result.payloads, (std::vector<std::string>{"before", "after", "last"}));
        ASSERT_EQ(result.damage.size(), 1u);
        EXPECT_EQ(result.damage[0].offset, before.size());
        EXPECT_EQ(result.damage[0].length, middle.size());
        EXPECT_EQ(result.tail, Tail::Clean);
    }
}

TEST(RecordStream, ZeroFilledTailIsPendingNotDamage) {
    Bytes file = records({"one"});
    const std::size_t end = file.size();
    file.resize(end + 100'000);
    const auto result = read_back(file);
    EXPECT_EQ(result.payloads.size(), 1u);
    EXPECT_TRUE(result.damage.empty());
    EXPECT_EQ(result.tail, Tail::Zeros);
    EXPECT_EQ(result.position, end);
}

TEST(RecordStream, AbsurdLengthAllocatesNothing) {
    for (std::uint64_t length :
         {std::uint64_t{1} << 40, (std::uint64_t{1} << 63) - 1, ~std::uint64_t{0}}) {
        Bytes file = records({"one"});
        Bytes header;
        append(header, length);
        append(header, masked_crc32c(header));
        append(file, ByteSpan(header));
        file.resize(file.size() + 50);
        const auto result = read_back(file);
        EXPECT_EQ(result.payloads.size(), 1u);
        EXPECT_EQ(result.tail, Tail::Short);
    }
}

TEST(RecordStream, RecordsLargerThanTheWindowComeWhole) {
    const std::string large(3 << 20, 'x');
    const auto result = read_back(records({"small", large, "end"}));
    ASSERT_EQ(result.payloads.size(), 3u);
    EXPECT_EQ(result.payloads[1].size(), large.size());
}

// The payload behind a header whose length fails its own checksum, when it proves the record.
std::optional<ByteSpan> proven_payload(ByteSpan bytes) {
    if (bytes.size() <= kFrameBytes) {
        return std::nullopt;
    }
    const auto length = load<std::uint64_t>(bytes.data());
    if (length == 0 || length > bytes.size() - kFrameBytes) {
        return std::nullopt;
    }
    const ByteSpan payload = bytes.subspan(kHeaderBytes, static_cast<std::size_t>(length));
    return masked_crc32c(payload) == load<std::uint32_t>(payload.data() + length)
               ? std::optional(payload)
               : std::nullopt;
}

// The plain way, in memory: at each place either a whole record or a search for the next one. Right
// behind a record a payload may prove the next.
std::vector<std::string> naive(const Bytes& bytes) {
    std::vector<std::string> payloads;
    std::size_t at = 0;
    bool expected = true;
    while (at < bytes.size()) {
        const ByteSpan rest = ByteSpan(bytes).subspan(at);
        const Scan scan = scan_record(rest);
        const auto proven = expected ? proven_payload(rest) : std::nullopt;
        expected = scan.status == ScanStatus::Record || proven;
        if (expected) {
            const ByteSpan payload = scan.status == ScanStatus::Record ? scan.payload : *proven;
            payloads.emplace_back(as_text(payload));
            at += payload.size() + kFrameBytes;
        } else {
            ++at;
        }
    }
    return payloads;
}

RC_GTEST_PROP(RecordStream, ReadsWhatTheNaiveReaderReads, ()) {
    Bytes file;
    const auto pieces = *rc::gen::inRange(0, 12);
    for (int i = 0; i < pieces; ++i) {
        const auto text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
        if (*rc::gen::inRange(0, 4) == 0) {
            append(file, as_bytes(text));
        } else {
            append_record(file, as_bytes(text));
        }
    }
    const auto flips = file.empty() ? 0 : *rc::gen::inRange(0, 3);
    for (int i = 0; i < flips; ++i) {
        file[*rc::gen::inRange<std::size_t>(0, file.size())] ^=
            static_cast<std::byte>(*rc::gen::inRange(1, 256));
    }
    const auto result = read_back(file);
    RC_ASSERT(result.payloads == naive(file));
    std::uint64_t covered = 0;
    for (const DamagedRange& range : result.damage) {
        const bool is_kept = std::string_view(range.reason).find("is kept") != std::string::npos;
        covered += is_kept ? 0 : range.length;
    }
    for (const std::string& payload : result.payloads) {
        covered += payload.size() + kFrameBytes;
    }
    RC_ASSERT(covered == result.position);
}

TEST(RecordStream, SynchronisesInTheMiddle) {
    const Bytes file = records({"one", "two", "three"});
    const auto result = read_back(file, 1, true);
    EXPECT_EQ(result.payloads, (std::vector<std::string>{"two", "three"}));
    EXPECT_TRUE(result.damage.empty());
}

}  // namespace
}  // namespace taffrail::sources::tensorboard
