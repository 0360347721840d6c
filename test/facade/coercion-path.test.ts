import { describe, expect, test } from '@jest/globals';
import { GraphQLSafeInt, GraphQLUUID } from 'graphql-scalars';
import { testOfConnection, testOfRawTarget } from './adapters.ts';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

const seenBy = (_: unknown, args: object) => ({ args: echo(_, args) });
const graph = buildTestSchema(
  `
  scalar SafeInt
  scalar UUID
  enum Color { RED DARK_BLUE }
  type Seen { args: String! }
  type Query {
    text(value: String!, other: String): Seen!
    int(value: Int!): Seen!
    safe(value: SafeInt!): Seen!
    uuid(value: UUID!): Seen!
    color(value: Color!): Seen!
    id(value: ID!): Seen!
    boolean(value: Boolean!): Seen!
  }
  type Mutation { change(id: Int!, value: Int, other: Int): Seen! }`,
  {
    SafeInt: GraphQLSafeInt.toConfig(),
    UUID: GraphQLUUID.toConfig(),
    Color: { RED: '#f00', DARK_BLUE: '#009' },
    Query: Object.fromEntries(['text', 'int', 'safe', 'uuid', 'color', 'id', 'boolean'].map(field => [field, seenBy])),
    Mutation: { change: seenBy },
  },
);

const types = {
  int: 'Int',
  safe: 'SafeInt',
  uuid: 'UUID',
  color: 'Color',
  id: 'ID',
  boolean: 'Boolean',
  text: 'String',
};
const operations = {
  ...Object.fromEntries(
    Object.entries(types).map(([field, type]) => [
      `things/${field}.graphql`,
      `query Get_${field}($value: ${type}!) @rest(method: GET, path: "/${field}/{value}/") { ${field}(value: $value) @body { args } }`,
    ]),
  ),
  'things/two.graphql': `query Two($first: String!, $second: String!) @rest(method: GET, path: "/two/{first}/and/{second}/") {
    text(value: $first, other: $second) @body { args } }`,
  'things/tree.graphql': `query Tree($owner: String!, $path: String!) @rest(method: GET, path: "/tree/{owner}/{+path}") {
    text(value: $path, other: $owner) @body { args } }`,
  'things/me.graphql': `query Me @rest(method: GET, path: "/text/me/") { text(value: "it is me") @body { args } }`,
  'things/change.graphql': `mutation Change($id: Int!, $value: Int, $other: Int) @rest(method: POST, path: "/things/{id}/") {
    change(id: $id, value: $value, other: $other) @body { args } }`,
};
const facade = await startTestFacade({ graph, operations });
const hosting = await startTestFacade({ graph, operations, product: 'hosting-like' });

async function seen(path: string): Promise<unknown> {
  const { status, json, text } = await facade.request(`/api/v1${path}`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return JSON.parse(json.args).value;
}

describe('a segment', () => {
  test('is decoded once and is one value, including encoded slashes', async () => {
    expect(await seen('/text/a%2Fb/')).toBe('a/b');
    expect(await seen('/text/a%252Fb/')).toBe('a%2Fb');
    expect(await seen('/text/a+b/')).toBe('a+b');
    expect(await seen('/text/%C5%BE%F0%9F%90%8E/')).toBe('ž🐎');
    expect(await seen('/text/%20/')).toBe(' ');
    expect(await seen('/text/a;b=c/')).toBe('a;b=c');
    expect(await seen('/text/%3Fa%26b%23c/')).toBe('?a&b#c');
  });

  test('is the value of its own name, in any order', async () => {
    expect(JSON.parse((await facade.request('/api/v1/two/1/and/2/')).json.args)).toEqual({ value: '1', other: '2' });
  });

  test('may be a name of Object.prototype', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'null', 'undefined', '0', 'false']) {
      expect(await seen(`/text/${name}/`)).toBe(name);
    }
    expect(await seen('/id/0/')).toBe('0');
    expect(await seen('/int/0/')).toBe(0);
  });

  test('that is fixed takes precedence over a parameter', async () => {
    expect(await seen('/text/me/')).toBe('it is me');
    expect(await seen('/text/me%20/')).toBe('me ');
    expect(await seen('/text/m%65/')).toBe('it is me');
  });

  test('cannot be empty', async () => {
    expect((await facade.request('/api/v1/text//')).status).toBe(404);
    expect((await facade.request('/api/v1/two//and/2/')).status).toBe(404);
  });
});

