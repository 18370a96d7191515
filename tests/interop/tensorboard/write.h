#pragma once

#include <string>

/// Pictures, sound, text, histograms, graphs, meshes, curves and embeddings below `root`.
void write_media(const std::string& root);
