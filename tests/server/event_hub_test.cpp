#include "server/event_hub.h"

#include <gtest/gtest.h>

namespace taffrail::server {
namespace {

/// A client that keeps what it is sent.
class Client final : public ResponseStream {
  public:
    void begin(int, std::vector<std::pair<std::string, std::string>>) override {}

    bool write(std::string_view bytes) override { return offer(bytes, SIZE_MAX); }

    bool offer(std::string_view bytes, std::size_t) override {
        text += bytes;
        return !left;
    }

    void end() override { ended = true; }

    [[nodiscard]] bool gone() const noexcept override { return left; }

    std::string text;
    bool left = false, ended = false;
};

TEST(EventHub, ReturningClientsGetWhatTheyMissed) {
    EventHub hub;
    hub.publish("runs", "1");
    hub.publish("runs", "2");
    hub.publish("series", "3");
    auto client = std::make_shared<Client>();
    hub.subscribe(client, 1, "{}");
    EXPECT_EQ(client->text.find("event: hello\n"), 0u)
        << "a client must see whether the server is another one";
    EXPECT_EQ(client->text.find("data: 1\n"), std::string::npos);
    EXPECT_NE(client->text.find("id: 2\nevent: runs\ndata: 2\n"), std::string::npos);
    EXPECT_NE(client->text.find("id: 3\nevent: series"), std::string::npos);
}

TEST(EventHub, NewAndUnknownClientsAreGreeted) {
    EventHub hub;
    hub.publish("runs", "1");
    for (std::optional<std::uint64_t> since :
         {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(99)}) {
        auto client = std::make_shared<Client>();
        hub.subscribe(client, since, "{\"instance\":1}");
        EXPECT_NE(client->text.find("event: hello\ndata: {\"instance\":1}"), std::string::npos);
    }
}

TEST(EventHub, ClientsThatLeftAreForgotten) {
    EventHub hub;
    auto client = std::make_shared<Client>();
    hub.subscribe(client, std::nullopt, "{}");
    EXPECT_EQ(hub.clients(), 1u);
    client->left = true;
    hub.publish("runs", "1");
    EXPECT_EQ(hub.clients(), 0u);
}

TEST(EventHub, BacklogSaysWhenItIsTooShort) {
    EventHub hub;
    hub.publish("runs", "1");
    EXPECT_EQ(hub.after(0).events.size(), 1u);
    EXPECT_FALSE(hub.after(1).reset);
    EXPECT_TRUE(hub.after(7).reset);
}

}  // namespace
}  // namespace taffrail::server
