#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranges of asyncio's tasks, which take turns on one thread.

A decorated coroutine, and a block of `async with`, is a start/end range: it lasts until it is done,
whatever runs meanwhile. A plain `with` is right where nothing in it awaits.

    rangefinder profile python3 asyncio_tasks.py
"""

import asyncio

import rangefinder.nvtx as nvtx

N_CLIENTS = 4
N_REQUESTS = 3


@nvtx.annotate(color="green", category="network")
async def fetch(client, request):
    async with nvtx.annotate("connect", color="orange", payload=client):
        await asyncio.sleep(0.001 * (client + 1))
    await asyncio.sleep(0.001)
    return f"{client}.{request} " * 100


@nvtx.annotate(color="gray")
async def pages(client):
    """An asynchronous generator: its range lasts from the first page to the last."""
    for request in range(N_REQUESTS):
        yield await fetch(client, request)


async def run(client):
    n_words = 0
    async for page in pages(client):
        with nvtx.annotate("parse", color="blue"):
            n_words += len(page.split())
    return n_words


async def main():
    counts = await asyncio.gather(*(run(client) for client in range(N_CLIENTS)))
    nvtx.mark("all done", payload=sum(counts))
    print(f"{sum(counts)} words of {N_CLIENTS} clients")


if __name__ == "__main__":
    asyncio.run(main())
