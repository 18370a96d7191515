#include "server/api/export_streams.h"

#include "base/try.h"
#include "query/export/point_table.h"
#include "query/export/run_table.h"
#include "query/export/wide_lines.h"

#include <set>
#include <string>
#include <utility>

namespace taffrail::server {
namespace {

// A piece of text is some hundred kilobytes: small beside what a connection may hold unsent, and
// soon made, so that other requests are not kept waiting for it.
constexpr std::size_t kLines = 4096;

/// A body in the making. step() makes the next piece and tells whether there is more.
class Download {
  public:
    virtual ~Download() = default;
    virtual Result<bool> step(ResponseStream& stream) = 0;
};

/// Points as rows, in any of the formats.
class PointRows final : public Download {
  public:
    PointRows(const query::RunSet& runs, const ExportJob& job)
        : walk_(runs, job.question, kLines),
          table_(query::make_point_table(job.table, [this](std::string_view bytes) -> Result<void> {
              return stream_->write(bytes) ? Result<void>()
                                           : Error{ErrorCode::Io, "the download was broken off"};
          })) {}

    Result<bool> step(ResponseStream& stream) override {
        stream_ = &stream;
        TAFFRAIL_ASSIGN(const auto slice, walk_.next());
        if (!slice) {
            TAFFRAIL_TRY(table_->finish());
            return false;
        }
        TAFFRAIL_TRY(table_->add({slice->run.id, slice->run.info.name}, slice->key, slice->points));
        return true;
    }

  private:
    query::SeriesWalk walk_;
    ResponseStream* stream_ = nullptr;
    std::unique_ptr<query::PointTable> table_;
};

class WideRows final : public Download {
  public:
    WideRows(const query::RunSet& runs, const ExportJob& job)
        : runs_(runs), question_(job.question) {}

    Result<bool> step(ResponseStream& stream) override {
        std::string text;
        if (!std::exchange(begun_, true)) {
            TAFFRAIL_TRY(find_columns());
            text = query::wide_header(columns_);
        }
        if (row_ == table_.rows().end()) {
            if (run_ == question_.runs.size()) {
                (void)stream.write(text);
                return false;
            }
            TAFFRAIL_TRY(begin_run(question_.runs[run_++]));
        }
        for (std::size_t i = 0; i < kLines && row_ != table_.rows().end(); ++i, ++row_) {
            query::append_wide_line(text, head_, row_->first, row_->second, columns_.size());
        }
        return stream.write(text);
    }

  private:
    Result<void> find_columns() {
        std::set<std::string, std::less<>> seen;
        for (const std::string& id : question_.runs) {
            TAFFRAIL_ASSIGN(const auto run, query::exported_run(runs_, id));
            for (std::string& key : query::exported_keys(*run, question_)) {
                if (seen.insert(key).second) {
                    columns_.push_back(std::move(key));
                }
            }
        }
        return {};
    }

    Result<void> begin_run(const std::string& id) {
        TAFFRAIL_ASSIGN(const auto run, query::exported_run(runs_, id));
        head_ = query::wide_head({id, run->info.name});
        table_ = {};
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            TAFFRAIL_ASSIGN(const auto points,
                            query::exported_points(runs_, *run, columns_[c], question_));
            table_.add(c, points);
        }
        row_ = table_.rows().begin();
        return query::expect_whole(runs_, question_, id);
    }

    const query::RunSet& runs_;
    const query::ExportQuestion& question_;
    std::vector<std::string> columns_;
    std::size_t run_ = 0;
    bool begun_ = false;
    std::string head_;
    query::WideTable table_;
    query::WideTable::Rows::const_iterator row_ = table_.rows().end();
};

class RunRows final : public Download {
  public:
    RunRows(const query::RunSet& runs, const ExportJob& job) : runs_(runs), job_(job) {}

    Result<bool> step(ResponseStream& stream) override {
        std::string text = std::exchange(begun_, true) ? "" : query::run_table_header(job_.columns);
        const std::vector<std::string>& ids = job_.question.runs;
        for (std::size_t i = 0; i < kLines && run_ < ids.size(); ++i, ++run_) {
            TAFFRAIL_ASSIGN(const auto run, query::exported_run(runs_, ids[run_]));
            query::append_run_line(text, *run, job_.columns);
        }
        return stream.write(text) && run_ < ids.size();
    }

  private:
    const query::RunSet& runs_;
    const ExportJob& job_;
    std::size_t run_ = 0;
    bool begun_ = false;
};

std::shared_ptr<Download> make_download(const query::RunSet& runs, const ExportJob& job) {
    if (job.what == ExportJob::What::Runs) {
        return std::make_shared<RunRows>(runs, job);
    }
    if (job.what == ExportJob::What::WideSeries) {
        return std::make_shared<WideRows>(runs, job);
    }
    return std::make_shared<PointRows>(runs, job);
}

}  // namespace

std::function<bool(ResponseStream&)> export_stream(const ApiContext& context,
                                                   std::shared_ptr<const ExportJob> job) {
    auto download = make_download(*context.workspace, *job);
    return [job = std::move(job), download = std::move(download)](ResponseStream& stream) {
        const Result<bool> more = download->step(stream);
        if (!more.ok()) {
            refuse(more.error());
        }
        return *more;
    };
}

}  // namespace taffrail::server
