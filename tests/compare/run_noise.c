/* SPDX-License-Identifier: Apache-2.0 */
#include "run_noise.h"

#include <math.h>

double noise_uniform(struct run_noise *noise)
{
    noise->seed += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = noise->seed;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) / 9007199254740992.0;
}

double noise_normal(struct run_noise *noise)
{
    const double radius = sqrt(-2 * log(1 - noise_uniform(noise)));
    return radius * cos(6.283185307179586 * noise_uniform(noise));
}

void noise_runs(struct run_noise *noise, double *a, double *b, size_t n)
{
    const double fresh = sqrt(1 - noise->follows * noise->follows);
    double drift = noise_normal(noise);
    for (size_t i = 0; i < 2 * n; i++) {
        double value = noise->spread * drift;
        if (noise_uniform(noise) < noise->disturbed)
            value += log1p(0.05 + 0.25 * noise_uniform(noise));
        (i % 2 == 0 ? a : b)[i / 2] = value;
        drift = noise->follows * drift + fresh * noise_normal(noise);
    }
}
