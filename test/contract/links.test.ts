import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { contracts } from './contracts.ts';
import { officialCalls } from './official-calls/official-calls.ts';
import { officialWorld } from './official-calls/official-world.ts';

const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { SOURCE_IMPORTS: 'on', RATE_LIMIT_FACTOR: '100000' },
});
const world = await officialWorld(gateway);
const endpoints = contracts.find(({ product }) => product.name === 'hosting')?.endpoints ?? [];
const reads = endpoints.filter(({ operation }) => operation.method === 'GET').map(({ operation }) => operation.name);

/** Values of the variables in URL templates; they exist in the repository `harbor-lab/compass`. */
const values: Record<string, string> = {
  org: 'harbor-lab',
  owner: 'harbor-lab',
  repo: 'compass',
  user: 'wren',
  collaborator: '',
  branch: 'main',
  sha: 'main',
  path: 'README.md',
  ref: 'main',
  archive_format: 'tarball',
  base: 'main',
  head: 'main',
  member: 'wren',
  query: 'compass',
  client_id: world.demo.oauth_app.client_id,
  access_token: 'x',
};

/** Variables whose value depends on the template. */
const valuesOf: Readonly<Record<string, Record<string, string>>> = {
  assignees_url: { user: '' },
  starred_url: { owner: '', repo: '' },
  git_commits_url: { sha: '' },
  git_refs_url: { sha: 'heads/main' },
  blobs_url: { sha: '' },
  git_tags_url: { sha: '' },
};

/** A subscription is absent for whoever does not watch the repository, as the description has it. */
const mayBeAbsent = new Set(['subscription_url']);

interface FoundLink {
  /** Where it was found: operation and key. */
  key: string;
  url: string;
}

/** Every URL of this server in an answer, with the keys above it. Templates are expanded. */
function linksIn(value: unknown, key: string, into: FoundLink[]): void {
  if (Array.isArray(value)) for (const one of value) linksIn(one, key, into);
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) linksIn(one, name, into);
  else if (typeof value === 'string' && value.startsWith(`${gateway.url}/`) && !mayBeAbsent.has(key))
    into.push({ key, url: expand(value, key) });
}

/** Expands a template of RFC 6570 as far as such URLs use it. */
function expand(template: string, key: string): string {
  return template.replace(/\{([/?&+]?)([^}]+)\}/g, (_, operator: string, names: string) => {
    const given = names.split(',').map(name => [name, valuesOf[key]?.[name] ?? values[name] ?? ''] as const);
    const used = given.filter(([, value]) => value !== '');
    if (used.length === 0) return '';
    if (operator === '?' || operator === '&')
      return `${operator}${used.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
    return `${operator === '/' ? '/' : ''}${used.map(([, value]) => value).join('/')}`;
  });
}

/** One address of each kind: numbers and ids differ, and what answers one answers the others. */
const kindOf = (url: string): string =>
  url
    .slice(gateway.url.length)
    .replace(/\b[0-9a-f]{40}\b/g, ':sha')
    .replace(/\b\d+\b/g, ':n');

const seen = new Map<string, number>();

async function statusOf(url: string, authorization: string | undefined): Promise<number> {
  const key = `${authorization ?? ''} ${kindOf(url)}`;
  const known = seen.get(key);
  if (known !== undefined) return known;
  const { status } = await gateway.request(url.slice(gateway.url.length), {
    headers: { 'user-agent': 'portico tests', accept: '*/*', ...(authorization ? { authorization } : {}) },
  });
  seen.set(key, status);
  return status;
}

/** What only others may read is answered to them; what is written to has a method other than GET. */
async function answersSomebody(url: string): Promise<boolean> {
  for (const authorization of callers) if ((await statusOf(url, authorization)) < 400) return true;
  const { headers } = await gateway.request(url.slice(gateway.url.length), {
    method: 'OPTIONS',
    headers: { 'user-agent': 'portico tests' },
  });
  return /POST|PUT|PATCH|DELETE/.test(headers.get('allow') ?? '');
}

const callers = [
  ...Object.values(world.demo.users).map(({ classic_token }) => `Bearer ${classic_token}`),
  `Bearer ${world.demo.tokens.installation}`,
  await world.asApp(),
];

describe('every URL that a read hands out answers', () => {
  test.each(reads)('%s', async name => {
    const make = officialCalls[name];
    if (!make) throw new Error(`There is no call of ${name} in test/contract/official-calls.`);
    const dead: string[] = [];
    for (const { path, authorization, accept } of [await make(world)].flat()) {
      const answer = await gateway.request(path, {
        headers: {
          'user-agent': 'portico tests',
          accept: accept ?? '*/*',
          ...(authorization ? { authorization } : {}),
        },
      });
      if (!answer.headers.get('content-type')?.includes('json')) continue;
      const links: FoundLink[] = [];
      linksIn(answer.json, '', links);
      for (const { key, url } of links) {
        const own = await statusOf(url, authorization);
        if (own < 400) continue;
        if (own >= 500 || !(await answersSomebody(url))) dead.push(`${key}: ${kindOf(url)} ${own}`);
      }
    }
    expect([...new Set(dead)]).toEqual([]);
  });
});
