/* SPDX-License-Identifier: Apache-2.0 */
/* As much of OpenCL's header as nvToolsExtOpenCL.h needs, for machines without it. */
#ifndef STUB_CL_H
#define STUB_CL_H

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef struct _cl_sampler *cl_sampler;

#endif /* STUB_CL_H */
