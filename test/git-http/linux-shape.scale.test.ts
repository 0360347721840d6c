import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { demoOf, graphql } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';
import { Clone, remoteUrl, runGit, temporaryFolder } from './git-client.ts';

/** The limits of a gateway are the defaults. */
const gateway = await testGateway({ settings: { PORTICO_DATA: temporaryFolder(), REQUEST_TIMEOUT_MS: '200000' } });
const { wren } = (await demoOf(gateway)).users;
const token = wren.classic_token;

const [folders, filesPerFolder, commits, tagEvery] = [120, 400, 30_000, 3_000];

/**
 * 200,000 objects with the proportions of the Linux kernel: 48,000 files in wide folders, three levels deep, and a long history with
 * merges; each commit changes one file, which makes a blob, three trees and a commit.
 */
function* stream(): Generator<string> {
  const path = (n: number): string =>
    `${n % 6}/part-${n % folders}/file-${Math.floor(n / folders) % filesPerFolder}-of-a-driver.c`;
  const person = (n: number): string => `committer A <a@example.org> ${1_500_000_000 + n * 60} +0000\ndata 1\nx\n`;
  yield `commit refs/heads/main\nmark :1\n${person(1)}`;
  for (let n = 0; n < folders * filesPerFolder; n++)
    yield `M 100644 inline ${path(n)}\ndata ${`${n}\n`.length}\n${n}\n\n`;
  for (let n = 2; n <= commits; n++) {
    yield `commit refs/heads/main\nmark :${n}\n${person(n)}from :${n - 1}\n`;
    if (n > 30 && n % 10 === 0) yield `merge :${n - 20}\n`;
    const text = `changed ${n}\n`;
    yield `M 100644 inline ${path((n * 7_919) % (folders * filesPerFolder))}\ndata ${text.length}\n${text}\n`;
    if (n % tagEvery === 0) yield `reset refs/tags/v${n / tagEvery}\nfrom :${n}\n\n`;
  }
}

test('a repository of the shape of the Linux kernel is pushed, cloned and read within the defaults', async () => {
  const local = new Clone();
  await local.run('init', '-q', '--bare');
  const { code, stderr } = await runGit(local.path, ['fast-import', '--quiet'], { input: [...stream()].join('') });
  expect([code, stderr]).toEqual([0, '']);
  const world = await newWorld(gateway, token);
  const url = remoteUrl(gateway.url, `${world.owner}/${world.name}`, token);
  await local.run('push', '-q', '--mirror', url);
  const [row] = await gateway.database.read(sql<{ objects: number }>`
    select count(*)::int as objects from git_object where repository_id = ${world.id}`);
  expect(row?.objects).toBeGreaterThan(190_000);

  const clone = new Clone();
  await clone.run('clone', '-q', '--mirror', url, '.');
  expect(await clone.run('rev-parse', 'refs/heads/main')).toBe(await local.run('rev-parse', 'refs/heads/main'));
  expect(await clone.run('rev-list', '--count', '--all')).toBe(`${commits}`);

  const compared = await world.get('/compare/v8...v9');
  expect([compared.status, compared.json.total_commits, compared.json.files.length]).toEqual([200, tagEvery, 300]);
  const path = '3/part-3/file-7-of-a-driver.c';
  const history = await world.get(`/commits?path=${path}`);
  expect(history.status).toBe(200);
  const newest = await local.run('log', '-1', '--format=%H', 'refs/heads/main', '--', path);
  expect(history.json[0].sha).toBe(newest);
  expect((await world.get('/git/trees/main?recursive=1')).status).toBe(200);
  expect((await world.get('/commits/main')).json.files).toHaveLength(1);
  const document = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
    object(expression: "main") { ... on Commit { history(first: 3) { totalCount nodes { oid } } } } } }`;
  const { data } = await graphql(gateway, document, token, { owner: world.owner, name: world.name });
  expect(data.repository.object.history.nodes).toHaveLength(3);
}, 900_000);
