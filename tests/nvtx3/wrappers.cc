// SPDX-License-Identifier: Apache-2.0
// NVIDIA's C++ wrappers on top of these headers. What the tool hears is compared by run.sh.
#include <nvtx3/nvtx3.hpp>

struct test_domain {
    static constexpr char const *name{"wrapped"};
};

struct test_string {
    static constexpr char const *message{"registered text"};
};

struct test_category {
    static constexpr char const *name{"wrapped category"};
    static constexpr std::uint32_t id{5};
};

static void function()
{
    NVTX3_FUNC_RANGE_IN(test_domain);
}

int main()
{
    nvtx3::scoped_range plain{"plain"};
    nvtx3::mark("marked", nvtx3::rgb{1, 2, 3}, nvtx3::payload{std::int32_t{-1}});
    function();
    {
        nvtx3::scoped_range_in<test_domain> range{
            nvtx3::event_attributes{nvtx3::registered_string_in<test_domain>::get<test_string>(),
                                    nvtx3::named_category_in<test_domain>::get<test_category>()}};
    }
    nvtx3::unique_range unique{"unique"};
    auto const handle = nvtx3::start_range(L"wide");
    nvtx3::end_range(handle);
}
