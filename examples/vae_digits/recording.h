// Everything the example logs that is not a plain number: pictures, sounds, shapes, tables, curves.
#pragma once

#include <taffrail/run.h>

#include "digits.h"
#include "latent.h"
#include "model.h"
#include "png.h"

#include <string>
#include <vector>

namespace vae_digits {

/// A picture as the library takes it; valid as long as the picture.
taffrail::ImageView view(const Picture& picture);

/// Before training: what the model is (text, graph) and what it sees (a picture).
void record_start(taffrail::Run& run, const Model& model, const Picture& originals);

/// After an epoch: weights and gradients (histograms), reconstructions, generated digits, quality
/// per digit (table and figure), a precision-recall curve of finding eights in latent space, the
/// latent space as a point cloud.
void record_epoch(taffrail::Run& run, const Model& model, const Digits& held_out,
                  const LatentClasses& classes, const Picture& reconstructions,
                  const Picture& generated, taffrail::Step step);

/// Says that the held-out quality has become good: an alert, and a tag on the run. True when it
/// has.
bool alert_when_good(taffrail::Run& run, double psnr_db);

/// After training, when it never did: an alert that says what to try, and a tag.
void alert_poor_quality(taffrail::Run& run, double psnr_db);

/// The weights as a file, kept with the run as an artifact: float32, layer by layer, first the
/// weights (column by column), then the bias. False when the file cannot be written.
bool record_weights(taffrail::Run& run, const Model& model, const std::string& path);

/// After training: the latent space as an embedding and a tensor of its centres, a walk through it
/// (video), a digit as a landscape (mesh), the loss as a falling tone (audio).
void record_end(taffrail::Run& run, const Model& model, const Digits& held_out,
                const LatentClasses& classes, const std::vector<double>& losses,
                taffrail::Step step);

}  // namespace vae_digits
