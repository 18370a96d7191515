#include "codec/json_writer.h"
#include "exercise.h"
#include "server/api/api.h"
#include "server/url.h"

#include <algorithm>
#include <cstdlib>

namespace taffrail::fuzzing {
namespace {

using namespace server;

constexpr std::size_t kMostKeysAsked = 8;

/// Takes a few megabytes of a long answer and then goes away, as a closed tab does.
class Sink final : public ResponseStream {
  public:
    void begin(int, std::vector<std::pair<std::string, std::string>>) override {}

    bool write(std::string_view bytes) override {
        taken_ += bytes.size();
        return !gone();
    }

    bool offer(std::string_view bytes, std::size_t) override { return write(bytes); }

    void end() override {}

    [[nodiscard]] bool gone() const noexcept override { return taken_ > (4u << 20); }

  private:
    std::size_t taken_ = 0;
};

class Asker {
  public:
    explicit Asker(const Router& router) : router_(router) {}

    std::string get(std::string path, std::map<std::string, std::string, std::less<>> query) {
        Request request;
        request.method = "GET";
        request.path = "api/v1/" + std::move(path);
        request.query = std::move(query);
        return ask(request);
    }

    std::string post(std::string path, std::string body) {
        Request request;
        request.method = "POST";
        request.path = "api/v1/" + std::move(path);
        request.headers["content-type"] = "application/json";
        request.body = std::move(body);
        return ask(request);
    }

  private:
    std::string ask(const Request& request) {
        Response response = router_.answer(request, false);
        if (response.status >= 500) {
            std::abort();
        }
        if (response.stream) {
            Sink sink;
            try {
                while (response.stream(sink) && !sink.gone()) {
                }
            } catch (const ApiError&) {
                // A download that meets damage is broken off; the server does so too.
            }
        }
        return std::string(response.body.bytes());
    }

    const Router& router_;
};

std::string text_json(std::string_view text) {
    JsonWriter json;
    json.begin_array().value(text).end_array();
    std::string quoted = json.text();
    return quoted.substr(1, quoted.size() - 2);
}

/// The bytes that an answer names.
void ask_for_blobs(Asker& asker, const std::string& id, std::string_view answer) {
    constexpr std::string_view kMember = "\"sha\":\"";
    std::size_t asked = 0;
    for (std::size_t at = answer.find(kMember);
         at != std::string_view::npos && asked < kMostKeysAsked;
         at = answer.find(kMember, at + 1), ++asked) {
        const auto sha = answer.substr(at + kMember.size(), 64);
        asker.get("blob", {{"run", id}, {"sha", std::string(sha)}});
    }
}

void export_all(Asker& asker, const std::string& runs) {
    for (const char* how :
         {R"("format":"csv","shape":"tidy","attempts":"all")", R"("format":"csv","shape":"wide")",
          R"("format":"jsonl")", R"("format":"parquet","x":{"axis":"relative"})",
          R"("what":"runs","columns":["metric:loss","config:lr"])"}) {
        const std::string answer = asker.post("exports", "{\"runs\":[" + runs + "]," + how + "}");
        constexpr std::string_view kHref = "api/v1/export?id=";
        if (const auto at = answer.find(kHref); at != std::string::npos) {
            const auto id = answer.substr(at + kHref.size());
            asker.get("export", {{"id", id.substr(0, id.find('"'))}});
        }
    }
}

void ask_for_key(Asker& asker, const std::string& id, const KeyInfo& key) {
    const std::string run = text_json(id), name = text_json(key.key);
    if (key.kind == Kind::Scalar) {
        const std::string series = "{\"series\":[{\"run\":" + run + ",\"key\":" + name +
                                   "}],\"x\":{\"axis\":\"step\"},\"at\":7}";
        asker.post("series:points", series);
        asker.post("series:stats", series);
        for (const char* axis : {"step", "wall", "relative", "epoch", "samples"}) {
            asker.post("series:query", "{\"charts\":[{\"runs\":[" + run + "],\"keys\":[" + name +
                                           "],\"x\":{\"axis\":\"" + axis +
                                           "\"},\"width\":100,\"smoothing\":{\"method\":\"ema\","
                                           "\"amount\":0.6}}]}");
        }
        return;
    }
    const std::string entries =
        asker.get("entries", {{"run", id}, {"key", key.key}, {"first", "0"}, {"count", "20"}});
    ask_for_blobs(asker, id, entries);
    if (key.kind == Kind::Image) {
        asker.get("image", {{"run", id}, {"key", key.key}, {"index", "0"}, {"item", "0"}});
        asker.get("image",
                  {{"run", id}, {"key", key.key}, {"index", "0"}, {"item", "0"}, {"width", "16"}});
    }
    if (key.kind == Kind::Histogram) {
        asker.post("histograms:query",
                   "{\"runs\":[" + run + "],\"keys\":[" + name + "],\"width\":50,\"bins\":20}");
    }
}

}  // namespace

void ask_every_route(const std::string& root) {
    ApiContext context;
    context.state = std::make_shared<StateStore>("");
    auto workspace = Workspace::open({{"", root}}, context.state);
    if (!workspace.ok()) {
        return;
    }
    context.workspace = *workspace;
    const Router router = make_router(context);
    Asker asker(router);
    asker.get("server", {});
    asker.get("projects", {});
    asker.get("keys", {});
    asker.post("runs:query", "{\"filter\":\"loss<1 or lr>0\",\"columns\":[\"metric:loss\"]}");
    const auto list = context.workspace->runs();
    std::string runs;
    for (const auto& details : *list) {
        const std::string& id = details->id;
        for (const char* path : {"run", "environment", "console", "files", "keys"}) {
            asker.get(path, {{"run", id}});
        }
        asker.post("entries:index", "{\"runs\":[" + text_json(id) + "]}");
        for (std::size_t i = 0; i < std::min(details->keys.size(), kMostKeysAsked); ++i) {
            ask_for_key(asker, id, details->keys[i]);
        }
        runs += (runs.empty() ? "" : ",") + text_json(id);
    }
    export_all(asker, runs);
    asker.post("edits", "{\"edits\":[{\"runs\":[" + runs +
                            "],\"add_tags\":[\"good\"],\"name\":\"other\"}]}");
    context.workspace->refresh();
    asker.get("changes", {{"since", "0"}});
}

}  // namespace taffrail::fuzzing
