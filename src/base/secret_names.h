// Which names promise that their value is a secret: one answer for configurations, hyperparameters,
// command lines and the options of sinks.
#pragma once

#include <string_view>

namespace taffrail {

/// True for names whose value is a secret: "db_password", "HF_TOKEN", "apiKey"; false for
/// "max_tokens", "tokenizer", "token_length", "pad_token". Any case and any joints.
bool is_secret_name(std::string_view name);

/// True for the stronger half of them, where even a plain number is a secret: "password", not
/// "token".
bool is_password_name(std::string_view name);

/// True for names whose value is a fingerprint that merely looks random: "commit", "data_sha256".
bool is_fingerprint_name(std::string_view name);

/// True for names of identifiers: "run_id", "uuid". A UUID under them is no secret.
bool is_identifier_name(std::string_view name);

}  // namespace taffrail
