import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { base64, newWorld, type World } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, tomas, juniper } = (await demoOf(gateway)).users;
type Person = typeof wren;

const ask = (method: string, path: string, { classic_token }: Person, body?: object) =>
  call(gateway, method, path, `Bearer ${classic_token}`, body);
const pathOf = ({ owner, name }: World): string => `/repos/${owner}/${name}`;
const shasOf = (json: { commits: { sha: string }[] }): string[] => json.commits.map(({ sha }) => sha);
const textOf = (lines: number): string =>
  Array.from({ length: lines }, (_, n) => `${n} of the lines of a file\n`).join('');

async function fork(world: World, by: Person, name = world.name): Promise<string> {
  const { status, json } = await ask('POST', `${pathOf(world)}/forks`, by, { name });
  expect(status).toBe(202);
  return `/repos/${json.full_name}`;
}

/** Writes a file to `main` of a repository; returns the commit. */
async function write(at: string, path: string, text: string, by: Person): Promise<string> {
  const { json: old } = await ask('GET', `${at}/contents/${path}`, by);
  const body = { message: `Write ${path}`, content: base64(text), sha: old.sha };
  const { json } = await ask('PUT', `${at}/contents/${path}`, by, body);
  return json.commit.sha;
}

const origin = await newWorld(gateway, wren.classic_token);
const at = pathOf(origin);
const base = await origin.commit({ 'a.txt': 'a\n', 'large.txt': textOf(60_000), 'old.txt': textOf(40) });
const forked = await fork(origin, tomas);
const dots = await fork(origin, juniper, 'dots');
const main = await write(at, 'main.txt', 'main\n', wren);
const one = await write(forked, 'a.txt', 'b\n', tomas);
const two = await write(forked, 'large.txt', `${textOf(60_000)}more\n`, tomas);
const three = await write(forked, 'new/file.txt', 'new\n', tomas);
const theirs = await write(dots, 'dots.txt', 'dots\n', juniper);
const compare = (range: string, by = wren, in_ = at) => ask('GET', `${in_}/compare/${range}`, by);

test('the head is in a fork: commits, files and links of the fork, its common ancestor, pages', async () => {
  for (const range of ['main...tomas:main', `main...tomas:${origin.name}:main`, `wren:main...TOMAS:${three}`]) {
    const { status, json } = await compare(range);
    expect([range, status]).toEqual([range, 200]);
    expect(json).toMatchObject({
      status: 'diverged',
      ahead_by: 3,
      behind_by: 1,
      base_commit: { sha: main, url: `${gateway.url}${at}/commits/${main}` },
      merge_base_commit: { sha: base },
    });
    expect(shasOf(json)).toEqual([one, two, three]);
    expect(json.files.map((file: Record<string, unknown>) => [file.filename, file.additions, file.deletions])).toEqual([
      ['a.txt', 1, 1],
      ['large.txt', 1, 0],
      ['new/file.txt', 1, 0],
    ]);
    const links = [json.commits[0].url, json.commits[2].commit.tree.url, json.files[2].contents_url];
    for (const link of links) {
      expect(link).toContain(forked);
      expect([link, (await ask('GET', new URL(link).pathname + new URL(link).search, wren)).status]).toEqual([
        link,
        200,
      ]);
    }
    const permalink = new URL(json.permalink_url).pathname.replace(`/${origin.owner}/${origin.name}/compare/`, '');
    expect(shasOf((await compare(permalink)).json)).toEqual([one, two, three]);
  }
  const first = await compare('main...tomas:main?per_page=2');
  expect(shasOf(first.json)).toEqual([one, two]);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const second = await gateway.request(new URL(next).pathname + new URL(next).search, {
    headers: { 'user-agent': 'portico tests', authorization: `Bearer ${wren.classic_token}` },
  });
  expect(shasOf(second.json)).toEqual([three]);
});

