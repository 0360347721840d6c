import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buildSchema, type GraphQLFieldResolver, type GraphQLObjectType } from 'graphql';
import { defineProduct } from '../define-product.ts';
import type { EventSink } from '../event-stream.ts';
import { createFacade, type Facade } from '../facade.ts';
import { bytes } from '../responders.ts';

/** The facade whose answers the cases know, and what its hooks have seen. */
export interface ConformanceFacade {
  facade: Facade;
  /** Defects that were reported. */
  defects: unknown[];
  /** Statuses of the requests whose response has been handed over. */
  responses: number[];
  /** Lets the resolver of `/events` return. */
  finishEvents(): void;
  /** Resolves when the client of `/events` has disconnected. */
  disconnected: Promise<void>;
}

/** Bytes of `/file`. */
export const file = Buffer.alloc(3 * 1024 * 1024, 'operation-rest ');
/** Maximum of a request body, in bytes. */
export const maxBodyBytes = 64 * 1024;
export const basePath = '/conformance';

const sdl = `
  type Text { text: String!, list: [String!], header: String }
  type File { handle: String!, mediaType: String!, size: Int!, etag: String }
  type PageInfo { page: Int!, last: Int! }
  type Page { nodes: [Int!]!, pageInfo: PageInfo! }
  type Query {
    text(text: String!, list: [String!], header: String): Text!
    absent: Text
    numbers(page: Int!, first: Int!): Page!
    file: File
    broken: File
    defect: Text
    events: Text
  }
  type Mutation { store(text: String!, list: [String!]): Text!, remove: Boolean }`;

// biome-ignore lint/plugin/word-tables: only iterated
const operations: Record<string, string> = {
  text: `query Text($text: String!, $list: [String!], $header: String @fromHeader(name: "X-Text"))
    @rest(method: GET, path: "/texts/{text}") { text(text: $text, list: $list, header: $header) @body { text list header } }`,
  absent: 'query Absent @rest(method: GET, path: "/absent") { absent @body { text } }',
  numbers: `query Numbers($page: Int = 1, $per_page: Int = 10) @rest(method: GET, path: "/numbers") {
    numbers(page: $page, first: $per_page) { pageInfo @page(style: LINK) { page last } nodes @body } }`,
  file: 'query File @rest(method: GET, path: "/file") { file @body { handle mediaType size etag } }',
  broken: 'query Broken @rest(method: GET, path: "/broken") { broken @body { handle mediaType size etag } }',
  defect: 'query Defect @rest(method: GET, path: "/defect") { defect @body { text } }',
  events: 'query Events @rest(method: GET, path: "/events") @stream { events @body { text } }',
  store: `mutation Store($text: String!, $list: [String!])
    @rest(method: POST, path: "/texts", status: 201, maxBodyBytes: ${maxBodyBytes}) { store(text: $text, list: $list) @body { text list } }`,
  remove: 'mutation Remove @rest(method: DELETE, path: "/texts", status: 204) { remove }',
};

/** Builds the facade. Its operation files are in a temporary folder that is gone when this returns. */
export function buildConformanceFacade(): ConformanceFacade {
  const defects: unknown[] = [];
  const responses: number[] = [];
  let finish: () => void = () => {};
  let disconnect: () => void = () => {};
  const finished = new Promise<void>(resolve => {
    finish = resolve;
  });
  const disconnected = new Promise<void>(resolve => {
    disconnect = resolve;
  });
  const echo = (_: unknown, args: object): object => args;
  const graph = buildSchema(sdl);
  const resolve = (type: GraphQLObjectType | undefined | null, resolvers: Record<string, unknown>): void => {
    const fields = type?.getFields() ?? {};
    for (const [name, resolver] of Object.entries(resolvers)) {
      const field = fields[name];
      if (field) field.resolve = resolver as GraphQLFieldResolver<unknown, unknown>;
    }
  };
  const described = { mediaType: 'text/plain', size: file.length };
  resolve(graph.getQueryType(), {
    text: echo,
    absent: () => null,
    numbers: (_: unknown, { page, first }: { page: number; first: number }) => ({
      nodes: Array.from({ length: first }, (_value, at) => (page - 1) * first + at + 1),
      pageInfo: { page, last: 3 },
    }),
    file: () => ({ ...described, handle: 'whole', etag: 'a1' }),
    broken: () => ({ ...described, handle: 'broken', etag: null }),
    defect: () => {
      throw new TypeError('secret');
    },
    async events(_: unknown, _args: unknown, { events }: { events: EventSink | undefined }) {
      events?.signal.addEventListener('abort', () => disconnect());
      events?.emit('delta', { n: 1 });
      await finished;
      return { text: 'done' };
    },
  });
  resolve(graph.getMutationType(), { store: echo, remove: () => true });

  const folder = mkdtempSync(join(tmpdir(), 'operation-rest-'));
  try {
    for (const [name, text] of Object.entries(operations)) writeFileSync(join(folder, `${name}.graphql`), text);
    const facade = createFacade({
      product: defineProduct({
        name: 'conformance',
        title: 'Conformance',
        version: '1',
        folder,
        basePaths: [basePath],
        cors: { origins: '*', allowHeaders: ['X-Text'], exposeHeaders: ['Link'], maxAgeSeconds: 60 },
        responseHeaders: () => ({ Vary: ['Accept', 'Accept-Encoding'] }),
        responders: { File: { send: bytes(openFile), responses: {} } },
      }),
      graph,
      context: (_request, _operation, _others, events) => ({ events }),
      origin: () => 'https://api.example.org',
      onResponse: ({ status }) => responses.push(status),
      onDefect: error => defects.push(error),
    });
    return { facade, defects, responses, finishEvents: finish, disconnected };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In chunks, so that it does not fit into one buffer of a socket. `broken` fails in the middle. */
function openFile(handle: string, _restContext: unknown, range = { start: 0, end: file.length - 1 }): Readable {
  const chunkBytes = 64 * 1024;
  return Readable.from(
    (function* () {
      for (let at = range.start; at <= range.end; at += chunkBytes) {
        if (handle === 'broken' && at > file.length / 2) throw new Error('The source failed.');
        yield file.subarray(at, Math.min(at + chunkBytes, range.end + 1));
      }
    })(),
    { objectMode: false },
  );
}
