#include "system/secrets.h"

namespace taffrail::system {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Secrets of the shapes services hand out. None is real; split so that no scanner takes this file
/// for a leak.
std::vector<std::pair<std::string, std::string>> shapes() {
    return {
        {"AWS key id", std::string("AKIA") + "Z7QK2M4X9P3L5N8R"},
        {"AWS secret", std::string("wJa1rXUtnF3MI/K7MDENG") + "/bPxRfiCY4kQz9LmT0"},
        {"GitHub token", std::string("gh") + "p_16C7e42F292c6912E7710c838347Ae178B4a"},
        {"GitLab token", std::string("glpat") + "-x7Kq2mZ9pL4nR8vT1wYb"},
        {"Slack token", std::string("xoxb") + "-2345678901-abcdefGHIJKLmnop"},
        {"OpenAI key", std::string("sk") + "-proj-T3BlbkFJ9aXw2QmZ7vK4nR8L"},
        {"Hugging Face token", std::string("hf") + "_QwErTyUiOpAsDfGhJkLzXcVbNm"},
        {"W&B key", "4f3c2b1a0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a"},
        {"JWT", std::string("eyJhbGciOiJIUzI1NiJ9") +
                    ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"},
        {"Google key", std::string("AIza") + "SyD4x9QmZ7vK2nR8LpT1wYbCfGhJkM3oXsU"},
        {"base64", "dGhpcyBpcyBhIHNlY3JldCBrZXkgMTIzNDU2Nzg5MA=="},
        {"lower case and digits", "k3j9x2m8q7w1z5v4b6n0c8r2t1"},
        {"UUID", "3f8b2c1d-9e7a-4b6c-8d5e-1f2a3b4c5d6e"},
    };
}

class SecretShape : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(SecretShape, IsRemovedUnderInnocentNames) {
    const std::string& secret = GetParam().second;
    for (const std::string& text :
         {"--note=" + secret, "run with " + secret + " today", "note: \"" + secret + "\"",
          "+    remark = '" + secret + "'", "{\"comment\": \"" + secret + "\"}",
          "https://me:" + secret + "@host/x", "+" + secret, "path/" + secret + "/x",
          "COLOR=" + secret}) {
        EXPECT_THAT(scrub_secrets(text), Not(HasSubstr(secret))) << text;
        EXPECT_THAT(scrub_secrets(text), HasSubstr("[removed]"));
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SecretShape, testing::ValuesIn(shapes()));

TEST(Secrets, PrivateKeyBlocksGoWhole) {
    const std::string text =
        "before\n-----BEGIN RSA PRIVATE"
        " KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE"
        " KEY-----\nafter";
    EXPECT_EQ(scrub_secrets(text), "before\n[removed]\nafter");
    EXPECT_EQ(scrub_secrets("x -----BEGIN PRIVATE"
                            " KEY-----\nMII"),
              "x [removed]");
}

TEST(Secrets, ValuesOfSecretNamesGoWhateverTheyLookLike) {
    EXPECT_EQ(scrub_secrets("password: hunter2"), "password: [removed]");
    EXPECT_EQ(scrub_secrets("export DB_PASSWORD='hunter 2'; x"),
              "export DB_PASSWORD='[removed]'; x");
    EXPECT_EQ(scrub_secrets(R"({"apiKey": "abc def", "lr": 1})"),
              R"({"apiKey": "[removed]", "lr": 1})");
    EXPECT_EQ(scrub_secrets("Authorization: Bearer abcdefgh"), "Authorization: Bearer [removed]");
    EXPECT_EQ(scrub_secrets("AccountKey=short;EndpointSuffix=core"),
              "AccountKey=[removed];EndpointSuffix=core");
    EXPECT_EQ(scrub_secrets("postgres://bob:pw@db/x"), "postgres://[removed]@db/x");
}

TEST(Secrets, TheArgumentAfterASecretFlagGoes) {
    EXPECT_EQ(scrub_arguments({"train", "--password", "hunter2", "--lr", "0.1", "--api-key=abc"}),
              (std::vector<std::string>{"train", "--password", "[removed]", "--lr", "0.1",
                                        "--api-key=[removed]"}));
}

// What people write every day must come through unchanged.
TEST(Secrets, OrdinaryTextStays) {
    for (const char* text :
         {"python train.py --max_tokens=4096 --tokenizer bert-base-uncased",
          "lr=3e-4 batch_size=256 seed=123456789",
          "/home/user/projects/vision-transformer/experiments/resnet50-imagenet-baseline/"
          "config.yaml",
          "2024-01-05_ResNet50_CIFAR10_lr3e-4_bs128_AdamW_seed42",
          "https://github.com/acme/widgets.git", "git@github.com:acme/Widgets.git",
          "diff --git a/src/model.py b/src/model.py\nindex 83db48f..bf2a1c9 100644",
          "torch==2.3.1+cu121", "token_count: 17", "num_tokens=1000000",
          "CUDA_VISIBLE_DEVICES=0,1,2,3",
          "loss = CrossEntropyLossWithLabelSmoothingAndTemperature(x)", "secret: true",
          "password=None",
          "def get_password(self):", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          "/usr/lib/x86_64-linux-gnu/libcudart.so.12.4.127"}) {
        EXPECT_EQ(scrub_secrets(text), text);
    }
}

TEST(Secrets, NamesAreJudgedByWords) {
    for (const char* name : {"password", "HF_TOKEN", "wandb-api-key", "apiKey",
                             "aws_secret_access_key", "db.passwd"}) {
        EXPECT_TRUE(is_secret_name(name)) << name;
    }
    for (const char* name :
         {"max_tokens", "tokenizer", "token_count", "key", "keys", "monkey", "lr"}) {
        EXPECT_FALSE(is_secret_name(name)) << name;
    }
}

}  // namespace
}  // namespace taffrail::system
