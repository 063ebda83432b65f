/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kernels: out of their mangled form, and the short ones that nsys's databases have. */
#include "model/gpu/demangle.h"
#include "unit.h"

static void test_short_names(void **state)
{
    /* as nsys and as the demangler write them; the first ones are of a recording by nsys */
    static const char *const names[][2] = {
        {"void at::native::vectorized_gather_kernel<(int)16, long>(char *, char *, T2 *, int, "
         "long)",
         "vectorized_gather_kernel"},
        {"void <unnamed>::elementwise_kernel_with_index<int, at::native::arange_cuda_out(const "
         "c10::Scalar &)::[lambda() (instance 1)]::operator ()() const::[lambda(long) (instance "
         "1)]>(T1, T2, function_traits<T2>::result_type *)",
         "elementwise_kernel_with_index"},
        {"void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<float, "
         "at::native::MeanOps<float, float, float, float>, unsigned int, float, (int)4, "
         "(int)4>>(T3)",
         "reduce_kernel"},
        {"sm80_xmma_gemm_f32f32__5x_cublas", "sm80_xmma_gemm_f32f32__5x_cublas"},
        {"kernA(int)", "kernA"},
        {"void ns::add<float>(float*, int)", "add"},
        {"(anonymous namespace)::f(int (*)(float, char))", "f"},
        {"void (anonymous namespace)::g<(8>4), int>(void (*)(int))", "g"},
        {"void a::b<&(c::d<int>(int))>()", "b"},
        {"void k<decltype (x->y)>(int) [clone .kd]", "k"},
        {"f", "f"},
        {"", ""},
        {"(", "("},
        {"()", "()"},
        {")", ")"},
        {">", ">"},
        {"x::<>()", "x::<>()"},
        {"]", "]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char text[256];
        size_t size;
        const char *name = rf_short_name(names[i][0], strlen(names[i][0]), &size);
        (void)snprintf(text, sizeof(text), "%.*s", (int)size, name);
        assert_string_equal(text, names[i][1]);
    }
}

#ifdef RF_HAS_DEMANGLER
static void test_demangling(void **state)
{
    char name[4096];
    (void)state;
    assert_int_equal(rf_demangle("_ZN2ns3addIfEEvPT_i", name, sizeof(name)), 32);
    assert_string_equal(name, "void ns::add<float>(float*, int)");
    assert_int_equal(rf_demangle("plain", name, sizeof(name)), 0);
    assert_int_equal(rf_demangle("", name, sizeof(name)), 0);
    assert_int_equal(rf_demangle("_Z", name, sizeof(name)), 0);
    assert_int_equal(rf_demangle("_Znonsense", name, sizeof(name)), 0);
    assert_int_equal(rf_demangle("_ZN2ns3addIfEEvPT_i", name, 32), 0); /* no room for the NUL */
    assert_int_equal(rf_demangle("_ZN2ns3addIfEEvPT_i", name, 33), 32);
}

/* Every parameter is a pair of what the one before it is: 200 bytes stand for 2^40. */
static void test_short_name_of_a_long_one(void **state)
{
    char mangled[1024] = "_Z1f1PIccE", name[4096];
    size_t n = strlen(mangled);
    (void)state;
    for (int i = 0; i < 30; i++) {
        char digit = (char)(i < 10 ? '0' + i : 'A' + i - 10);
        n += (size_t)snprintf(mangled + n, sizeof(mangled) - n, "S_IS%c_S%c_E", digit, digit);
    }
    assert_int_equal(rf_demangle(mangled, name, sizeof(name)), 0);
    /* and it goes on afterwards */
    assert_int_equal(rf_demangle("_Z1fv", name, sizeof(name)), 3);
}

/* As deep as anybody can nest. */
static void test_deep(void **state)
{
    const size_t n = 1 << 20;
    char *mangled = malloc(n + 8), name[4096];
    (void)state;
    memcpy(mangled, "_Z1f", 4);
    memset(mangled + 4, 'P', n);
    memcpy(mangled + 4 + n, "c", 2);
    (void)rf_demangle(mangled, name, sizeof(name));
    free(mangled);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_names),
#ifdef RF_HAS_DEMANGLER
        cmocka_unit_test(test_demangling),
        cmocka_unit_test(test_short_name_of_a_long_one),
        cmocka_unit_test(test_deep),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
