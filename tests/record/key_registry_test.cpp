#include "record/key_registry.h"

#include "io/files.h"
#include "io/temporary_folder.h"

#include <gtest/gtest.h>

#include <thread>

namespace taffrail::record {
namespace {

detail::RowCore* row(KeyRegistry& keys, std::initializer_list<std::string_view> names) {
    return keys.row(std::span(names.begin(), names.size()));
}

std::uint32_t first_key(const KeyRegistry& keys, const detail::RowCore* row) {
    return keys.find_schema(row->schema)->keys[0];
}

TEST(KeyRegistry, TheSameNamesAreTheSameRow) {
    KeyRegistry keys(nullptr);
    auto* ab = row(keys, {"a", "b"});
    EXPECT_EQ(ab, row(keys, {"a", "b"}));
    EXPECT_NE(ab, row(keys, {"b", "a"}));
    EXPECT_EQ(first_key(keys, ab), first_key(keys, row(keys, {"a"})));
    EXPECT_NE(keys.key("a", Kind::Image), first_key(keys, ab))
        << "a picture and a number may share a name";
    EXPECT_EQ(keys.key("a", Kind::Image), keys.key("a", Kind::Image));
}

TEST(KeyRegistry, TakesAnyNameUpTo64KiB) {
    KeyRegistry keys(nullptr);
    const std::string with_nul("a\0b", 3), longest(KeyRegistry::kMaxKeyBytes, 'k'),
        longer(longest + "k");
    for (std::string_view name :
         {std::string_view(""), std::string_view(with_nul), std::string_view("line\nbreak"),
          std::string_view(".."), std::string_view("🚢/⛵"), std::string_view(longest)}) {
        auto* made = row(keys, {name});
        ASSERT_NE(made, nullptr);
        EXPECT_EQ(keys.find_key(first_key(keys, made))->name, name);
    }
    EXPECT_EQ(row(keys, {std::string_view(longer)}), nullptr);
    EXPECT_EQ(keys.key(longer, Kind::Text), 0u);
    EXPECT_EQ(keys.find_key(first_key(keys, row(keys, {"bad\xFF"})))->name, "bad\xEF\xBF\xBD");
}

TEST(KeyRegistry, GrowsToAHundredThousandKeysWhileOthersLook) {
    KeyRegistry keys(nullptr);
    std::atomic<bool> stop{false};
    std::thread reader([&] {
        while (!stop) {
            auto* found = row(keys, {"key/0"});
            ASSERT_NE(found, nullptr);
            ASSERT_EQ(found->width, 1u);
        }
    });
    std::vector<detail::RowCore*> rows;
    for (int i = 0; i < 100'000; ++i) {
        rows.push_back(row(keys, {std::string_view("key/" + std::to_string(i))}));
    }
    stop = true;
    reader.join();
    for (int i = 0; i < 100'000; i += 997) {
        EXPECT_EQ(row(keys, {std::string_view("key/" + std::to_string(i))}),
                  rows[static_cast<std::size_t>(i)]);
    }
}

TEST(Definitions, ComeBackFromTheFileUpToWhereItIsWhole) {
    test::TemporaryFolder folder;
    WriterIdentity identity = make_identity("run-1");
    auto file = DefinitionsFile::create(folder.path(), identity).value();
    KeyRegistry keys(nullptr);
    row(keys, {"before"});
    keys.attach(file.get()).value();
    row(keys, {"a", "b"});
    const std::string path = definitions_path(folder.path(), identity.writer);
    EXPECT_TRUE(io::is_locked(path).value());
    auto whole = read_definitions(path).value();
    EXPECT_EQ(whole.identity.run_id, "run-1");
    EXPECT_EQ(whole.identity.writer, identity.writer);
    EXPECT_EQ(whole.identity.clock.anchor_ticks, identity.clock.anchor_ticks);
    ASSERT_EQ(whole.keys.size(), 3u);
    EXPECT_EQ(whole.keys[2].name, "b");
    ASSERT_EQ(whole.schemas.size(), 2u);
    EXPECT_EQ(whole.schemas[1].keys, (std::vector<std::uint32_t>{2, 3}));
    keys.detach();
    file.reset();
    const Bytes bytes = io::read_file(path).value();
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
        ASSERT_TRUE(
            io::write_file_atomically(folder.file("cut"), ByteSpan(bytes).first(cut), false).ok());
        const auto part = read_definitions(folder.file("cut"));
        if (part.ok()) {
            EXPECT_LE(part->keys.size(), 3u);
            EXPECT_LT(part->schemas.size(), 2u);
        }
    }
}

}  // namespace
}  // namespace taffrail::record
