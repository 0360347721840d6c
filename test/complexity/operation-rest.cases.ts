import { PassThrough } from 'node:stream';
import { parseByteRange } from '../../packages/operation-rest/src/byte-range.ts';
import {
  assertReadableDate,
  computeBodyTag,
  computeEtag,
  isFresh,
  matchesEtag,
  quoteEtag,
} from '../../packages/operation-rest/src/conditional-requests.ts';
import { acceptJson } from '../../packages/operation-rest/src/define-product.ts';
import { acceptsEventStream } from '../../packages/operation-rest/src/event-stream.ts';
import type { HttpRequest } from '../../packages/operation-rest/src/http-messages.ts';
import { findJsonExcess } from '../../packages/operation-rest/src/json-complexity.ts';
import { formatBodyInTurns, formatJson, hasLongList, JsonText } from '../../packages/operation-rest/src/json-text.ts';
import { limitLinkQuery } from '../../packages/operation-rest/src/link-query.ts';
import { parseMultipart } from '../../packages/operation-rest/src/multipart-form.ts';
import { formatLinkHeader, pageEnvelope } from '../../packages/operation-rest/src/paging.ts';
import { parseShortJson } from '../../packages/operation-rest/src/parse-json.ts';
import { printableText } from '../../packages/operation-rest/src/printable-text.ts';
import {
  keepQueryParameters,
  parseQueryString,
  setQueryParameter,
} from '../../packages/operation-rest/src/query-string.ts';
import { readBody } from '../../packages/operation-rest/src/read-body.ts';
import { formatUrl, parseRequestTarget } from '../../packages/operation-rest/src/request-target.ts';
import { RouteTable } from '../../packages/operation-rest/src/route-table.ts';
import { type Case, exported } from './complexity.ts';
import { userLimits } from './user-limits.ts';

const source = (file: string, ...names: string[]): string[] =>
  exported(`packages/operation-rest/src/${file}`, ...names);

type TextOf = (size: number) => string;

/** A case for each shape of one text. */
function shapes(
  subject: string,
  covers: string[],
  sizes: { from: number; largest: number },
  texts: Record<string, TextOf>,
  run: (text: string) => unknown,
): Case[] {
  return Object.entries(texts).map(([shape, textOf]) => ({
    name: `${subject}: ${shape}`,
    covers,
    sizes,
    prepare: size => {
      const text = textOf(size);
      return () => run(text);
    },
  }));
}

const headerSizes = { from: 1_000, largest: userLimits.headerBytes };
const bodySizes = { from: 8_000, largest: 1024 * 1024 };

/** A request with a body in one piece. */
function requestOf(body: string | Buffer, type: string): HttpRequest {
  const bytes = Buffer.from(body);
  const stream = new PassThrough();
  stream.end(bytes);
  const headers = { 'content-length': `${bytes.length}`, 'content-type': type };
  return Object.assign(stream, { headers, method: 'POST', url: '/' }) as unknown as HttpRequest;
}

const limits = {
  maxBytes: 2 * 1024 * 1024,
  maxTextBytes: 2 * 1024 * 1024,
  maxMemoryBytes: 2 * 1024 * 1024,
  longTextKeys: [],
  acquireFileSlot: undefined,
};

