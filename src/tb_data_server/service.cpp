#include "tb_data_server/service.h"

#include "base/bytes.h"
#include "data_provider.grpc.pb.h"
#include "tb_data_server/run_data.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <set>

namespace taffrail::tb_data_server {
namespace {

namespace api = ::tensorboard::data;
using formats::tensorboard::DataClass;
using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

// Below gRPC's default limit on the other side for streams, and large enough to cost few messages.
constexpr std::size_t kBlobChunk = std::size_t{1} << 20;

std::string to_string(const Bytes& bytes) {
    return std::string(as_text(bytes));
}

/// Absent = everything; present = these names only.
class NameFilter {
  public:
    NameFilter(bool present, const api::Names& names)
        : all_(!present), names_(names.names().begin(), names.names().end()) {}

    [[nodiscard]] bool accepts(const std::string& name) const {
        return all_ || names_.contains(name);
    }

    /// The only name asked for, if there is exactly one.
    [[nodiscard]] const std::string* only() const {
        return !all_ && names_.size() == 1 ? &*names_.begin() : nullptr;
    }

  private:
    bool all_;
    std::set<std::string> names_;
};

class Service final : public api::TensorBoardDataProvider::Service {
  public:
    Service(std::string location, std::shared_ptr<const RunSource> source)
        : location_(std::move(location)), source_(std::move(source)) {}

    Status GetExperiment(ServerContext*, const api::GetExperimentRequest*,
                         api::GetExperimentResponse* reply) override {
        reply->set_data_location(location_);
        return Status::OK;
    }

    Status ListPlugins(ServerContext*, const api::ListPluginsRequest*,
                       api::ListPluginsResponse* reply) override {
        std::set<std::string> names;
        for (const auto& named : source_->runs()) {
            for (DataClass data_class :
                 {DataClass::Scalar, DataClass::Tensor, DataClass::BlobSequence}) {
                for (const std::string& plugin : plugins_of(*named.run, data_class)) {
                    names.insert(plugin);
                }
            }
        }
        for (const std::string& name : names) {
            reply->add_plugins()->set_name(name);
        }
        return Status::OK;
    }

    Status ListRuns(ServerContext*, const api::ListRunsRequest*,
                    api::ListRunsResponse* reply) override {
        for (const auto& named : source_->runs()) {
            api::Run* run = reply->add_runs();
            run->set_name(named.name);
            run->set_start_time(named.start_time);
        }
        return Status::OK;
    }

    Status ListScalars(ServerContext*, const api::ListRequest* request,
                       api::ListScalarsResponse* reply) override {
        return list(DataClass::Scalar, *request, *reply, fill_series);
    }

    Status ListTensors(ServerContext*, const api::ListRequest* request,
                       api::ListTensorsResponse* reply) override {
        return list(DataClass::Tensor, *request, *reply, fill_series);
    }

    Status ListBlobSequences(ServerContext*, const api::ListRequest* request,
                             api::ListBlobSequencesResponse* reply) override {
        return list(DataClass::BlobSequence, *request, *reply,
                    [](const TagInfo& tag, api::BlobSequenceMetadata& to) {
                        to.set_max_step(tag.max_step);
                        to.set_max_wall_time(tag.max_wall_time);
                        to.set_max_length(tag.max_length);
                        to.set_summary_metadata(
                            to_string(formats::tensorboard::encode_metadata(tag.metadata)));
                    });
    }

    Status ReadScalars(ServerContext*, const api::ReadRequest* request,
                       api::ReadScalarsResponse* reply) override {
        return read(DataClass::Scalar, *request, *reply,
                    [](const RunSource::Named& named, const TagInfo& tag, std::int64_t limit,
                       api::ScalarData& to) {
                        const ScalarColumns columns = read_scalars(*named.run, tag, limit);
                        to.mutable_step()->Add(columns.step.begin(), columns.step.end());
                        to.mutable_wall_time()->Add(columns.wall_time.begin(),
                                                    columns.wall_time.end());
                        to.mutable_value()->Add(columns.value.begin(), columns.value.end());
                    });
    }

    Status ReadTensors(ServerContext*, const api::ReadRequest* request,
                       api::ReadTensorsResponse* reply) override {
        return read(DataClass::Tensor, *request, *reply,
                    [](const RunSource::Named& named, const TagInfo& tag, std::int64_t limit,
                       api::TensorData& to) {
                        for (const TensorDatum& datum : read_tensors(*named.run, tag, limit)) {
                            to.add_step(datum.step);
                            to.add_wall_time(datum.wall_time);
                            to.add_value(to_string(datum.tensor));
                        }
                    });
    }

    Status ReadBlobSequences(ServerContext*, const api::ReadRequest* request,
                             api::ReadBlobSequencesResponse* reply) override {
        return read(DataClass::BlobSequence, *request, *reply,
                    [](const RunSource::Named& named, const TagInfo& tag, std::int64_t limit,
                       api::BlobSequenceData& to) {
                        for (const BlobDatum& datum :
                             read_blob_sequences(*named.run, named.name, tag, limit)) {
                            to.add_step(datum.step);
                            to.add_wall_time(datum.wall_time);
                            api::BlobReferences* references = to.add_values();
                            for (const std::string& key : datum.keys) {
                                references->add_blob_refs()->set_blob_key(key);
                            }
                        }
                    });
    }

