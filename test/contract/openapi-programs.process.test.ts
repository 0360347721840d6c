import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { mailbox } from '../harness/mailbox.ts';
import { contracts } from './contracts.ts';
import { healthCalls, healthWorld } from './health-calls.ts';
import { officialCalls } from './official-calls/official-calls.ts';
import { officialWorld } from './official-calls/official-world.ts';
import { Prism, violationsOf } from './prism.ts';

const root = join(import.meta.dirname, '..', '..');
// biome-ignore lint/style/noProcessEnv: the environment of child processes.
const environment = process.env;
const now = '2026-10-01T08:10:00Z';
const settings = { SOURCE_IMPORTS: 'on', RATE_LIMIT_FACTOR: '100000' };
const mails = await mailbox();
const health = await testGateway({ data: 'demo', now, workers: true, settings: { ...settings, SMTP_URL: mails.url } });
const hosting = await testGateway({ data: 'demo', now, settings });
const folder = mkdtempSync(join(tmpdir(), 'portico-openapi-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const endpointsOf = (name: string) => contracts.find(({ product }) => product.name === name)?.endpoints ?? [];

describe('Redocly', () => {
  test.each([
    // The paths of this contract end in a slash.
    ['health', ['no-path-trailing-slash']],
    ['hosting', []],
  ])(
    'finds nothing in the document of %s by its recommended rules',
    async (name, skipped) => {
      const file = join(folder, `${name}.json`);
      const { text } = await health.request(`/openapi/${name}.json`);
      writeFileSync(file, text);
      const rules = skipped.map(rule => `--skip-rule=${rule}`);
      const args = [
        join(root, 'node_modules', '.bin', 'redocly'),
        'lint',
        '--extends=recommended',
        '--format=json',
        ...rules,
        file,
      ];
      const env = {
        ...environment,
        NODE_OPTIONS: '',
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      };
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 26 }).catch(
        (error: { stdout: string }) => error,
      );
      const { totals, problems } = JSON.parse(stdout);
      expect(problems).toEqual([]);
      expect(totals).toMatchObject({ errors: 0, warnings: 0 });
    },
    120_000,
  );
});

/**
 * A path whose `{+name}` has its slashes encoded, because a parameter of OpenAPI is one segment. Undefined if it is empty, which
 * OpenAPI cannot describe.
 */
function withEncodedRest(template: string, path: string): string | undefined {
  const at = template.split('/').findIndex(segment => segment.startsWith('{+'));
  if (at < 0) return path;
  const [pathname = '', query] = path.split('?');
  const segments = pathname.split('/');
  const rest = segments.slice(at).join('%2F');
  return rest === '' ? undefined : [[...segments.slice(0, at), rest].join('/'), query].filter(Boolean).join('?');
}

/** Without a registry Prism cannot be installed, and these tests are counted as skipped. */
const hasRegistry = spawnSync('npm', ['ping', '--fetch-retries=0'], { timeout: 20_000 }).status === 0;

(hasRegistry ? describe : describe.skip)('Prism as a validating proxy', () => {
  const prism = new Prism();
  beforeAll(() => prism.install(), 300_000);
  afterAll(() => prism.close());

  async function violations(url: string, method: string, path: string, init: RequestInit): Promise<string[]> {
    const answer = await fetch(`${url}${path}`, { redirect: 'manual', method, ...init });
    await answer.arrayBuffer();
    const found = violationsOf(answer.headers);
    return (answer.status < 400 ? found : [`status ${answer.status}`, ...found]).map(
      one => `${method} ${path}: ${one}`,
    );
  }

  const bodyOf = (body: unknown): RequestInit =>
    body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };

  test('accepts the calls of the health contract and their answers', async () => {
    const { json } = await health.request('/openapi/health.json');
    const url = await prism.proxy('health', json, `${health.url}/api/v1`);
    const world = await healthWorld(health, mails);
    const found: string[] = [];
    for (const { operation } of endpointsOf('health')) {
      const call = await healthCalls[operation.name]?.(world);
      if (!call) throw new Error(`${operation.name} has no call.`);
      const headers = {
        ...(call.body ? { 'content-type': 'application/json' } : {}),
        ...(call.access === undefined ? {} : { authorization: `Bearer ${call.access}` }),
      };
      found.push(...(await violations(url, operation.method, call.path, { headers, ...bodyOf(call.body) })));
    }
    expect(found).toEqual([]);
  }, 300_000);

  test('accepts the calls of the hosting contract and their answers', async () => {
    const { json } = await hosting.request('/openapi/hosting.json');
    const url = await prism.proxy('hosting', json, hosting.url);
    const world = await officialWorld(hosting);
    const found: string[] = [];
    // Prism follows redirects, and judges what is at their target.
    for (const { operation } of endpointsOf('hosting').filter(one => one.operation.status < 300)) {
      const made = await officialCalls[operation.name]?.(world);
      if (!made) throw new Error(`${operation.name} has no call.`);
      for (const { path: sent, authorization, accept, body } of [made].flat()) {
        const path = withEncodedRest(operation.path, sent);
        if (path === undefined) continue;
        const headers = {
          'user-agent': 'portico tests',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(authorization === undefined ? {} : { authorization }),
          ...(accept === undefined ? {} : { accept }),
        };
        found.push(...(await violations(url, operation.method, path, { headers, ...bodyOf(body) })));
      }
    }
    expect(found).toEqual([]);
  }, 300_000);
});
