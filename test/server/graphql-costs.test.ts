import { beforeEach, describe, expect, test } from '@jest/globals';
import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import { getIntrospectionQuery } from 'graphql';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const settings = { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback', HOSTING_BRAND: 'github' };
const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z', settings });
const off = await testGateway({ beside: gateway });
const demo = await demoOf(gateway);
const { juniper, wren } = demo.users;

let addresses = 0;
let address = '';
beforeEach(() => {
  address = `203.0.113.${++addresses}`;
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 3_600_000);
});

interface Sent {
  token?: string;
  variables?: Record<string, unknown>;
  accept?: string;
}

function ask(query: string, { token, variables, accept }: Sent = {}) {
  return gateway.request('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': address,
      ...(accept === undefined ? {} : { accept }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query, variables }),
  });
}
const resetAt = (seconds: number): string =>
  new Date(gateway.clock.now.getTime() + seconds * 1000).toISOString().replace('.000Z', '.000000Z');
const token = juniper.classic_token;

/** 100 repositories with a page of repositories of each owner, six times: 606 pages at most. */
const large = `{ ${'abcdef'
  .split('')
  .map(
    name =>
      `${name}: viewer { repositories(first: 100) { nodes { owner { repositories(first: 1) { nodes { name } } } } } }`,
  )
  .join(' ')} rateLimit { cost used remaining } }`;