const headerCases: Case[] = [
  ...shapes(
    'If-None-Match',
    source('conditional-requests.ts', 'isFresh', 'matchesEtag'),
    headerSizes,
    {
      tags: size => '"a",'.repeat(size / 4),
      'a quote without an end': size => `"${'a'.repeat(size)}`,
      quotes: size => 'W/"'.repeat(size / 3),
      blanks: size => ' '.repeat(size),
      commas: size => ','.repeat(size),
    },
    text => [isFresh({ 'if-none-match': text }, { getHeader: () => `"${'a'.repeat(64)}"` }), matchesEtag(text, '"a"')],
  ),
  ...shapes(
    'If-Modified-Since',
    source('conditional-requests.ts', 'assertReadableDate', 'isFresh'),
    headerSizes,
    {
      letters: size => `Mon${'a'.repeat(size)}`,
      days: size => `M${'day'.repeat(size / 3)}`,
      blanks: size => ' '.repeat(size),
    },
    text => {
      isFresh({ 'if-modified-since': text }, { getHeader: () => 'Mon, 02 Nov 2026 00:00:00 GMT' });
      try {
        assertReadableDate({ 'if-modified-since': text });
      } catch {
        // The published answer to a date that cannot be read.
      }
    },
  ),
  ...shapes(
    'Range',
    source('byte-range.ts', 'parseByteRange'),
    headerSizes,
    {
      digits: size => `bytes=${'1'.repeat(size)}x`,
      ranges: size => `bytes=${'1-2,'.repeat(size / 4)}`,
      blanks: size => `${' '.repeat(size)}bytes=0-1`,
    },
    text => parseByteRange({ range: text }, 1_000, undefined),
  ),
  ...shapes(
    'Accept',
    [...source('define-product.ts', 'acceptJson'), ...source('event-stream.ts', 'acceptsEventStream')],
    headerSizes,
    {
      ranges: size => 'text/event-stream;q=0.1,'.repeat(size / 24),
      parameters: size => `text/event-stream${';q=0'.repeat(size / 4)}`,
      commas: size => `text/event-stream${','.repeat(size)}`,
      blanks: size => `text/event-stream${' '.repeat(size)};`,
      zeros: size => `application/json;q=0.${'0'.repeat(size)}1`,
    },
    text => [acceptJson(text), acceptsEventStream(text)],
  ),
  ...shapes(
    'a request target',
    source('request-target.ts', 'parseRequestTarget', 'formatUrl'),
    headerSizes,
    {
      slashes: size => `http:${'/'.repeat(size)}`,
      authority: size => `http://${'a'.repeat(size)}`,
      quotes: size => `/?${'"'.repeat(size)}`,
    },
    text => {
      const target = parseRequestTarget({ url: text } as HttpRequest);
      return target && formatUrl('http://a', target.pathname, target.search);
    },
  ),
];

const table = new RouteTable<string>();
for (const [at, path] of [
  '/repos/{owner}/{repo}/contents/{+path}',
  '/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}',
  '/a/a/a/a/a/a/a/a/a/a',
  '/a/{b}/a/{d}/a/{f}/a/{h}/a/{j}',
  '/{+rest}',
].entries()) {
  table.add(`${at}.graphql`, 'GET', path, path);
}

const addresses: Case[] = [
  ...shapes(
    'matching a path',
    source('route-table.ts', 'RouteTable'),
    headerSizes,
    {
      segments: size => '/a'.repeat(size / 2),
      slashes: size => '/'.repeat(size),
      'percent signs': size => `/${'%41'.repeat(size / 3)}`,
      'invalid percent signs': size => `/${'%f'.repeat(size / 2)}`,
      'encoded segments': size => '/%41'.repeat(size / 4),
    },
    text => table.match(text),
  ),
  ...shapes(
    'a query',
    [
      ...source('query-string.ts', 'parseQueryString', 'setQueryParameter', 'keepQueryParameters'),
      ...source('link-query.ts', 'limitLinkQuery'),
      ...source('printable-text.ts', 'printableText'),
    ],
    headerSizes,
    {
      'names without values': size => `?${'a&'.repeat(size / 2)}`,
      'one name': size => `?${'a=1&'.repeat(size / 4)}`,
      'many names': size => `?${Array.from({ length: size / 8 }, (_, at) => `a${at}=1&`).join('')}`,
      'percent signs': size => `?${'%41=%42&'.repeat(size / 8)}`,
      'plus signs': size => `?${'a+=+&'.repeat(size / 5)}`,
      'equal signs': size => `?a${'='.repeat(size)}`,
    },
    text => [
      parseQueryString(text),
      setQueryParameter(text, 'page', '2'),
      keepQueryParameters(text, new Set(['a'])),
      limitedQuery(text),
      printableText(text, 50),
    ],
  ),
  ...shapes(
    'links of pages',
    [...source('paging.ts', 'formatLinkHeader', 'pageEnvelope'), ...source('conventions/link-header.ts', 'linkHeader')],
    { from: 1_000, largest: 4_000 },
    { parameters: size => `?${'a=1&'.repeat(size / 4)}`, quotes: size => `?${'"'.repeat(size)}` },
    search => {
      const paging = {
        page: 'page',
        size: 'per_page',
        maxSize: 100,
        badPage: 'not-found' as const,
        envelope: envelope,
      };
      const info = { page: 2, last: 9, total: 900 };
      const links = { style: 'LINK' as const, pageInfo: info, maxEntries: undefined, cursor: 'after', search };
      return [
        formatLinkHeader(
          links as unknown as Parameters<typeof formatLinkHeader>[0],
          '/a',
          'http://a',
          paging as never,
          100,
        ),
        pageEnvelope(info as never, [], { pathname: '/a', search }, 'http://a', paging as never),
      ];
    },
  ),
];

