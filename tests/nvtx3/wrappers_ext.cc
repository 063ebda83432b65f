// SPDX-License-Identifier: Apache-2.0
// NVIDIA's C++ wrappers of the extensions on top of these headers. What the tool hears is compared by
// run.sh.
#include <nvtx3/nvtx3.hpp>

struct test_domain {
    static constexpr char const *name{"wrapped"};
};

struct measured {
    std::int32_t number;
    double value;
    float parts[3];
};

NVTX3_DEFINE_SCHEMA_GET(
    test_domain, measured, "measured",
    NVTX_PAYLOAD_ENTRIES(
        (number, TYPE_INT32, "number"),
        (value, TYPE_DOUBLE, "value", nullptr, 0, UNUSED,
         NVTX3_SEMANTIC(nvtx3::counter_semantic{}.unit("C").limits(-40.0, 85.0))),
        (parts, TYPE_FLOAT, "parts", "of the number", 3, ARRAY_FIXED_SIZE)))

int main()
{
    measured const one{1, 2.5, {1, 2, 3}};
    nvtx3::mark_in<test_domain>("marked", nvtx3::payload_data{one});
    nvtx3::scoped_range_in<test_domain> range{"range", nvtx3::payload_data{one}};
    nvtx3::counter_in<double, test_domain> counter{"counted", "with care"};
    counter.sample(0.5);
    nvtx3::timestamp();
}
