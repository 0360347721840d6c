import { expect } from '@jest/globals';
import { call } from '../../harness/hosting.ts';
import type { HostingServer } from './hosting-world.ts';
import type { Section, Statement } from './statement.ts';

const compass = '/repos/harbor-lab/compass';
const headers = ['limit', 'remaining', 'used', 'reset', 'resource'] as const;

/** Sections 8 and 9 of the hosting document. */
export function hostingLimits({ limited, gateway, world, ask, put, text }: HostingServer): Section[] {
  const section = (title: string, statements: readonly Statement[]): Section => ({
    document: 'hosting',
    title,
    statements,
  });
  const read = (as?: string) => call(limited, 'GET', `${compass}/contents/README.md`, as);
  const limitOf = async (as?: string): Promise<number> => Number((await read(as)).headers.get('x-ratelimit-limit'));
  const { tokens } = world.demo;
  return [
    section('8. Limits', [
      ['60 requests in an hour without a token', async () => expect(await limitOf()).toBe(60)],
      ['5,000 for a user', async () => expect(await limitOf(world.wren)).toBe(5000)],
      [
        'the tokens of a user have one limit together',
        async () => {
          const used = async (as: string): Promise<number> => Number((await read(as)).headers.get('x-ratelimit-used'));
          const before = await used(world.wren);
          expect(await used(`Bearer ${world.demo.users.wren.fine_grained_token}`)).toBe(before + 1);
        },
      ],
      [
        'at least 5,000 for an installation',
        async () => expect(await limitOf(`Bearer ${tokens.installation}`)).toBeGreaterThanOrEqual(5000),
      ],
      [
        '12,500 for an installation at most',
        async () => expect(await limitOf(`Bearer ${tokens.installation}`)).toBeLessThanOrEqual(15_000),
      ],
      ['5,000 for an OAuth app', async () => expect(await limitOf(world.oauthApp)).toBe(5000)],
      [
        '1,000 for a workflow of a repository',
        async () => expect(await limitOf(`Bearer ${tokens.workflow}`)).toBe(1000),
      ],
      ...headers.map(
        (name): Statement => [
          `answers have x-ratelimit-${name}`,
          async () => expect((await read(world.wren)).headers.get(`x-ratelimit-${name}`)).toMatch(/./),
        ],
      ),
      [
        'x-ratelimit-reset is in seconds since 1970',
        async () => {
          const reset = Number((await read(world.wren)).headers.get('x-ratelimit-reset'));
          const now = limited.clock.now.getTime() / 1000;
          expect([reset >= Math.floor(now), reset <= now + 3601]).toEqual([true, true]);
        },
      ],
      [
        'used and remaining are the limit',
        async () => {
          const { headers: sent } = await read(world.wren);
          const [limit, used, remaining] = ['limit', 'used', 'remaining'].map(name =>
            Number(sent.get(`x-ratelimit-${name}`)),
          );
          expect(Number(used) + Number(remaining)).toBe(limit);
        },
      ],
      [
        'GET /rate_limit does not count',
        async () => {
          const used = async (): Promise<number> =>
            (await call(limited, 'GET', '/rate_limit', world.juniper)).json.resources.core.used;
          expect([await used(), await used()]).toEqual([0, 0]);
        },
      ],
      [
        'a 304 of a feed leaves the limit untouched',
        async () => {
          const path = `${compass}/events`;
          const tag = (await call(limited, 'GET', path, world.wren)).headers.get('etag') ?? '';
          const ask304 = () => call(limited, 'GET', path, world.wren, undefined, { 'if-none-match': tag });
          const [one, two] = [await ask304(), await ask304()];
          expect([one.status, one.headers.get('x-ratelimit-used')]).toEqual([304, two.headers.get('x-ratelimit-used')]);
        },
      ],
      [
        'a read costs one point and a write five',
        async () => {
          const { paths } = (await gateway.request('/openapi/hosting.json')).json;
          const found = paths['/repos/{owner}/{repo}/git/commits'].post['x-points'];
          expect([paths['/events'].get['x-points'] >= 1, found >= 5]).toEqual([true, true]);
        },
      ],
      [
        'a directory lists 1,000 files at most',
        async () => {
          const repository = await world.repository();
          const tree = Array.from({ length: 1010 }, (_, at) => ({
            path: `many/${at}.txt`,
            mode: '100644',
            type: 'blob',
            content: 'x',
          }));
          const made = (await ask(`POST ${repository}/git/trees`, { body: { tree } })).json;
          const commit = (await ask(`POST ${repository}/git/commits`, { body: { message: 'Many', tree: made.sha } }))
            .json;
          const { json } = await ask(`GET ${repository}/contents/many?ref=${commit.sha}`);
          expect(json).toHaveLength(1000);
        },
      ],
      [
        'a file of up to 1 MB has its content',
        async () => {
          const repository = await world.repository();
          await put(repository, 'a.txt', 'a'.repeat(1_000_000));
          expect((await ask(`GET ${repository}/contents/a.txt`)).json.encoding).toBe('base64');
        },
      ],
      [
        'a file of more than 1 MB is raw too',
        async () => {
          const repository = await world.repository();
          await put(repository, 'a.txt', 'a'.repeat(1_100_000));
          expect(await text(`${repository}/contents/a.txt`, 'application/vnd.host.raw+json')).toHaveLength(1_100_000);
        },
      ],
      [
        'a page has 100 items at most',
        async () => expect((await ask('GET /events?per_page=101')).json.length).toBeLessThanOrEqual(100),
      ],
    ]),
    section('9. Versioning', [
      [
        'the version 2022-11-28 is served',
        async () => expect((await ask('GET /versions')).json).toContain('2022-11-28'),
      ],
      [
        'a version that is not served is refused',
        async () =>
          expect((await ask('GET /events', { headers: { 'x-host-api-version': '1999-01-01' } })).status).toBe(400),
      ],
      ['imports are retired', async () => expect((await ask(`GET ${compass}/import`)).status).toBe(503)],
      [
        'an answer about retired imports says so',
        async () => expect((await ask(`GET ${compass}/import`)).json.message).toMatch(/retired/),
      ],
    ]),
  ];
}
