// A catalogue of runs found by a function, and every question that a reader may ask of it.
#pragma once

#include "model/gathered_catalogue.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace taffrail::test {

inline std::unique_ptr<model::GatheredCatalogue> opened(model::GatheredCatalogue::Find find) {
    auto catalogue = std::make_unique<model::GatheredCatalogue>(std::move(find));
    EXPECT_TRUE(catalogue->refresh().ok());
    return catalogue;
}

/// Points by run and key. Asks for everything else too: nothing may crash or disagree.
inline std::map<std::string, std::map<std::string, std::size_t>> ask_all(const Catalogue& runs) {
    std::map<std::string, std::map<std::string, std::size_t>> points;
    for (const RunInfo& info : runs.runs()) {
        const auto run = runs.run(info.id).value();
        auto& of_run = points[info.name];
        for (const KeyInfo& key : run->keys()) {
            if (key.kind == Kind::Scalar) {
                of_run[key.key] = run->points(key.key).value().size();
                EXPECT_EQ(of_run[key.key], key.count) << key.key;
                EXPECT_TRUE(run->bins(key.key, {.width = 16}).ok());
            } else {
                static_cast<void>(run->entries(key.key));
            }
        }
        EXPECT_TRUE(run->for_each([](const Record&) { return true; }).ok());
        static_cast<void>(run->console(0, 100));
        static_cast<void>(run->environment());
        static_cast<void>(run->damage());
    }
    return points;
}

}  // namespace taffrail::test
