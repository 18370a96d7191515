// Made-up values other than media: text, tables, figures, distributions, curves, embeddings, a
// model's graph, files.
#pragma once

#include <taffrail/record.h>
#include <taffrail/result.h>
#include <taffrail/value.h>

#include <cstdint>
#include <string>

namespace taffrail::cli::demo {

/// Markdown with a table and a formula.
Value sample_text(std::int64_t index, Step step, double progress);
/// Forty predictions, more of them right as training goes on.
Value predictions(double progress, std::uint64_t seed);
/// A Plotly heat map of percentages.
Result<Value> confusion_figure(double progress);
/// A Plotly line with markers over bars.
Result<Value> calibration_figure(double progress);
/// Of 800 normal values; `nan_count` of them are not numbers.
Value distribution(std::uint64_t seed, double spread, double shift, std::uint64_t nan_count = 0);
/// Precision and recall of a detector that grows better with `skill` 0…1.
Value detector_curve(std::uint64_t seed, double skill);
/// Ten clusters of sixty vectors, with digit and number as metadata and thumbnails.
Result<Value> latent_space(std::uint64_t seed, double separation);
/// An encoder of `blocks` blocks, a latent space and a decoder, with shapes and parameters.
Value model_graph(std::int64_t blocks);
/// A checkpoint: weights and a JSON file with the settings.
Value checkpoint(const std::string& version, std::uint64_t seed, const Hparams& config,
                 double accuracy);

}  // namespace taffrail::cli::demo