test('as a diff, as mails, in the graph, and from every side', async () => {
  const diff = await origin.get('/compare/main...tomas:main', { accept: 'application/vnd.github.diff' });
  expect(diff.text).toMatch(/^diff --git a\/a.txt b\/a.txt\n/);
  expect(diff.text).toContain('+more\n');
  const patch = await origin.get('/compare/main...tomas:main', { accept: 'application/vnd.github.patch' });
  expect(patch.text.match(/^Subject: .*/gm)).toEqual([
    'Subject: [PATCH 1/3] Write a.txt',
    'Subject: [PATCH 2/3] Write large.txt',
    'Subject: [PATCH 3/3] Write new/file.txt',
  ]);
  const document = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
    comparison(range: "main...tomas:main") { ... on CommitComparison { aheadBy commits { oid tree { oid } } } } } }`;
  const { data } = await graphql(gateway, document, wren.classic_token, { owner: origin.owner, name: origin.name });
  expect(data.repository.comparison.commits.map(({ oid }: { oid: string }) => oid)).toEqual([one, two, three]);

  expect(shasOf((await compare('wren:main...main', tomas, forked)).json)).toEqual([one, two, three]);
  expect(shasOf((await compare('main...wren:main', tomas, forked)).json)).toEqual([main]);
  expect(shasOf((await compare('tomas:main...juniper:main')).json)).toEqual([theirs]);
  expect(shasOf((await compare('main...juniper:dots:main')).json)).toEqual([theirs]);
  expect((await compare('tomas:main...tomas:main')).json.status).toBe('identical');
  for (const none of [
    'main...tomas:none',
    'main...tomas:dots:main',
    'main...a:b:c:main',
    'main...tomas:',
    'main...:main',
  ])
    expect([none, (await compare(none)).status]).toEqual([none, none.endsWith('tomas:') ? 200 : 404]);
});

test('a comparison gives the parent none of the objects of the fork', async () => {
  const { json } = await ask('GET', `${forked}/commits/${three}`, tomas);
  for (const path of [`git/commits/${three}`, `git/trees/${json.commit.tree.sha}`, `git/blobs/${json.files[0].sha}`]) {
    expect([path, (await ask('GET', `${forked}/${path}`, wren)).status]).toEqual([path, 200]);
    expect([path, (await ask('GET', `${at}/${path}`, wren)).status]).toEqual([path, 404]);
  }
  expect((await compare(`main...${three}`)).status).toBe(404);
});

test('a private fork is seen by its people alone, and a repository of another network by none', async () => {
  const closed = await newWorld(gateway, wren.classic_token);
  await closed.commit({ 'a.txt': 'a\n' });
  const hidden = await fork(closed, tomas);
  const secret = await write(hidden, 'secret.txt', 'secret\n', tomas);
  await sql`update repository set is_private = true where owner_id = (select id from account where login = 'tomas')
    and name = ${closed.name}`.execute(gateway.database.sql);
  const anonymous = (range: string) =>
    gateway.request(`${pathOf(closed)}/compare/${range}`, { headers: { 'user-agent': 'portico tests' } });
  for (const range of ['main...tomas:main', `main...tomas:${closed.name}:main`, `tomas:${secret}...main`]) {
    expect([range, (await compare(range, tomas, pathOf(closed))).status]).toEqual([range, 200]);
    expect([range, (await compare(range, wren, pathOf(closed))).status]).toEqual([range, 404]);
    expect([range, (await anonymous(range)).status]).toEqual([range, 404]);
  }
  for (const range of [`main...wren:${closed.name}:main`, `wren:${closed.name}:main...main`])
    expect([range, (await compare(range)).status]).toEqual([range, 404]);
});

test('a long history in common is read from the index, once', async () => {
  const long = await newWorld(gateway, wren.classic_token);
  for (let n = 0; n < 40; n++) await long.commit({ 'n.txt': `${n}\n` }, { seconds: 1_790_000_000 + n });
  const copy = await fork(long, tomas);
  const own = await write(copy, 'own.txt', 'own\n', tomas);
  let found: string[] = [];
  const statements = await gateway.statements(async () => {
    found = shasOf((await compare('main...tomas:main', wren, pathOf(long))).json);
  });
  expect(found).toEqual([own]);
  expect(statements.length).toBeLessThan(40);
});
