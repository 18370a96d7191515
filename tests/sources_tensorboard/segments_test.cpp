// Reading a file in pieces on several threads must give what one pass gives, damaged or not.
#include "sources/tensorboard/loader.h"
#include "sources_tensorboard/logdir.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace taffrail::sources::tensorboard {
namespace {

std::shared_ptr<TensorboardRun> load(const std::string& folder, LoadOptions options) {
    auto run = std::make_shared<TensorboardRun>("r", "r", folder);
    run->set_files({io::join(folder, "events.out.tfevents.1.host.1.0")}, {});
    load_runs({&run, 1}, options);
    return run;
}

RC_GTEST_PROP(Segments, GiveWhatOnePassGives, ()) {
    testing::FileMaker maker;
    maker.version();
    const auto count = *rc::gen::inRange(1, 120);
    Histogram histogram;
    histogram.edges = {0, 1};
    histogram.counts = {2};
    for (int i = 0; i < count; ++i) {
        switch (*rc::gen::inRange(0, 8)) {
            case 0:
                maker.raw(as_bytes("junk"));
                break;
            case 1:
                maker.value(encode_histogram("h", histogram), i, i < 40);
                break;
            case 2:
                maker.start(i / 2);
                break;
            default:
                maker.scalar(i % 3 == 0 ? "a" : "b", i, static_cast<float>(i));
                break;
        }
    }
    const std::string folder = testing::fresh_folder();
    maker.save(folder);
    const auto whole = load(folder, {.threads = 1, .segment_bytes = UINT64_MAX});
    const auto cut = load(
        folder,
        {.threads = 3, .segment_bytes = static_cast<std::uint64_t>(*rc::gen::inRange(20, 900))});
    const auto damage_of = [](const TensorboardRun& run) {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
        for (const Damage& one : run.damage()) {
            ranges.emplace_back(one.offset, one.length);
        }
        return ranges;
    };
    RC_ASSERT(damage_of(*whole) == damage_of(*cut));
    const auto keys = whole->keys(), cut_keys = cut->keys();
    RC_ASSERT(keys.size() == cut_keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        RC_ASSERT(keys[i].key == cut_keys[i].key);
        RC_ASSERT(keys[i].kind == cut_keys[i].kind);
        RC_ASSERT(keys[i].count == cut_keys[i].count);
        if (keys[i].kind == Kind::Scalar) {
            const auto points = whole->points(keys[i].key).value(),
                       cut_points = cut->points(keys[i].key).value();
            RC_ASSERT(points.size() == cut_points.size());
            for (std::size_t p = 0; p < points.size(); ++p) {
                RC_ASSERT(points[p].step == cut_points[p].step);
                RC_ASSERT(points[p].value == cut_points[p].value);
                RC_ASSERT(points[p].attempt == cut_points[p].attempt);
            }
        }
    }
}

// Metadata stands on a tag's first value only; a later piece does not see it.
TEST(Segments, TensorOfOneNumberStaysATensorInEveryPiece) {
    const std::array<std::int64_t, 0> scalar_shape{};
    testing::FileMaker maker;
    maker.version();
    for (int i = 0; i < 50; ++i) {
        Bytes content;
        append(content, static_cast<float>(i));
        maker.value(encode_tensor_value("state", TensorType::Float, scalar_shape, content), i,
                    i == 0);
    }
    const std::string folder = testing::fresh_folder();
    maker.save(folder);
    for (const std::uint64_t segment : {std::uint64_t{100}, UINT64_MAX}) {
        const auto keys = load(folder, {.threads = 3, .segment_bytes = segment})->keys();
        ASSERT_EQ(keys.size(), 1u);
        EXPECT_EQ(keys[0].kind, Kind::Tensor);
        EXPECT_EQ(keys[0].count, 50u);
    }
}

}  // namespace
}  // namespace taffrail::sources::tensorboard
