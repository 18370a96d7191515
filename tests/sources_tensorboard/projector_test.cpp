#include "sources/tensorboard/projector.h"

#include "sinks/tensorboard/projector_files.h"
#include "sources/tensorboard/catalogue.h"
#include "sources_tensorboard/logdir.h"

#include <gtest/gtest.h>

namespace taffrail::sources::tensorboard {

using namespace sinks::tensorboard;

namespace {

TEST(ProjectorConfig, ReadsWhatOtherWritersWrite) {
    const auto embeddings = parse_projector_config(
        "# comment\nembeddings {\ntensor_name: \"default:00007\"\nmetadata_path: "
        "\"00007/default/metadata.tsv\"\n"
        "sprite { image_path: 'a/sprite.png' single_image_dim: 28 single_image_dim: 32 "
        "}\ntensor_path: \"a/tensors.tsv\" }\n",
        "folder");
    ASSERT_EQ(embeddings.size(), 1u);
    EXPECT_EQ(embeddings[0].key(), "default");
    EXPECT_EQ(embeddings[0].step(), 7);
    EXPECT_EQ(embeddings[0].sprite_size, (std::vector<std::int64_t>{28, 32}));
    EXPECT_EQ(embeddings[0].tensor_path, "a/tensors.tsv");
}

TEST(ProjectorConfig, PathsThatLeaveTheFolderAreNotRead) {
    ProjectorEmbedding embedding;
    embedding.folder = "/tmp";
    embedding.tensor_path = "../etc/passwd";
    EXPECT_FALSE(read_embedding(embedding));
    embedding.tensor_path = "/etc/passwd";
    EXPECT_FALSE(read_embedding(embedding));
}

TEST(Embedding, WrittenFilesReadBackThroughTheRun) {
    for (float scale : {1.0F, 0.0F}) {  // all zeros is valid UTF-8 and must go out as text
        const std::string folder = testing::fresh_folder();
        testing::FileMaker().version().save(folder);
        Embedding embedding;
        embedding.count = 2;
        embedding.dimensions = 3;
        Bytes vectors;
        for (int i = 0; i < 6; ++i) {
            append(vectors, scale * (static_cast<float>(i) - 2.5F));
        }
        embedding.vectors = {.ref = {}, .bytes = std::make_shared<const Bytes>(vectors)};
        embedding.metadata.columns = {"label", "score"};
        embedding.metadata.rows = {{std::string("cat\tty"), 1.5}, {std::string("dog"), 2.5}};
        ASSERT_TRUE(write_embedding(folder, "points", 3, embedding).ok());
        const auto run = open_logdir(folder).value()->run(".").value();
        const auto entries = run->entries("points").value();
        ASSERT_EQ(entries.size(), 1u);
        EXPECT_EQ(entries[0].step, 3);
        const auto& read = std::get<Embedding>(*entries[0].value);
        EXPECT_EQ(read.count, 2);
        EXPECT_EQ(read.dimensions, 3);
        EXPECT_EQ(*run->load(read.vectors.ref).value(), vectors);
        EXPECT_EQ(read.metadata.columns, embedding.metadata.columns);
        EXPECT_EQ(std::get<std::string>(read.metadata.rows[0][0]), "cat ty");
    }
}

}  // namespace
}  // namespace taffrail::sources::tensorboard
