#include "codec/formats/wandb/encode.h"

#include "base/strings.h"

#include <algorithm>

namespace taffrail::formats::wandb {
namespace {

template <typename Body>
Bytes record(std::int64_t number, RecordType type, Body&& body) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    writer.signed_varint(kNumberField, number);
    writer.message(static_cast<std::uint32_t>(type), body);
    return bytes;
}

// proto3: what is empty or zero is not written.
void text_if(ProtoWriter& to, std::uint32_t field, std::string_view text) {
    if (!text.empty()) {
        to.text(field, text);
    }
}

void flag_if(ProtoWriter& to, std::uint32_t field, bool flag) {
    if (flag) {
        to.boolean(field, true);
    }
}

void number_if(ProtoWriter& to, std::uint32_t field, std::int64_t number) {
    if (number != 0) {
        to.signed_varint(field, number);
    }
}

void put_time(ProtoWriter& to, std::uint32_t field, std::int64_t time_ns) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t seconds = time_ns / kSecond - (time_ns % kSecond < 0 ? 1 : 0);
    to.message(field, [&](ProtoWriter& time) {
        number_if(time, 1, seconds);
        number_if(time, 2, time_ns - seconds * kSecond);
    });
}

void put_items(ProtoWriter& to, std::span<const Item> items) {
    for (const Item& item : items) {
        to.message(kUpdate, [&](ProtoWriter& one) {
            if (item.path.size() == 1) {
                one.text(kItemKey, item.path.front());
            } else {
                for (const std::string& part : item.path) {
                    one.text(kItemNestedKey, part);
                }
            }
            one.text(kItemJson, item.json);
        });
    }
}

}  // namespace

Bytes encode_header(std::int64_t number, std::string_view producer) {
    return record(number, RecordType::Header, [&](ProtoWriter& header) {
        header.message(1, [&](ProtoWriter& version) {
            version.text(1, producer);
            version.text(2, "0.70.0");
        });
    });
}

Bytes encode_run(std::int64_t number, const RunDescription& run) {
    return record(number, RecordType::Run, [&](ProtoWriter& to) {
        text_if(to, 1, run.run_id);
        text_if(to, 2, run.entity);
        text_if(to, 3, run.project);
        if (!run.config.empty()) {
            to.message(4, [&](ProtoWriter& config) { put_items(config, run.config); });
        }
        text_if(to, 6, run.group);
        text_if(to, 7, run.job_type);
        text_if(to, 8, run.display_name);
        text_if(to, 9, run.notes);
        for (const std::string& tag : run.tags) {
            to.text(10, tag);
        }
        text_if(to, 13, run.host);
        put_time(to, 17, run.start_time_ns);
        to.message(19, [&](ProtoWriter& telemetry) { text_if(telemetry, 5, run.version); });
        flag_if(to, 24, run.resume);
    });
}

Bytes encode_config(std::int64_t number, std::span<const Item> update) {
    return record(number, RecordType::Config, [&](ProtoWriter& to) { put_items(to, update); });
}

Bytes encode_summary(std::int64_t number, std::span<const Item> update) {
    return record(number, RecordType::Summary, [&](ProtoWriter& to) { put_items(to, update); });
}

Bytes encode_metric(std::int64_t number, const MetricDescription& metric) {
    return record(number, RecordType::Metric, [&](ProtoWriter& to) {
        text_if(to, 1, metric.name);
        text_if(to, 2, metric.glob);
        text_if(to, 4, metric.step);
        to.message(6, [&](ProtoWriter& options) {
            flag_if(options, 1, !metric.step.empty());
            flag_if(options, 2, metric.hidden);
            options.boolean(3, true);
        });
        if (metric.minimum || metric.maximum || metric.mean || metric.last || metric.none) {
            to.message(7, [&](ProtoWriter& summary) {
                flag_if(summary, 1, metric.minimum);
                flag_if(summary, 2, metric.maximum);
                flag_if(summary, 3, metric.mean);
                flag_if(summary, 5, metric.last);
                flag_if(summary, 6, metric.none);
            });
        }
        number_if(to, 8, metric.goal);
    });
}

Bytes encode_file(std::int64_t number, std::string_view path) {
    return record(number, RecordType::Files, [&](ProtoWriter& to) {
        to.message(1, [&](ProtoWriter& file) { file.text(1, path); });
    });
}

Bytes encode_stats(std::int64_t number, std::int64_t time_ns,
                   std::span<const std::pair<std::string, double>> values) {
    return record(number, RecordType::Stats, [&](ProtoWriter& to) {
        put_time(to, 2, time_ns);
        for (const auto& [name, value] : values) {
            to.message(3, [&](ProtoWriter& item) {
                item.text(1, name);
                item.text(kItemJson, format_double(value));
            });
        }
    });
}

