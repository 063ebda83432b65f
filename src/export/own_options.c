/* SPDX-License-Identifier: Apache-2.0 */
#include "export/own_options.h"

#include "base/error.h"
#include "base/sized.h"
#include "export/formats.h"

/* Formats without layouts have neither flavor, and those with layouts one of them. */
static int check_flavors(const struct rf_export_options *options,
                         const struct rf_export_format *format, struct rf_err *err)
{
    if (options->nsys2json != NULL && !format->has_layouts)
        return rf_fail(err, RF_ERR_USAGE, "the layout of nsys2json is one of json, not of %s",
                       format->name);
    if (options->kineto != NULL && !format->has_layouts)
        return rf_fail(err, RF_ERR_USAGE, "the flavor kineto is one of json, not of %s",
                       format->name);
    if (options->kineto != NULL && options->nsys2json != NULL)
        return rf_fail(err, RF_ERR_USAGE,
                       "the layout of nsys2json and the flavor kineto exclude each other");
    return RF_OK;
}

static int take_sized(struct rf_own_options *own, const struct rf_export_options *options,
                      struct rf_err *err)
{
    int status = rf_sized_options(&own->all, sizeof(own->all), options, "rf_export_options", err);
    if (status == RF_OK)
        status = rf_sized_options(&own->nsys2json, sizeof(own->nsys2json), own->all.nsys2json,
                                  "rf_nsys2json_options", err);
    if (status == RF_OK)
        status = rf_sized_options(&own->kineto, sizeof(own->kineto), own->all.kineto,
                                  "rf_kineto_options", err);
    if (own->all.nsys2json != NULL)
        own->all.nsys2json = &own->nsys2json;
    if (own->all.kineto != NULL)
        own->all.kineto = &own->kineto;
    return status;
}

int rf_own_options_take(struct rf_own_options *own, const struct rf_export_options *options,
                        struct rf_err *err)
{
    int status = take_sized(own, options, err);
    if (status != RF_OK)
        return status;
    own->format = rf_export_find(own->all.format, err);
    if (own->format == NULL)
        return RF_ERR_USAGE;
    status = check_flavors(&own->all, own->format, err);
    if (status != RF_OK)
        return status;
    if (own->all.output != NULL ? own->all.output[0] == '\0' : own->all.write == NULL)
        return rf_fail(err, RF_ERR_USAGE, "no output file was named");
    return RF_OK;
}
