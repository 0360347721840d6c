import { beforeAll, expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { newWorld, type World } from '../contents/world.ts';

const gateway = await testGateway();
const token = (await demoOf(gateway)).users.wren.classic_token;
let world: World;
let wide: string;
beforeAll(async () => {
  world = await newWorld(gateway, token);
  await world.commit({ 'a.txt': 'one\n' });
  const files = Array.from({ length: 650 }, (_, n) => [`f${`${n}`.padStart(3, '0')}.txt`, `${n}\n`]);
  wide = await world.commit(Object.fromEntries(files));
  for (let n = 0; n < 24; n++) await world.commit({ 'a.txt': `${n}\n` }, { branch: 'main' });
});

/** The pages that a Link header names: `next` → 2. */
function linksOf(header: string | null): Record<string, number> {
  const found = [...(header ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
  return Object.fromEntries(
    found.map(([, url = '', rel = '']) => [rel, Number(new URL(url).searchParams.get('page'))]),
  );
}

test('the files of a commit are pages of 300 with links', async () => {
  const names: string[] = [];
  let path = `/commits/${wide}`;
  const links: Record<string, number>[] = [];
  for (;;) {
    const { json, headers } = await world.get(path);
    for (const { filename } of json.files) names.push(filename);
    expect(Object.keys(json)).not.toContain('_page');
    links.push(linksOf(headers.get('link')));
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (next === undefined) break;
    path = next.slice(next.indexOf('/commits/'));
  }
  expect(names).toEqual(Array.from({ length: 650 }, (_, n) => `f${`${n}`.padStart(3, '0')}.txt`));
  expect(links).toEqual([
    { next: 2, last: 3 },
    { prev: 1, next: 3, last: 3, first: 1 },
    { prev: 2, first: 1 },
  ]);
}, 60_000);

test('a page of files has the size that is asked for, up to 300', async () => {
  for (const [asked, given] of [
    [10, 10],
    [250, 250],
    [300, 300],
    [1_000, 300],
  ])
    expect((await world.get(`/commits/${wide}?per_page=${asked}`)).json.files).toHaveLength(given ?? 0);
  expect((await world.get(`/commits/${wide}?per_page=1000`)).headers.get('link')).toContain('page=2');
});

test('the commits of a comparison are pages with links', async () => {
  const seen: string[] = [];
  let path = `/compare/${wide}...main?per_page=10`;
  const links: Record<string, number>[] = [];
  for (;;) {
    const { json, headers } = await world.get(path);
    expect(json.total_commits).toBe(24);
    expect(Object.keys(json)).not.toContain('_page');
    for (const { sha } of json.commits) seen.push(sha);
    links.push(linksOf(headers.get('link')));
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (next === undefined) break;
    path = next.slice(next.indexOf('/compare/'));
  }
  expect(new Set(seen).size).toBe(24);
  expect(links).toEqual([
    { next: 2, last: 3 },
    { prev: 1, next: 3, last: 3, first: 1 },
    { prev: 2, first: 1 },
  ]);
  const whole = await world.get(`/compare/${wide}...main`);
  expect(whole.json.commits.map(({ sha }: { sha: string }) => sha)).toEqual(seen);
  expect(whole.headers.get('link')).toBeNull();
});

test.each(['diff', 'patch', 'sha'])('a commit as %s has no links', async form => {
  const { status, headers } = await world.get('/commits/main', { accept: `application/vnd.host.${form}` });
  expect([status, headers.get('link')]).toEqual([200, null]);
});