describe('an invalid value of a path parameter is 404', () => {
  const absent = { detail: 'Not found.', code: 'not_found' };

  test.each([
    '/int/five/',
    '/int/5.0/',
    '/int/2147483648/',
    '/int/%20/',
    '/int/1%00/',
    '/safe/9007199254740993/',
    '/uuid/7/',
    '/color/RED/',
    '/color/__proto__/',
    '/boolean/2/',
    '/text/a%00b/',
    '/id/%00/',
  ])('%s', async path => {
    const { status, json } = await facade.request(`/api/v1${path}`);
    expect([status, json]).toEqual([404, absent]);
    const other = await hosting.request(path);
    expect([other.status, other.json.message]).toEqual([404, 'Not Found']);
  });

  test('numbers are exact beyond 32 bits', async () => {
    expect(await seen('/safe/9007199254740991/')).toBe(9007199254740991);
    expect(await seen('/safe/4294967296/')).toBe(4294967296);
  });

  testOfRawTarget('and so is a path with invalid percent-encoding or UTF-8', async () => {
    for (const path of ['/text/%/', '/text/%zz/', '/text/%ff/', '/text/%ed%a0%80/', '/text/%c0%af/', '/te%xt/a/']) {
      const answer = await sendRaw(facade.url, rawRequest('GET', `/api/v1${path}`));
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
      expect(answer).toContain(JSON.stringify(absent));
    }
  });
});

describe('a write', () => {
  test('reads path and body, by presence and not by truthiness, and no query string', async () => {
    const args = async (path: string, body: unknown): Promise<unknown> =>
      JSON.parse((await facade.send('POST', `/api/v1/things/7/${path}`, body)).json.args);
    expect(await args('?id=8&value=0&other=', { id: 9, value: 5, other: 6 })).toEqual({ id: 7, value: 5, other: 6 });
    expect(await args('', { id: 9, value: 0, other: null })).toEqual({ id: 7, value: 0, other: null });
    expect(await args('?value=0', {})).toEqual({ id: 7 });
  });
});

describe('the rest of a path', () => {
  const tree = async (path: string): Promise<unknown> => {
    const { status, json } = await hosting.request(`/tree/o${path}`);
    return status === 200 ? JSON.parse(json.args).value : status;
  };

  test('keeps its slashes and is decoded segment by segment', async () => {
    expect(await tree('/a/b/c.txt')).toBe('a/b/c.txt');
    expect(await tree('/a%20b/%C5%BE')).toBe('a b/ž');
    expect(await tree('/a//b/')).toBe('a//b/');
    expect(await tree('/')).toBe('');
    expect(await tree('')).toBe(404);
  });

  testOfRawTarget('is 404 with bytes that are not UTF-8', async () => {
    expect(await tree('/a/%ff')).toBe(404);
  });

  testOfConnection('reaches the resolver as sent, with dots', async () => {
    const answer = await sendRaw(hosting.url, rawRequest('GET', '/tree/o/../%2e%2e/./x'));
    expect(answer).toContain('../.././x');
  });
});

describe('a request target', () => {
  test('may be in absolute form', async () => {
    const answer = await sendRaw(facade.url, rawRequest('GET', 'http://other.example/api/v1/text/a?x=1'));
    expect(answer).toMatch(/^HTTP\/1\.1 301 /);
    expect(answer).toContain('Location: https://api.example.org/api/v1/text/a/?x=1\r\n');
    expect(await sendRaw(facade.url, rawRequest('GET', 'http://other.example/api/v1/text/me/'))).toContain('it is me');
    expect(await sendRaw(facade.url, rawRequest('GET', 'HTTP://other.example:80/api/v1/text/../me/'))).toMatch(
      /^HTTP\/1\.1 404 /,
    );
  });

  testOfConnection('without a path is not handled', async () => {
    expect(await sendRaw(facade.url, rawRequest('OPTIONS', '*'))).toMatch(/^HTTP\/1\.1 421 /);
    expect(await sendRaw(facade.url, rawRequest('GET', '/api/v10/text/me/'))).toMatch(/^HTTP\/1\.1 421 /);
    expect(await sendRaw(facade.url, rawRequest('GET', 'http://other.example'))).toMatch(/^HTTP\/1\.1 421 /);
    expect(await sendRaw(hosting.url, rawRequest('GET', 'http://other.example?a=1'))).toMatch(/^HTTP\/1\.1 404 /);
  });
});
