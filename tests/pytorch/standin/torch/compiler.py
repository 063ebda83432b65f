# SPDX-License-Identifier: Apache-2.0
is_on = False


def is_compiling():
    return is_on


def is_dynamo_compiling():
    return is_on