Bytes encode_output(std::int64_t number, std::int64_t time_ns, bool is_error,
                    std::string_view line) {
    return record(number, RecordType::OutputRaw, [&](ProtoWriter& to) {
        number_if(to, 1, is_error ? 0 : 1);
        put_time(to, 2, time_ns);
        text_if(to, 3, line);
    });
}

Bytes encode_alert(std::int64_t number, std::string_view title, std::string_view text,
                   std::string_view level) {
    return record(number, RecordType::Alert, [&](ProtoWriter& to) {
        text_if(to, 1, title);
        text_if(to, 2, text);
        text_if(to, 3, level);
    });
}

Bytes encode_artifact(std::int64_t number, const ArtifactDescription& artifact) {
    return record(number, RecordType::Artifact, [&](ProtoWriter& to) {
        text_if(to, 1, artifact.run_id);
        text_if(to, 2, artifact.project);
        text_if(to, 3, artifact.entity);
        text_if(to, 4, artifact.type);
        text_if(to, 5, artifact.name);
        text_if(to, 6, artifact.digest);
        text_if(to, 8, artifact.metadata_json);
        for (const std::string& alias : artifact.aliases) {
            to.text(11, alias);
        }
        to.message(12, [&](ProtoWriter& manifest) {
            manifest.varint(1, 1);
            manifest.text(2, "wandb-storage-policy-v1");
            manifest.message(3, [](ProtoWriter& config) {
                config.text(1, "storageLayout");
                config.text(2, "\"V2\"");
            });
            for (const ManifestEntry& file : artifact.files) {
                manifest.message(4, [&](ProtoWriter& entry) {
                    entry.text(1, file.path);
                    entry.text(2, file.digest);
                    number_if(entry, 4, static_cast<std::int64_t>(file.size));
                    text_if(entry, 6, file.local_path);
                });
            }
        });
        to.boolean(14, true);
        text_if(to, 15, artifact.client_id);
        text_if(to, 16, artifact.sequence_id);
        to.text(20, "MANIFEST_MD5");
    });
}

Bytes encode_environment(std::int64_t number, std::string_view system, std::string_view program,
                         std::string_view host, std::int64_t start_time_ns) {
    return record(number, RecordType::Environment, [&](ProtoWriter& to) {
        text_if(to, 1, system);
        put_time(to, 3, start_time_ns);
        text_if(to, 6, program);
        text_if(to, 12, host);
        to.text(199, "taffrail");
    });
}

Bytes encode_exit(std::int64_t number, std::int64_t exit_code, std::int64_t runtime_seconds) {
    return record(number, RecordType::Exit, [&](ProtoWriter& to) {
        number_if(to, 1, exit_code);
        number_if(to, 2, runtime_seconds);
    });
}

std::string item_prefix(std::string_view name) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    writer.text(kItemNestedKey, name);
    append_varint(bytes, (kItemJson << 3) | static_cast<std::uint32_t>(WireType::Length));
    return std::string(as_text(bytes));
}

void HistoryRow::add(std::string_view item_prefix, std::string_view json) {
    std::uint64_t length = item_prefix.size() + json.size() + 1;
    for (std::uint64_t rest = json.size(); rest >= 0x80; rest >>= 7) {
        ++length;
    }
    items_.push_back(std::byte{(1 << 3) | static_cast<std::uint8_t>(WireType::Length)});
    append_varint(items_, length);
    append(items_, as_bytes(item_prefix));
    append_text(items_, json);
}

Bytes HistoryRow::encode(std::int64_t number, std::int64_t step) const {
    Bytes tail;
    ProtoWriter(tail).message(2, [&](ProtoWriter& to) { number_if(to, 1, step); });
    Bytes bytes;
    bytes.reserve(items_.size() + tail.size() + 24);
    ProtoWriter writer(bytes);
    writer.signed_varint(kNumberField, number);
    append_varint(bytes, (static_cast<std::uint32_t>(RecordType::History) << 3) |
                             static_cast<std::uint32_t>(WireType::Length));
    append_varint(bytes, items_.size() + tail.size());
    append(bytes, ByteSpan(items_));
    append(bytes, ByteSpan(tail));
    return bytes;
}

std::string manifest_text(std::span<const ManifestEntry> files) {
    std::vector<const ManifestEntry*> sorted;
    for (const ManifestEntry& file : files) {
        sorted.push_back(&file);
    }
    std::ranges::sort(sorted, {}, [](const ManifestEntry* file) { return file->path; });
    std::string text = "wandb-artifact-manifest-v1\n";
    for (const ManifestEntry* file : sorted) {
        text += file->path + ":" + file->digest + "\n";
    }
    return text;
}

}  // namespace taffrail::formats::wandb