    Status ReadBlob(ServerContext*, const api::ReadBlobRequest* request,
                    grpc::ServerWriter<api::ReadBlobResponse>* writer) override {
        const auto key = parse_blob_key(request->blob_key());
        if (!key) {
            return {StatusCode::INVALID_ARGUMENT, "this is no blob key of ours"};
        }
        Bytes bytes;
        if (!key->ref && key->key.empty()) {
            bytes.assign(as_bytes(key->text).begin(), as_bytes(key->text).end());
        } else {
            const auto run = source_->find(key->run_id);
            if (!run) {
                return {StatusCode::NOT_FOUND, "no run '" + key->run_id + "'"};
            }
            auto read = read_blob(*run, *key);
            if (!read.ok()) {
                return {StatusCode::NOT_FOUND, read.error().message};
            }
            bytes = *std::move(read);
        }
        std::size_t at = 0;
        do {
            api::ReadBlobResponse reply;
            const std::size_t size = std::min(kBlobChunk, bytes.size() - at);
            reply.set_data(bytes.data() + at, size);
            at += size;
            if (!writer->Write(reply)) {
                break;
            }
        } while (at < bytes.size());
        return Status::OK;
    }

  private:
    static void fill_series(const TagInfo& tag, api::SeriesMetadata& to) {
        to.set_max_step(tag.max_step);
        to.set_max_wall_time(tag.max_wall_time);
        to.set_summary_metadata(to_string(formats::tensorboard::encode_metadata(tag.metadata)));
    }

    /// Calls each(run, tags) for every run with matching tags.
    template <typename Request, typename Each>
    Status for_matches(DataClass data_class, const Request& request, Each&& each) const {
        const std::string& plugin = request.plugin_filter().plugin_name();
        if (plugin.empty()) {
            return {StatusCode::INVALID_ARGUMENT, "the plugin filter names no plugin"};
        }
        const api::RunTagFilter& filter = request.run_tag_filter();
        const NameFilter runs(filter.has_runs(), filter.runs()),
            tags(filter.has_tags(), filter.tags());
        for (const auto& named : source_->runs()) {
            if (!runs.accepts(named.name)) {
                continue;
            }
            std::vector<TagInfo> matching;
            if (const std::string* only = tags.only()) {
                if (auto found = find_tag(*named.run, data_class, plugin, *only)) {
                    matching.push_back(std::move(*found));
                }
            } else {
                matching = list_tags(*named.run, data_class, plugin);
                std::erase_if(matching, [&](const TagInfo& tag) { return !tags.accepts(tag.tag); });
            }
            if (!matching.empty()) {
                each(named, matching);
            }
        }
        return Status::OK;
    }

    /// Calls fill(run, tag, entry) for every tag that matches, with the tag's entry in the reply.
    template <typename Request, typename Reply, typename Fill>
    Status for_tags(DataClass data_class, const Request& request, Reply& reply, Fill&& fill) const {
        return for_matches(data_class, request,
                           [&](const RunSource::Named& named, const std::vector<TagInfo>& tags) {
                               auto* run = reply.add_runs();
                               run->set_run_name(named.name);
                               for (const TagInfo& tag : tags) {
                                   auto* entry = run->add_tags();
                                   entry->set_tag_name(tag.tag);
                                   fill(named, tag, *entry);
                               }
                           });
    }

    template <typename Reply, typename Fill>
    Status list(DataClass data_class, const api::ListRequest& request, Reply& reply,
                Fill&& fill) const {
        return for_tags(data_class, request, reply,
                        [&](const RunSource::Named&, const TagInfo& tag, auto& entry) {
                            fill(tag, *entry.mutable_metadata());
                        });
    }

    template <typename Reply, typename Fill>
    Status read(DataClass data_class, const api::ReadRequest& request, Reply& reply,
                Fill&& fill) const {
        if (!request.has_downsample() || request.downsample().num_points() < 0) {
            return {StatusCode::INVALID_ARGUMENT, "the request says not how many points it wants"};
        }
        const std::int64_t limit = request.downsample().num_points();
        return for_tags(data_class, request, reply,
                        [&](const RunSource::Named& named, const TagInfo& tag, auto& entry) {
                            fill(named, tag, limit, *entry.mutable_data());
                        });
    }

    std::string location_;
    std::shared_ptr<const RunSource> source_;
};

class RunningServer final : public Server {
  public:
    RunningServer(std::unique_ptr<Service> service, std::unique_ptr<grpc::Server> server, int port)
        : service_(std::move(service)), server_(std::move(server)), port_(port) {}

    ~RunningServer() override { server_->Shutdown(); }

    [[nodiscard]] int port() const override { return port_; }

  private:
    std::unique_ptr<Service> service_;
    std::unique_ptr<grpc::Server> server_;
    int port_;
};

}  // namespace

Result<std::unique_ptr<Server>> serve(int port, std::string data_location,
                                      std::shared_ptr<const RunSource> source) {
    auto service = std::make_unique<Service>(std::move(data_location), std::move(source));
    grpc::ServerBuilder builder;
    int bound = 0;
    builder.AddListeningPort("127.0.0.1:" + std::to_string(port), grpc::InsecureServerCredentials(),
                             &bound);
    builder.RegisterService(service.get());
    builder.SetMaxSendMessageSize(-1);
    auto server = builder.BuildAndStart();
    if (!server || bound == 0) {
        return Error{ErrorCode::Unavailable, "cannot listen on 127.0.0.1:" + std::to_string(port)};
    }
    return std::unique_ptr<Server>(
        std::make_unique<RunningServer>(std::move(service), std::move(server), bound));
}

}  // namespace taffrail::tb_data_server
