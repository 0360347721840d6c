import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll } from '@jest/globals';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** '' for the first span of a trace. */
  parentSpanId: string;
  traceState: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  attributes: Record<string, string | number>;
  /** 2: failed. */
  status: number;
  resource: Record<string, string | number>;
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Headers and path of each request. */
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** All that was received, as text. */
  text(): string;
  /** Status of the next answers. */
  answer: { status: number; delayMs: number };
}

/** A receiver of OTLP over HTTP, in protobuf and JSON; closed after the file. */
export async function otlpReceiver(): Promise<OtlpReceiver> {
  const bodies: Buffer[] = [];
  const receiver: OtlpReceiver = {
    url: '',
    spans: [],
    requests: [],
    text: () => Buffer.concat(bodies).toString('latin1'),
    answer: { status: 200, delayMs: 0 },
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const sent = Buffer.concat(chunks);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const isJson = request.headers['content-type'] === 'application/json';
    const { status, delayMs } = receiver.answer;
    receiver.requests.push({ path: request.url ?? '', headers: request.headers });
    if (status === 200) {
      bodies.push(body);
      receiver.spans.push(...(isJson ? spansOfJson(JSON.parse(body.toString())) : spansOfProtobuf(body)));
    }
    setTimeout(
      () => response.writeHead(status, { 'content-type': request.headers['content-type'] }).end(isJson ? '{}' : ''),
      delayMs,
    ).unref();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}

interface JsonAttribute {
  key: string;
  value: { stringValue?: string; intValue?: string | number; doubleValue?: number };
}

interface JsonTraces {
  resourceSpans: {
    resource: { attributes: JsonAttribute[] };
    scopeSpans: {
      spans: (Pick<ReceivedSpan, 'traceId' | 'spanId' | 'name' | 'kind'> & {
        parentSpanId?: string;
        traceState?: string;
        attributes: JsonAttribute[];
        status?: { code?: number };
      })[];
    }[];
  }[];
}

function spansOfJson({ resourceSpans }: JsonTraces): ReceivedSpan[] {
  const valuesOf = (attributes: JsonAttribute[]): Record<string, string | number> =>
    Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)]),
    );
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, name, kind, parentSpanId = '', traceState = '', attributes, status }) => ({
        ...{ traceId, spanId, name, kind, parentSpanId, traceState },
        attributes: valuesOf(attributes),
        status: status?.code ?? 0,
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

/** The fields of a protobuf message by their number: bytes, or the number of a varint or fixed64. */
function fieldsOf(message: Buffer): Map<number, (Buffer | bigint)[]> {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    let value: Buffer | bigint;
    if (wire === 0) value = varint();
    else {
      const length = wire === 2 ? Number(varint()) : wire === 1 ? 8 : 4;
      const bytes = message.subarray(at, at + length);
      at += length;
      value = wire === 2 ? bytes : wire === 1 ? bytes.readBigUInt64LE() : BigInt(bytes.readUInt32LE());
    }
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

/** Numbers of fields: opentelemetry-proto, trace/v1/trace.proto and common/v1/common.proto. */
function spansOfProtobuf(request: Buffer): ReceivedSpan[] {
  const messages = (fields: Map<number, (Buffer | bigint)[]>, field: number): Map<number, (Buffer | bigint)[]>[] =>
    (fields.get(field) ?? []).map(one => fieldsOf(one as Buffer));
  const bytes = (fields: Map<number, (Buffer | bigint)[]>, field: number): Buffer =>
    (fields.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
  const number = (fields: Map<number, (Buffer | bigint)[]>, field: number): number =>
    Number(fields.get(field)?.[0] ?? 0);
  const attributesOf = (fields: Map<number, (Buffer | bigint)[]>, field: number): Record<string, string | number> =>
    Object.fromEntries(
      messages(fields, field).map(pair => {
        const value = fieldsOf(bytes(pair, 2));
        return [bytes(pair, 1).toString(), value.has(1) ? bytes(value, 1).toString() : number(value, 3)];
      }),
    );
  return messages(fieldsOf(request), 1).flatMap(group => {
    const resource = attributesOf(fieldsOf(bytes(group, 1)), 1);
    return messages(group, 2).flatMap(scope =>
      messages(scope, 2).map(span => ({
        traceId: bytes(span, 1).toString('hex'),
        spanId: bytes(span, 2).toString('hex'),
        traceState: bytes(span, 3).toString(),
        parentSpanId: bytes(span, 4).toString('hex'),
        name: bytes(span, 5).toString(),
        kind: number(span, 6),
        attributes: attributesOf(span, 9),
        status: number(fieldsOf(bytes(span, 15)), 3),
        resource,
      })),
    );
  });
}

/** The spans of one trace as a tree: each line is a name, indented below its parent. Spans of one parent are sorted by name. */
export function treeOf(spans: readonly ReceivedSpan[], traceId: string): string[] {
  const own = spans.filter(one => one.traceId === traceId);
  const ids = new Set(own.map(({ spanId }) => spanId));
  const below = (parent: ReceivedSpan | undefined, depth: number): string[] =>
    own
      .filter(one => (parent ? one.parentSpanId === parent.spanId : !ids.has(one.parentSpanId)))
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .flatMap(one => [`${'  '.repeat(depth)}${one.name}`, ...below(one, depth + 1)]);
  return below(undefined, 0);
}
