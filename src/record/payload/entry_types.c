/* SPDX-License-Identifier: Apache-2.0 */
#include "record/payload/entry_types.h"

#include <string.h>
#include <wchar.h>

size_t rf_type_size(uint64_t type)
{
    static const uint8_t size[] = {
        [1] = sizeof(char),
        [2] = sizeof(char),
        [3] = sizeof(short),
        [4] = sizeof(short),
        [5] = sizeof(int),
        [6] = sizeof(int),
        [7] = sizeof(long),
        [8] = sizeof(long),
        [9] = sizeof(long long),
        [10] = sizeof(long long),
        [11] = 1,
        [12] = 1,
        [13] = 2,
        [14] = 2,
        [15] = 4,
        [16] = 4,
        [17] = 8,
        [18] = 8,
        [19] = sizeof(float),
        [20] = sizeof(double),
        [21] = sizeof(long double),
        [22] = sizeof(size_t),
        [23] = sizeof(void *),
        [24] = sizeof(wchar_t),
        [25] = 1,
        [26] = 2,
        [27] = 4,
        [32] = 1, /* BYTE */
        [33] = 16,
        [34] = 16,
        [42] = 2, /* FLOAT16 to FLOAT128 */
        [43] = 4,
        [44] = 8,
        [45] = 16,
        [50] = 2,
        [52] = 4,
        [67] = 8, /* RANGE_ID, CATEGORY, COLOR_ARGB, SCOPE_ID */
        [68] = 4,
        [69] = 4,
        [70] = 8,
        [71] = 4, /* PID, TID */
        [72] = 8,
        [73] = 4,
        [74] = 8,
        [75] = 1, /* texts */
        [76] = 1,
        [77] = 2,
        [78] = 4,
        [80] = sizeof(void *),
        [RF_TYPE_SELECTOR] = 4,
    };
    return type < sizeof(size) ? size[type] : 0;
}

bool rf_type_is_integer(uint64_t type)
{
    return (type >= 1 && type <= 18) || type == 22;
}

uint64_t rf_type_read(uint64_t type, const void *bytes)
{
    uint64_t value = 0;
    size_t size = rf_type_size(type);
    bool is_signed = type == 1 ? (char)-1 < 0 : type != 22 && type % 2 == 1;
    if (!rf_type_is_integer(type))
        return 0;
    memcpy(&value, bytes, size);
    return is_signed && (value >> (8 * size - 1) & 1) != 0 ? 0 : value;
}