const envelope = { head: (head: object) => head, itemsKey: 'results' };

function limitedQuery(search: string): string | undefined {
  try {
    return limitLinkQuery({ parameters: [] }, 'COUNT', search);
  } catch {
    return undefined;
  }
}

const jsonShapes: Record<string, TextOf> = {
  'one key that repeats': size => `{${'"a":1,'.repeat(size / 6)}"a":1}`,
  'one key with a text that repeats': size => `{${'"content":"a",'.repeat(size / 14)}"content":"a"}`,
  'many keys': size => `{${Array.from({ length: size / 10 }, (_, at) => `"a${at}":1,`).join('')}"a":1}`,
  arrays: size => `{"a":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`,
  'empty arrays': size => `{"a":[${'[],'.repeat(size / 3)}[]]}`,
  backslashes: size => `{"a":"${'\\\\'.repeat(size / 2)}"}`,
  'a text of escapes': size => `{"content":"${'\\u0041'.repeat(size / 6)}"}`,
  'quotes after backslashes': size => `{"a":"${'\\"'.repeat(size / 2)}"}`,
  'backslashes without an end': size => `{"a":"${'\\'.repeat(size)}`,
  digits: size => `{"a":${'1'.repeat(size)}}`,
  blanks: size => `{${' '.repeat(size)}}`,
};

const jsonExcess = (text: string): unknown => [findJsonExcess(text), formatJson({ text })];