describe('An operation', () => {
  test('costs at least a point of the hour, and every response states it', async () => {
    const { json, headers } = await ask(
      '{ viewer { login } rateLimit { limit cost remaining used resetAt nodeCount } }',
      {
        token,
      },
    );
    const standing = { limit: 5000, used: 1, remaining: 4999, resetAt: resetAt(3600) };
    expect(json).toEqual({
      data: { viewer: { login: 'juniper' }, rateLimit: { ...standing, cost: 1, nodeCount: 2 } },
      extensions: { cost: { estimated: 1, actual: 1, nodeCount: 2, resource: 'graphql', ...standing } },
    });
    expect(headers.get('x-ratelimit-limit')).toBe('5000');
    expect(headers.get('x-ratelimit-remaining')).toBe('4999');
    expect(headers.get('x-ratelimit-used')).toBe('1');
    expect(headers.get('x-ratelimit-reset')).toBe(String(gateway.clock.now.getTime() / 1000 + 3600));
    expect(headers.get('x-ratelimit-resource')).toBe('graphql');
    expect((await ask('{ viewer { login } }', { token: juniper.fine_grained_token })).json.extensions.cost.used).toBe(
      2,
    );
    expect((await ask('{ viewer { login } }', { token: wren.classic_token })).json.extensions.cost.used).toBe(1);
  });

  test('is charged its maximum cost first and refunded what the response did not need', async () => {
    const { json, headers } = await ask(large, { token });
    expect(json.data.rateLimit).toEqual({ cost: 6, used: 6, remaining: 4994 });
    expect(json.extensions.cost).toMatchObject({ estimated: 6, actual: 1, used: 1, remaining: 4999 });
    expect(headers.get('x-ratelimit-used')).toBe('1');
    expect((await ask('{ viewer { login } }', { token })).json.extensions.cost.used).toBe(2);
  });

  test('that fails costs a point, and one with an invalid credential none', async () => {
    const wrong = await ask('{ viewer { nonsense } }', { token });
    expect([wrong.status, wrong.json.extensions.cost.used]).toEqual([400, 1]);
    const torn = await ask('{ viewer {', { token });
    expect([torn.status, torn.json.extensions.cost.used]).toEqual([400, 2]);
    const bad = await ask('{ viewer { login } }', { token: 'hostp_nobodys' });
    expect([bad.status, bad.json.extensions, bad.headers.get('x-ratelimit-limit')]).toEqual([401, undefined, null]);
  });

  test('with a dry run is not executed and not charged', async () => {
    const query = `query($dry: Boolean!) { viewer { login } ...Limit } fragment Limit on Query { rateLimit(dryRun: $dry) { cost used remaining nodeCount } }`;
    const dry = await ask(query, { token, variables: { dry: true } });
    expect(dry.json.data).toEqual({ rateLimit: { cost: 1, used: 0, remaining: 5000, nodeCount: 2 } });
    expect(dry.json.extensions.cost).toMatchObject({ estimated: 1, actual: 0, used: 0 });
    const wet = await ask(query, { token, variables: { dry: false } });
    expect(wet.json.data).toMatchObject({ viewer: { login: 'juniper' }, rateLimit: { used: 1 } });
  });

  test.each([
    '{ viewer { login } rateLimit(dryRun: true) @skip(if: true) { cost } }',
    'query($no: Boolean = false) { viewer { login } ... @include(if: $no) { rateLimit(dryRun: true) { cost } } }',
    '{ viewer { login } ...Limit @skip(if: true) } fragment Limit on Query { rateLimit(dryRun: true) { cost } }',
  ])('is not dry where the field that asks for it is left out: %s', async query => {
    const { json } = await ask(query, { token });
    expect(json.data).toEqual({ viewer: { login: 'juniper' } });
    expect(json.extensions.cost.actual).toBe(1);
  });

  test.each([
    'query($no: Boolean = true) { viewer { login } rateLimit(dryRun: $no) { cost } }',
    'query($no: Boolean = true) { viewer { login } rateLimit(dryRun: true) @skip(if: $no) { cost } }',
    'query($no: Boolean = true) { viewer { login } rateLimit(dryRun: true) { cost @skip(if: $no) } }',
    'query($no: Boolean = true) { viewer { login } rateLimit(dryRun: true) { cost } b: rateLimit(dryRun: $no) { cost } }',
  ])('with null where a Boolean has to be is an error of the request: %s', async query => {
    const { status, json } = await ask(query, { token, variables: { no: null } });
    expect(status).toBe(200);
    expect(json.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  test('returns no limits if they are off', async () => {
    const { json } = await off.graphql('{ rateLimit { cost } articles(first: 1) { pageInfo { hasPreviousPage } } }');
    expect(json).toEqual({ data: { rateLimit: null, articles: { pageInfo: { hasPreviousPage: false } } } });
  });
});

describe('An anonymous caller', () => {
  test('has as many points per minute as requests of the health API, without headers of hosting windows', async () => {
    const query = '{ articles(first: 1) { nodes { id } } }';
    const first = await ask(query);
    expect(first.json.extensions.cost).toMatchObject({ limit: 60, used: 1, remaining: 59, resetAt: resetAt(60) });
    expect(first.headers.get('x-ratelimit-limit')).toBeNull();
    for (let at = 1; at < 60; at++) expect((await ask(query)).status).toBe(200);
    const refused = await ask(query, { accept: 'application/graphql-response+json' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toMatch(/^application\/graphql-response\+json/);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.json).toEqual({
      errors: [
        {
          message: expect.stringContaining(`API rate limit exceeded for ${address}.`),
          extensions: { code: 'RATE_LIMITED', retryAfter: 60 },
        },
      ],
    });
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    expect((await ask(query)).status).toBe(200);
  });

  test('has as many points of hosting fields per hour as REST requests', async () => {
    expect((await ask('{ user(login: "juniper") { login } }')).json.extensions.cost).toMatchObject({
      limit: 60,
      used: 1,
    });
    const query = '{ repository(owner: "harbor-lab", name: "compass") { name } }';
    const answer = await ask(query);
    expect(answer.json.data).toEqual({ repository: { name: 'compass' } });
    expect(answer.json.extensions.cost).toMatchObject({ limit: 60, used: 2, resetAt: resetAt(3600) });
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('58');
  });

  test('may introspect the schema every second', async () => {
    const query = getIntrospectionQuery();
    for (let at = 0; at < 70; at++) {
      const { status, json } = await ask(at === 0 ? query : '{ __schema { queryType { name } } }');
      expect(status).toBe(200);
      expect(json.extensions.cost).toMatchObject({ estimated: 0, actual: 0, used: 0 });
    }
    expect((await ask('{ articles(first: 1) { nodes { id } } }')).json.extensions.cost.used).toBe(1);
  });
});

test('The limit of points per minute has the error that clients recognize', async () => {
  const errors: unknown[] = [];
  const recordError =
    (kind: string) =>
    (retryAfter: number): boolean => {
      errors.push([kind, retryAfter]);
      return false;
    };
  const client = new (Octokit.plugin(throttling))({
    baseUrl: gateway.url,
    userAgent: 'portico tests',
    auth: token,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    throttle: { onRateLimit: recordError('primary'), onSecondaryRateLimit: recordError('secondary') },
  });
  const mutation = 'mutation { revokeToken(input: { tokenId: "VG9rZW46OTk5OTk5" }) { deletedId } }';
  for (let at = 0; at < 400; at += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(mutation, { token })));
    for (const { json } of answers) expect(json.errors[0].extensions.code).toBe('NOT_FOUND');
  }
  const refused = await ask('{ viewer { login } }', { token });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('4600');
  expect(refused.json).toEqual({
    errors: [
      {
        message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
        extensions: { code: 'SECONDARY_RATE_LIMITED', retryAfter: 60 },
      },
    ],
  });
  await expect(client.graphql('{ viewer { login } }')).rejects.toMatchObject({ status: 429 });
  expect(errors).toEqual([['secondary', 60]]);
}, 180_000);
