#include "codec/sst/table.h"

#include "base/crc32c.h"
#include "official.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace taffrail;

namespace {

struct Told {
    std::vector<std::string> entries, deleted;

    bool operator==(const Told&) const = default;
};

std::optional<Told> told_of(const Bytes& file, std::string_view prefix = {}) {
    auto table = sst::Table::open(
        [&](std::uint64_t offset, std::span<std::byte> to) {
            if (offset + to.size() > file.size()) {
                return false;
            }
            std::memcpy(to.data(), file.data() + offset, to.size());
            return true;
        },
        file.size(), 1'000'000, std::make_shared<sst::Scratch>());
    Told told;
    std::string before;
    const bool is_whole = table && table->scan(prefix, [&](const sst::Entry& entry) {
        EXPECT_LE(before, entry.key);
        EXPECT_LE(entry.shared, entry.key.size());
        EXPECT_EQ(before.substr(0, entry.shared), entry.key.substr(0, entry.shared));
        before = entry.key;
        told.entries.push_back(std::string(entry.key) + '=' + std::string(entry.value) + '#' +
                               std::to_string(entry.sequence) +
                               (entry.type == sst::EntryType::Deletion ? "-" : ""));
        return true;
    }) && table->deleted_ranges([&](const sst::DeletedRange& range) {
        told.deleted.push_back(std::string(range.begin) + '-' + std::string(range.end) + '#' +
                               std::to_string(range.sequence));
        return true;
    });
    return is_whole ? std::optional(told) : std::nullopt;
}

TEST(SstTable, TellsEverythingInOfficialFiles) {
    std::size_t entries = 0, deleted = 0;
    for (const std::string& path : test::official_files("seqs", "", ".sst")) {
        const auto told = told_of(test::bytes_of(path));
        ASSERT_TRUE(told) << path;
        entries += told->entries.size();
        deleted += told->deleted.size();
    }
    // 21 points of two metrics in four columns each; each was deleted before it was written, and so
    // was what might stand beside it. Beyond those stand marks of arrays and deleted ones.
    EXPECT_GT(entries, 21u * 2 * 4);
    EXPECT_GE(deleted, 21u * 2 * 4 * 2);
}

TEST(SstTable, APrefixGivesItsPart) {
    const Bytes file = test::bytes_of(test::official_files("seqs", "", ".sst").at(1));
    const auto all = told_of(file);
    ASSERT_TRUE(all);
    std::vector<std::string> prefixes{"a", "s", "seqs\xFE", "z", "BLOBS\xFE"};
    for (std::size_t i = 0; i < all->entries.size(); i += 9) {
        prefixes.push_back(all->entries[i].substr(0, all->entries[i].find('=') * 4 / 5));
    }
    for (const std::string& prefix : prefixes) {
        const auto part = told_of(file, prefix);
        ASSERT_TRUE(part);
        std::vector<std::string> expected;
        std::ranges::copy_if(all->entries, std::back_inserter(expected),
                             [&](const std::string& one) { return one.starts_with(prefix); });
        EXPECT_EQ(part->entries, expected) << prefix;
    }
}

TEST(SstTable, AChangedByteIsNoticedOrChangesNothing) {
    const Bytes whole = test::bytes_of(test::official_files("meta", "", ".sst").back());
    const auto told = told_of(whole);
    ASSERT_TRUE(told);
    std::size_t noticed = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        Bytes changed = whole;
        changed[at] ^= std::byte{0x41};
        const auto now = told_of(changed);
        EXPECT_TRUE(!now || *now == *told) << at;
        noticed += now ? 0 : 1;
    }
    EXPECT_GT(noticed, whole.size() * 9 / 10);
}

TEST(SstTable, ACutIsRefused) {
    const Bytes whole = test::bytes_of(test::official_files("meta", "", ".sst").back());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_FALSE(
            told_of(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))));
    }
}

// Blocks come with a right checksum from whoever means harm: lengths are checked all the same.
TEST(SstTable, LengthsOfABlockAreThoseOfItsBytes) {
    const auto block = [](std::initializer_list<int> bytes, std::uint32_t restarts) {
        Bytes made;
        for (const int byte : bytes) {
            made.push_back(static_cast<std::byte>(byte));
        }
        append(made, restarts);
        return made;
    };
    const auto walk = [](const Bytes& bytes) {
        sst::BlockWalk at(bytes);
        std::size_t count = 0;
        while (at.next()) {
            ++count;
        }
        return at.ok() ? static_cast<int>(count) : -1;
    };
    EXPECT_EQ(walk(block({0, 1, 1, 'k', 'v'}, 0)), 1);
    EXPECT_EQ(walk(block({0, 1, 1, 'k', 'v', 1, 1, 0, 'x'}, 0)), 2);
    EXPECT_EQ(walk(block({}, 0)), 0);
    EXPECT_EQ(walk(block({1, 1, 1, 'k', 'v'}, 0)), -1) << "shares what is not there";
    EXPECT_EQ(walk(block({0, 9, 1, 'k', 'v'}, 0)), -1) << "a key beyond the end";
    EXPECT_EQ(walk(block({0, 1, 9, 'k', 'v'}, 0)), -1) << "a value beyond the end";
    EXPECT_EQ(walk(block({0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1}, 0)), -1);
    EXPECT_EQ(walk(block({0x80}, 0)), -1) << "a number without an end";
    EXPECT_EQ(walk(block({}, 1)), -1) << "beginnings beyond the block";
    EXPECT_EQ(walk(block({}, 0x40000000)), -1) << "a kind that is not known";
    EXPECT_EQ(walk(Bytes(3)), -1);
}

}  // namespace