const bodies: Case[] = [
  ...shapes(
    'the complexity of JSON',
    [...source('json-complexity.ts', 'findJsonExcess', 'endOfString'), ...source('json-text.ts', 'formatJson')],
    bodySizes,
    jsonShapes,
    jsonExcess,
  ),
  ...shapes(
    'a JSON body',
    [...source('read-body.ts', 'readBody', 'receiveBytes'), ...source('parse-json.ts', 'parseJson')],
    bodySizes,
    jsonShapes,
    text => readBody(requestOf(text, 'application/json'), limits, 'json-or-form').catch(refusedBody),
  ),
  ...shapes(
    'a JSON body with texts in files',
    [
      ...source('read-body.ts', 'readBody'),
      ...source('temp-file-json-reader.ts', 'TempFileJsonReader'),
      ...source('temp-file-text.ts', 'TempFileText', 'wholeCharacterBytes'),
      ...source('temp-file.ts', 'TempFile'),
    ],
    bodySizes,
    jsonShapes,
    async text => {
      const inFiles = { ...limits, maxMemoryBytes: 1_000, longTextKeys: ['content'] };
      const body = await readBody(requestOf(text, 'application/json'), inFiles, 'json-or-form').catch(refusedBody);
      if (body && 'close' in body) await body.close?.();
    },
  ),
  ...shapes(
    'a form',
    [...source('read-body.ts', 'readBody'), ...source('query-string.ts', 'parseForm')],
    bodySizes,
    { 'names without values': size => 'a&'.repeat(size / 2), 'percent signs': size => '%41=%42&'.repeat(size / 8) },
    text => readBody(requestOf(text, 'application/x-www-form-urlencoded'), limits, 'json-or-form').catch(refusedBody),
  ),
  ...shapes(
    'a multipart form',
    source('multipart-form.ts', 'parseMultipart'),
    bodySizes,
    {
      'one name': size => part('name="a"', '1').repeat(size / part('name="a"', '1').length),
      'many dashes': size => part('name="a"', '--'.repeat(size / 2)),
      'almost the boundary': size => part('name="a"', '\r\n--'.repeat(size / 4)),
      'a long header': size => part(`name="a"; ${'a=b; '.repeat(size / 5)}`, '1'),
      'many headers': size => `--x\r\n${'a: b\r\n'.repeat(size / 6)}\r\n1\r\n`,
      'a quote without an end': size => part(`name="${'\\"'.repeat(size / 2)}`, '1'),
      'blanks in a header': size => part(`name=a${' '.repeat(size)};`, '1'),
    },
    text =>
      parseMultipart('multipart/form-data; boundary=x', Buffer.from(`${text}--x--\r\n`), limits.maxTextBytes).catch(
        refusedBody,
      ),
  ),
  ...shapes(
    'an entity tag',
    source('conditional-requests.ts', 'computeEtag', 'quoteEtag'),
    { from: 65_536, largest: 4 * 1024 * 1024 },
    { text: size => '"'.repeat(size) },
    text => [computeEtag(text), quoteEtag(text)],
  ),
  ...shapes(
    'an entity tag of a payload',
    source('conditional-requests.ts', 'computeBodyTag'),
    { from: 1024 * 1024, largest: 25 * 1024 * 1024 },
    { text: size => 'é'.repeat(size / 2), pairs: size => '😀'.repeat(size / 4) },
    text => computeBodyTag(text, /_url":"[^"?]*\?token=[^"]*/g),
  ),
  ...shapes(
    'a message of JSON',
    source('parse-json.ts', 'parseShortJson'),
    { from: 8_000, largest: 256 * 1024 },
    jsonShapes,
    text => {
      try {
        parseShortJson(text);
      } catch {
        // It is refused.
      }
    },
  ),
  ...responses(),
];

/** Values of responses by their items. The largest are those of a listing of a tree, and of a GraphQL response of 16 MB. */
function responses(): Case[] {
  const values: Record<string, (size: number) => unknown> = {
    'a list of objects': size => ({
      tree: Array.from({ length: size }, (_, at) => ({ path: `a/${at}`, mode: '100644', type: 'blob', size: at })),
    }),
    'a list of lists': size => Array.from({ length: size / 10 }, () => Array(10).fill('a')),
    // Of one object; a map of a response has some hundred.
    'many keys': size => Object.fromEntries(Array.from({ length: size / 5 }, (_, at) => [`key${at}`, at])),
    'lists within objects': size => {
      let value: unknown = Array(100).fill('a'.repeat(100));
      for (let depth = 0; depth < size / 1_000; depth++) value = { above: Array(1_000).fill(depth), value };
      return value;
    },
    texts: size => Array.from({ length: size / 1_000 }, () => '\u0001'.repeat(30_000)),
    'one text': size => ({ text: '\u0001'.repeat(size * 10) }),
    'JSON that is formatted': size => ({
      payload: new JsonText(`["${'a'.repeat(size * 100)}"]`),
      list: Array(size).fill(null),
    }),
  };
  return Object.entries(values).map(([shape, build]) => ({
    name: `a response: ${shape}`,
    covers: source('json-text.ts', 'formatBodyInTurns', 'formatJsonInTurns', 'formatJson', 'hasLongList', 'JsonText'),
    sizes: { from: 1_000, largest: 100_000 },
    prepare: size => {
      const value = build(size);
      return () => hasLongList(value) !== undefined && formatBodyInTurns(value);
    },
  }));
}

function part(disposition: string, content: string): string {
  return `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
}

/** A refused body costs what it costs to find that out. */
const refusedBody = (): undefined => undefined;

export const operationRestCases: readonly Case[] = [...headerCases, ...addresses, ...bodies];
