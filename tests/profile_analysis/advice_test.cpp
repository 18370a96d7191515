// Every rule at its threshold: exactly there it is silent, a little beyond it speaks.
#include "trace.h"

namespace taffrail::profile::analysis::testing {
namespace {

/// Whether the rule spoke, and with which number.
std::optional<double> measured(const Trace& trace, std::string_view rule) {
    const Analysis found = trace.analysis();
    const Advice* advice = find_advice(found, rule);
    if (advice == nullptr) {
        return std::nullopt;
    }
    EXPECT_FALSE(advice->text.empty());
    EXPECT_FALSE(advice->cure.empty());
    EXPECT_FALSE(advice->evidence.empty()) << rule;
    EXPECT_EQ(advice->exceeds == Exceeds::Above ? advice->measured > advice->threshold
                                                : advice->measured < advice->threshold,
              true);
    return advice->measured;
}

TEST(Advice, R1DataLoaderAboveFivePercent) {
    const auto with = [](double loader_us) {
        Trace trace;
        trace.step(1, 0, 1000).op("enumerate(DataLoader)#a.__next__", 0, loader_us);
        return trace;
    };
    EXPECT_EQ(measured(with(50), "R1"), std::nullopt);
    EXPECT_DOUBLE_EQ(measured(with(50.001), "R1").value_or(0), 0.050001);
    const Analysis found = with(200).analysis();
    const Advice& advice = *find_advice(found, "R1");
    EXPECT_NE(advice.text.find("20.0 %"), std::string::npos) << advice.text;
    ASSERT_EQ(advice.evidence.size(), 1U);
    EXPECT_EQ(advice.evidence[0].where, "step 1");
    EXPECT_EQ(advice.evidence[0].duration_ns, 200'000);
}

TEST(Advice, R1CountsLoadersThatNewTracesRecordAsAnnotations) {
    Trace trace;
    trace.step(1, 0, 1000).event("user_annotation", "enumerate(DataLoader)#a.__next__", 0, 100);
    EXPECT_TRUE(measured(trace, "R1").has_value());
}

TEST(Advice, R1CountsTheLoaderOfOurOwnLoop) {
    Trace trace;
    trace.step(1, 0, 1000).op("get_train_batch", 0, 300).op("run_training_batch", 300, 700);
    EXPECT_DOUBLE_EQ(measured(trace, "R1").value_or(0), 0.3);
}

TEST(Advice, R2DataParallelOnSeveralDevices) {
    const auto with = [](int devices) {
        Trace trace;
        trace.step(1, 0, 1000).op("DataParallel.forward", 0, 10);
        for (int device = 0; device < devices; ++device) {
            trace.kernel("k", 1, 1, 5, 900, device);
        }
        return trace;
    };
    EXPECT_EQ(measured(with(1), "R2"), std::nullopt);
    EXPECT_DOUBLE_EQ(measured(with(2), "R2").value_or(0), 2);
}

TEST(Advice, R3DistributedWithoutNccl) {
    const auto with = [](int major, int minor, bool nccl) {
        Trace trace;
        trace.step(1, 0, 1000).op("DistributedDataParallel.forward", 0, 10).device(major, minor);
        if (nccl) {
            trace.op("nccl:all_reduce", 20, 10);
        }
        return trace;
    };
    EXPECT_EQ(measured(with(3, 4, false), "R3"), std::nullopt);
    EXPECT_TRUE(measured(with(3, 5, false), "R3").has_value());
    EXPECT_TRUE(measured(with(10, 0, false), "R3").has_value()) << "10.0 is above 3.5";
    EXPECT_EQ(measured(with(9, 0, true), "R3"), std::nullopt);
}

TEST(Advice, R4CommunicationAboveTenPercent) {
    const auto with = [](double length_us) {
        Trace trace;
        trace.step(1, 0, 1000).op("nccl:all_reduce", 0, length_us);
        return trace;
    };
    EXPECT_EQ(measured(with(100), "R4"), std::nullopt);
    EXPECT_DOUBLE_EQ(measured(with(100.001), "R4").value_or(0), 0.100001);
    const Analysis found = with(300).analysis();
    EXPECT_FALSE(find_advice(found, "R4")->caution.empty());
}

TEST(Advice, R5UtilisationBelowHalf) {
    const auto with = [](double kernel_us) {
        Trace trace;
        trace.step(1, 0, 1000).kernel("k", 0, 1, 10, kernel_us);
        return trace;
    };
    EXPECT_EQ(measured(with(500), "R5"), std::nullopt);
    EXPECT_DOUBLE_EQ(measured(with(499.999), "R5").value_or(0), 0.499999);
    const Analysis found = with(100).analysis();
    const Evidence& gap = find_advice(found, "R5")->evidence.front();
    EXPECT_EQ(gap.what, "idle after the last kernel") << "the longest stretch is behind it";
    EXPECT_EQ(gap.duration_ns, 890'000);
}

TEST(Advice, R6TensorCoresOfVoltaAndLater) {
    const auto with = [](int major, std::string_view kernel, std::string_view op) {
        Trace trace;
        trace.step(1, 0, 1000).device(major, 0).op(op, 0, 100).kernel(kernel, 10, 5, 20, 900);
        return trace;
    };
    EXPECT_TRUE(measured(with(7, "volta_sgemm", "aten::addmm"), "R6").has_value());
    EXPECT_EQ(measured(with(6, "volta_sgemm", "aten::addmm"), "R6"), std::nullopt);
    EXPECT_EQ(measured(with(7, "volta_sgemm", "aten::relu"), "R6"), std::nullopt);
    EXPECT_EQ(measured(with(7, "volta_h884gemm", "aten::addmm"), "R6"), std::nullopt);
    EXPECT_EQ(measured(with(9, "nvjet_sm90_tst_128x128", "aten::addmm"), "R6"), std::nullopt);
    // What cuBLAS runs for float32 on an H200: of the same family, without Tensor Cores.
    EXPECT_TRUE(
        measured(with(9, "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_ffma",
                      "aten::addmm"),
                 "R6")
            .has_value());
}

TEST(Advice, R7PeakAboveNineTenths) {
    const auto with = [](std::int64_t peak, int device_type) {
        Trace trace;
        trace.step(1, 0, 1000)
            .op("a", 0, 900)
            .device(9, 0, 1000)
            .memory(10, peak, peak, device_type);
        return trace;
    };
    EXPECT_EQ(measured(with(900, 1), "R7"), std::nullopt);
    EXPECT_DOUBLE_EQ(measured(with(901, 1), "R7").value_or(0), 0.901);
    EXPECT_EQ(measured(with(5000, 0), "R7"), std::nullopt) << "memory of the processor";
}

TEST(Advice, R8HostWaitAboveThirtyPercent) {
    const auto with = [](double gap_us) {
        Trace trace;
        trace.step(1, 0, 2000);
        trace.kernel("k", 0, 1, 10, 100);
        // Called just after the first one ended: the whole gap waits for it.
        trace.kernel("k", 110.5, 1, 110 + gap_us, 1000 - 100 - gap_us);
        return trace;
    };
    EXPECT_EQ(measured(with(300), "R8"), std::nullopt);
    EXPECT_DOUBLE_EQ(measured(with(300.001), "R8").value_or(0), 0.300001);
    const Analysis found = with(400).analysis();
    const Evidence& gap = find_advice(found, "R8")->evidence.front();
    EXPECT_EQ(gap.what, "idle before k");
    EXPECT_EQ(gap.where, "step 1, GPU 0");
    EXPECT_EQ(gap.duration_ns, 400'000);
}

TEST(Advice, R9KernelsShorterThanTheirCalls) {
    const auto with = [](int shorter, int longer) {
        Trace trace;
        trace.step(1, 0, 1000);
        for (int index = 0; index < shorter + longer; ++index) {
            trace.kernel("k", index * 20, 5, index * 20 + 6, index < shorter ? 4 : 5);
        }
        return trace;
    };
    EXPECT_EQ(measured(with(5, 5), "R9"), std::nullopt);
    EXPECT_DOUBLE_EQ(measured(with(6, 5), "R9").value_or(0), 6.0 / 11);
}

TEST(Advice, R10WaitingCallsAboveFivePercent) {
    const auto with = [](double wait_us) {
        Trace trace;
        trace.step(1, 0, 1000).kernel("k", 0, 1, 2, 500);
        trace.event("cuda_runtime", "cudaStreamSynchronize", 10, wait_us, R"({"correlation":99})");
        return trace;
    };
    EXPECT_EQ(measured(with(50), "R10"), std::nullopt);
    EXPECT_DOUBLE_EQ(measured(with(50.001), "R10").value_or(0), 0.050001);
}

TEST(Advice, R11PageableCopiesBelowHalfOfThePinnedRate) {
    const auto with = [](double pageable_us) {
        Trace trace;
        trace.step(1, 0, 10000).op("a", 0, 9000);
        trace.copy("Memcpy HtoD (Pinned -> Device)", 0, 100, 1 << 20);
        trace.copy("Memcpy HtoD (Pageable -> Device)", 200, pageable_us, 1 << 20);
        return trace;
    };
    EXPECT_EQ(measured(with(200), "R11"), std::nullopt);
    EXPECT_NEAR(measured(with(200.1), "R11").value_or(0), 0.49975, 1e-5);
}

TEST(Advice, R14SlowestStepsBeyondTwiceTheMedian) {
    const auto with = [](double slow_us) {
        Trace trace;
        double at = 0;
        for (int step = 0; step < 10; ++step) {
            const double length = step == 4 ? slow_us : 100;
            trace.step(step, at, length).op("a", at, 10);
            at += length;
        }
        return trace;
    };
    EXPECT_EQ(measured(with(200), "R14"), std::nullopt);
    EXPECT_NEAR(measured(with(200.1), "R14").value_or(0), 2.001, 1e-9);
    const Analysis found = with(500).analysis();
    EXPECT_EQ(find_advice(found, "R14")->evidence.at(0).what, "step 4");
}

TEST(Advice, R15AllocationsAfterTheFirstStep) {
    const auto with = [](double time_us) {
        Trace trace;
        trace.step(1, 0, 1000).step(2, 1000, 1000);
        trace.event("cuda_runtime", "cudaMalloc", time_us, 10);
        return trace;
    };
    EXPECT_EQ(measured(with(500), "R15"), std::nullopt);
    EXPECT_DOUBLE_EQ(measured(with(1000), "R15").value_or(0), 1);
}

TEST(Advice, EveryRuleHasAThresholdAndAName) {
    EXPECT_EQ(rules().size(), 13U);
    for (const Rule& rule : rules()) {
        EXPECT_FALSE(rule.topic.empty());
        EXPECT_FALSE(rule.title.empty());
    }
}

}  // namespace
}  // namespace taffrail::profile::analysis::testing
