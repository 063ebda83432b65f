/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline of threads: one makes images, several filter them, one sums them up. Each image is a
 * started range that begins on the first thread and ends on the last, so that its whole way
 * through the queues can be seen; what each thread does with it is a pushed range.
 *
 *     rangefinder profile --export=json build/bin/example-pipeline
 */
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N_IMAGES = 64, N_FILTERS = 3, SIDE = 192, QUEUE_SIZE = 4 };

struct image {
    int number;
    nvtxRangeId_t journey;
    uint32_t pixels[SIDE * SIDE];
};

/* A bounded queue; NULL ends it. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct image *items[QUEUE_SIZE];
    int n;
};

static struct queue made = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {NULL}, 0};
static struct queue filtered = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {NULL}, 0};
static nvtxDomainHandle_t waiting; /* time spent on queues, in a domain of its own */

static void name_thread(const char *name)
{
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), name);
}

static void wait_for_change(struct queue *queue, const char *why)
{
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = why;
    nvtxDomainRangePushEx(waiting, &attributes);
    pthread_cond_wait(&queue->changed, &queue->lock);
    nvtxDomainRangePop(waiting);
}

static void queue_put(struct queue *queue, struct image *image)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->n == QUEUE_SIZE)
        wait_for_change(queue, "queue full");
    queue->items[queue->n++] = image;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static struct image *queue_take(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->n == 0)
        wait_for_change(queue, "queue empty");
    struct image *image = queue->items[0];
    for (int i = 1; i < queue->n; i++)
        queue->items[i - 1] = queue->items[i];
    queue->n--;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return image;
}

/* The image's number is the range's payload, so that all images are one row in the statistics. */
static nvtxRangeId_t start_journey(int number)
{
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.payloadType = NVTX_PAYLOAD_TYPE_INT32;
    attributes.payload.iValue = number;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "image";
    return nvtxRangeStartEx(&attributes);
}

static void *make_images(void *unused)
{
    (void)unused;
    name_thread("maker");
    for (int i = 0; i < N_IMAGES; i++) {
        struct image *image = malloc(sizeof *image);
        if (!image)
            abort();
        image->number = i;
        image->journey = start_journey(i);
        nvtxRangePushA("make");
        uint32_t random = (uint32_t)i + 1;
        for (int p = 0; p < SIDE * SIDE; p++)
            image->pixels[p] = (random = random * 1664525u + 1013904223u) >> 24;
        nvtxRangePop();
        queue_put(&made, image);
    }
    for (int i = 0; i < N_FILTERS; i++)
        queue_put(&made, NULL);
    return NULL;
}

/* A blur of 3 x 3 pixels. */
static void blur(struct image *image)
{
    static _Thread_local uint32_t copy[SIDE * SIDE];
    nvtxRangePushA("blur");
    for (int y = 1; y < SIDE - 1; y++) {
        for (int x = 1; x < SIDE - 1; x++) {
            uint32_t sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += image->pixels[(y + dy) * SIDE + x + dx];
            copy[y * SIDE + x] = sum / 9;
        }
    }
    nvtxRangePushA("copy back");
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++)
            image->pixels[y * SIDE + x] = copy[y * SIDE + x];
    nvtxRangePop();
    nvtxRangePop();
}

static void *filter_images(void *number)
{
    char name[32];
    snprintf(name, sizeof name, "filter %d", *(int *)number);
    name_thread(name);
    struct image *image;
    while ((image = queue_take(&made))) {
        blur(image);
        queue_put(&filtered, image);
    }
    queue_put(&filtered, NULL);
    return NULL;
}

static uint64_t sum_images(void)
{
    uint64_t total = 0;
    name_thread("summing up");
    for (int n_ended = 0; n_ended < N_FILTERS;) {
        struct image *image = queue_take(&filtered);
        if (!image) {
            n_ended++;
            continue;
        }
        nvtxRangePushA("sum");
        for (int p = 0; p < SIDE * SIDE; p++)
            total += image->pixels[p];
        nvtxRangePop();
        nvtxRangeEnd(image->journey); /* begun on another thread */
        free(image);
    }
    return total;
}

int main(void)
{
    waiting = nvtxDomainCreateA("waiting");
    pthread_t maker, filters[N_FILTERS];
    int numbers[N_FILTERS];
    if (pthread_create(&maker, NULL, make_images, NULL))
        return 1;
    for (int i = 0; i < N_FILTERS; i++) {
        numbers[i] = i;
        if (pthread_create(&filters[i], NULL, filter_images, &numbers[i]))
            return 1;
    }
    uint64_t total = sum_images();
    pthread_join(maker, NULL);
    for (int i = 0; i < N_FILTERS; i++)
        pthread_join(filters[i], NULL);
    printf("%d images, sum %llu\n", N_IMAGES, (unsigned long long)total);
    return 0;
}
