#include "trackers/value_files.h"

#include "codec/capture.h"

#include <gmock/gmock.h>

namespace taffrail::trackers {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of(const Value& value) {
    std::vector<std::string> names;
    const std::vector<ValueFile> files = files_of("key", value).value();
    for (const ValueFile& file : files) {
        names.push_back(file.name + " " + file.mime);
    }
    return names;
}

Blob blob_of(std::string_view text) {
    const ByteSpan bytes = as_bytes(text);
    return make_blob(Bytes(bytes.begin(), bytes.end()));
}

TEST(ValueFiles, HaveNamesThatSayWhatTheyAre) {
    Image image;
    image.format = "gif";
    image.images = {blob_of("GIF89a")};
    EXPECT_THAT(names_of(image), ElementsAre("image.gif image/gif"));
    image.images.push_back(blob_of("GIF89a"));
    EXPECT_THAT(names_of(image), ElementsAre("0.gif image/gif", "1.gif image/gif"));
    EXPECT_THAT(names_of(Text{"*a*", false}), ElementsAre("text.md text/markdown"));
    EXPECT_THAT(names_of(Text{"a", true}), ElementsAre("text.txt text/plain"));
    Figure figure;
    figure.plotly_json = "{}";
    figure.picture_format = "png";
    figure.picture = blob_of("picture");
    EXPECT_THAT(names_of(figure),
                ElementsAre("figure.json application/json", "figure.png image/png"));
    Artifact artifact;
    artifact.files = {{"a/b.bin", blob_of("weights")},
                      {"c.obj", blob_of("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")}};
    EXPECT_THAT(names_of(artifact),
                ElementsAre("a/b.bin application/octet-stream", "c.obj model/obj"));
}

TEST(ValueFiles, TheTableOfAnEmbeddingIsJson) {
    Embedding embedding;
    embedding.count = 1;
    embedding.dimensions = 1;
    embedding.vectors = make_blob(Bytes(4));
    embedding.metadata = {.columns = {"label"}, .rows = {{std::string("cat")}}};
    const std::vector<ValueFile> files = files_of("key", embedding).value();
    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(files[0].name, "vectors.npy");
    EXPECT_EQ(files[1].name, "metadata.json");
    EXPECT_EQ(as_text(files[1].bytes), R"({"columns":["label"],"data":[["cat"]]})");
}

TEST(ValueFiles, WhatCannotBeAFileIsNamed) {
    Tensor tensor;
    tensor.dtype = DType::F32;
    tensor.shape = {3};
    tensor.data = make_blob(Bytes(4));
    const auto files = files_of("weights", tensor);
    ASSERT_FALSE(files.ok());
    EXPECT_THAT(files.error().message, testing::HasSubstr("'weights'"));
    EXPECT_FALSE(files_of("figure", Figure()).ok()) << "a figure of nothing";
    EXPECT_TRUE(files_of("note", Note{"words"}).value().empty());
}

}  // namespace
}  // namespace taffrail::trackers
