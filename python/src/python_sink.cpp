#include "python_sink.h"

#include "convert.h"
#include "errors.h"

namespace taffrail::python {
namespace {

class PythonSink final : public Sink {
  public:
    explicit PythonSink(nb::object sink) : sink_(std::move(sink)) {}

    ~PythonSink() override {
        if (Py_IsInitialized() == 0) {
            static_cast<void>(sink_.release());  // its memory went with the interpreter
            return;
        }
        const nb::gil_scoped_acquire lock;
        sink_.reset();
    }

    PythonSink(const PythonSink&) = delete;
    PythonSink& operator=(const PythonSink&) = delete;

    Result<void> open(const SinkContext& context) override {
        return call([&] {
            nb::dict said;
            said["run_id"] = text(context.run_id);
            said["run_name"] = text(context.run_name);
            said["project"] = text(context.project);
            said["group"] = text(context.group);
            said["job_type"] = text(context.job_type);
            said["tags"] = texts(context.tags);
            said["notes"] = text(context.notes);
            said["config"] = from_hparams(context.config);
            said["summary"] = from_hparams(context.summary);
            said["run_folder"] = text(context.run_folder);
            said["start_time_ns"] = context.start_time_ns;
            said["attempt"] = context.attempt;
            said["resume_step"] =
                context.resume_step ? nb::object(nb::int_(*context.resume_step)) : nb::none();
            said["rank"] = context.rank;
            said["world_size"] = context.world_size;
            sink_.attr("_open")(said);
        });
    }

    Result<void> write(std::span<const Record> records, std::size_t& delivered) override {
        delivered = 0;
        return call([&] {
            nb::list all;
            for (const Record& record : records) {
                all.append(from_record(record));
            }
            try {
                sink_.attr("_write")(all);
            } catch (nb::python_error& error) {
                // An exception may say how far it came: only the others are handed over again.
                const nb::object arrived = nb::getattr(error.value(), "delivered", nb::none());
                if (PyLong_Check(arrived.ptr())) {
                    delivered = std::min(nb::cast<std::size_t>(arrived), records.size());
                }
                throw;
            }
            delivered = records.size();
        });
    }

    Result<void> flush() override {
        return call([&] { sink_.attr("flush")(); });
    }

    void give_reason(std::string_view reason) override {
        static_cast<void>(call([&] { sink_.attr("give_reason")(text(reason)); }));
    }

    Result<void> close(RunState state) override {
        return call([&] { sink_.attr("close")(text(to_string(state))); });
    }

    [[nodiscard]] bool accepts(Kind kind) const noexcept override {
        if (Py_IsInitialized() == 0) {
            return false;
        }
        const nb::gil_scoped_acquire lock;
        try {
            return nb::cast<bool>(nb::bool_(sink_.attr("accepts")(text(to_string(kind)))));
        } catch (nb::python_error& error) {
            error.discard_as_unraisable("taffrail sink");
            return false;
        }
    }

  private:
    template <typename Work>
    Result<void> call(Work&& work) {
        if (Py_IsInitialized() == 0) {
            return Error{ErrorCode::Closed, "the Python interpreter has ended"};
        }
        const nb::gil_scoped_acquire lock;
        try {
            work();
            return {};
        } catch (nb::python_error& error) {
            return error_of(error);
        }
    }

    nb::object sink_;
};

}  // namespace

std::unique_ptr<Sink> make_python_sink(nb::object sink) {
    return std::make_unique<PythonSink>(std::move(sink));
}

nb::tuple from_record(const Record& record) {
    return nb::make_tuple(text(record.key), text(to_string(record.kind)),
                          text(to_string(record.phase)), record.step, record.time_ns,
                          record.epoch ? nb::object(nb::float_(*record.epoch)) : nb::none(),
                          record.samples ? nb::object(nb::int_(*record.samples)) : nb::none(),
                          record.rank, record.attempt, record.writer, record.seq, record.route,
                          record.kind == Kind::Scalar ? nb::object(nb::float_(record.scalar))
                          : record.value != nullptr   ? from_value(*record.value)
                                                      : nb::none());
}

}  // namespace taffrail::python
