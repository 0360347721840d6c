import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { readCommit } from '../../../src/git/read-objects.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { PublishedSchema } from '../../contract/published-schema.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { archive, base64, newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const token = demo.users.wren.classic_token;
const schema = new PublishedSchema((await gateway.request('/openapi/hosting.json')).json);
const template = '/repos/{owner}/{repo}/contents/{path}';
const world = await newWorld(gateway, token);
const hello = { message: 'Hello', content: base64('hello\n') };
const shapeOf = (...lines: string[]) => ['Invalid request.', '', ...lines].join('\n');
const noSha = shapeOf('"sha" wasn\'t supplied.');

test('the first file creates the branch; then it is replaced and deleted', async () => {
  const empty = await newWorld(gateway, token);
  const made = await empty.put('/contents/a/b/c.txt', hello);
  expect(made.status).toBe(201);
  expect(schema.problems('PUT', template, 201, made.json)).toEqual([]);
  expect(made.json.content).toMatchObject({ name: 'c.txt', path: 'a/b/c.txt', size: 6, type: 'file' });
  expect(made.json.content).not.toHaveProperty('content');
  const { commit } = made.json;
  expect(Object.keys(commit)).toEqual([
    ...['sha', 'node_id', 'url', 'html_url', 'author', 'committer', 'tree', 'message', 'parents', 'verification'],
  ]);
  expect(commit).toMatchObject({
    message: 'Hello',
    parents: [],
    author: { name: 'Wren Achterberg', date: '2026-10-01T08:10:00Z' },
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
    url: `${gateway.url}/repos/${empty.owner}/${empty.name}/git/commits/${commit.sha}`,
  });
  expect(commit.committer).toEqual(commit.author);
  const { sha } = made.json.content;
  const changed = await empty.put('/contents/a/b/c.txt', { message: 'Again\n', content: base64('bye'), sha });
  expect(changed.status).toBe(200);
  expect(schema.problems('PUT', template, 200, changed.json)).toEqual([]);
  expect(changed.json.commit).toMatchObject({ message: 'Again', parents: [{ sha: commit.sha }] });
  expect((await empty.get('/contents/a/b/c.txt', { accept: 'application/vnd.host.raw' })).text).toBe('bye');
  const gone = await empty.remove('/contents/a/b/c.txt', { message: 'Gone', sha: changed.json.content.sha });
  expect(gone.status).toBe(200);
  expect(schema.problems('DELETE', template, 200, gone.json)).toEqual([]);
  expect([gone.json.content, gone.json.commit.parents[0].sha]).toEqual([null, changed.json.commit.sha]);
  expect((await empty.get('/contents/a')).status).toBe(404);
  expect((await empty.get('/contents')).json).toEqual([]);
});

test('the first branch may have another name', async () => {
  const empty = await newWorld(gateway, token);
  expect((await empty.put('/contents/a', { ...hello, branch: 'work/one' })).status).toBe(201);
  expect((await empty.get('/contents/a?ref=work/one')).status).toBe(200);
});

describe('writing, by cases', () => {
  const setUp = async () => {
    const one = await newWorld(gateway, token);
    await one.commit({ 'taken.txt': 'taken', 'folder/file.txt': 'in', 'run.sh': { mode: '100755', text: 'x' } });
    const { json } = await one.get('/contents/taken.txt', { accept: 'application/json' });
    return { one, sha: json.sha as string };
  };
  const ready = setUp();
  const other = '0'.repeat(40);

  test.each<[string, string, object, number, string]>([
    ['taken, no sha', 'taken.txt', hello, 422, noSha],
    ['taken, wrong sha', 'taken.txt', { ...hello, sha: other }, 409, `taken.txt does not match ${other}`],
    ['taken, malformed sha', 'taken.txt', { ...hello, sha: 'nonsense' }, 409, 'taken.txt does not match nonsense'],
    ['a folder', 'folder', hello, 422, noSha],
    ['a folder with a sha', 'folder', { ...hello, sha: other }, 422, noSha],
    ['unknown branch', 'x', { ...hello, branch: 'nope' }, 404, 'Branch nope not found'],
    ['5 letters', 'x', { ...hello, content: 'abcde' }, 422, 'content is not valid Base64'],
    ['URL-safe Base64', 'x', { ...hello, content: 'ab-_' }, 422, 'content is not valid Base64'],
    ['padding inside', 'x', { ...hello, content: 'a=bc' }, 422, 'content is not valid Base64'],
    ['no message', 'x', { content: '' }, 422, shapeOf('"message" wasn\'t supplied.')],
    [
      'message null',
      'x',
      { content: '', message: null },
      422,
      shapeOf("For 'properties/message', nil is not a string."),
    ],
    ['no content', 'x', { message: 'm' }, 422, shapeOf('"content" wasn\'t supplied.')],
    ['committer without email', 'x', { ...hello, committer: { name: 'A' } }, 422, shapeOf('"email" wasn\'t supplied.')],
    [
      'bad date',
      'x',
      { ...hello, author: { name: 'A', email: 'a@b', date: '2020-13-40' } },
      422,
      shapeOf('2020-13-40 is not a valid date-time.'),
    ],
    [
      'a date before 1970',
      'x',
      { ...hello, author: { name: 'A', email: 'a@b', date: '1969-12-31T23:59:59Z' } },
      422,
      shapeOf('1969-12-31T23:59:59Z is before 1970-01-01T00:00:00Z; git cannot store it.'),
    ],
    ['an empty name', 'x', { ...hello, author: { name: '', email: 'a@b' } }, 422, 'Validation Failed'],
    ['two slashes', 'a//b', hello, 422, 'path contains a malformed path component'],
    ['a leading slash', '/a', hello, 422, 'path cannot start with a slash'],
    ['.git', 'a/.GIT/config', hello, 422, 'path contains a malformed path component'],
    ['a backslash', 'a%5C..%5Cb', hello, 422, 'path contains a malformed path component'],
    ['another name of .git', 'a/git~1/b', hello, 422, 'path contains a malformed path component'],
    ['below a file', 'taken.txt/below', hello, 422, 'path leads through a file as if it were a folder'],
  ])('PUT: %s', async (_name, path, body, status, message) => {
    const { one } = await ready;
    const answer = await one.put(`/contents/${path}`, body);
    expect([answer.status, answer.json.message]).toEqual([status, message]);
    expect(answer.json.documentation_url).toMatch(/#create-or-update-file-contents$/);
    if (/sha|does not match/.test(message)) expect(answer.json).not.toHaveProperty('errors');
  });

  test.each<[string, string, object, number, string]>([
    ['no sha', 'taken.txt', { message: 'm' }, 422, noSha],
    ['wrong sha', 'taken.txt', { message: 'm', sha: other }, 409, `taken.txt does not match ${other}`],
    ['nothing there', 'nothing', { message: 'm', sha: other }, 404, 'Not Found'],
    ['a folder', 'folder', { message: 'm', sha: other }, 422, noSha],
    ['unknown branch', 'taken.txt', { message: 'm', sha: other, branch: 'nope' }, 404, 'Branch nope not found'],
    ['no message', 'taken.txt', { sha: other }, 422, shapeOf('"message" wasn\'t supplied.')],
  ])('DELETE: %s', async (_name, path, body, status, message) => {
    const { one } = await ready;
    const answer = await one.remove(`/contents/${path}`, body);
    expect([answer.status, answer.json.message]).toEqual([status, message]);
    expect(answer.json.documentation_url).toMatch(/#delete-a-file$/);
  });

  test('a free path with a sha is 201; executable files stay executable; equal content is a commit', async () => {
    const { one, sha } = await ready;
    for (const given of [other, null]) {
      const free = await one.put(`/contents/free-${given}`, {
        ...hello,
        ...{ sha: given, branch: null, committer: null, author: null },
      });
      expect([given, free.status]).toEqual([given, 201]);
    }
    const { json: script } = await one.get('/contents/run.sh', { accept: 'application/json' });
    expect((await one.put('/contents/run.sh', { ...hello, sha: script.sha })).status).toBe(200);
    const same = await one.put('/contents/taken.txt', { message: 'same', content: base64('taken'), sha });
    expect([same.status, same.json.content.sha]).toEqual([200, sha]);
    const empty = await one.put('/contents/empty', { message: 'm', content: '' });
    expect([empty.status, empty.json.content.size]).toEqual([201, 0]);
    const spaced = await one.put('/contents/spaced', { message: 'm', content: 'te\nst \r\n' });
    expect([spaced.status, spaced.json.content.size]).toEqual([201, 3]);
  });

  test('DELETE reads its parameters from the body alone, as all writes', async () => {
    const { one } = await ready;
    const { json: file } = await one.get('/contents/folder/file.txt', { accept: 'application/json' });
    const query = new URLSearchParams({ message: 'by query', sha: file.sha });
    const at = `/repos/${one.owner}/${one.name}/contents/folder/file.txt?${query}`;
    const { status, json } = await call(gateway, 'DELETE', at, `Bearer ${token}`);
    expect([status, json.commit?.message]).toEqual([422, undefined]);
  });
});

describe('author, committer and dates', () => {
  const person = { name: 'Ada', email: 'ada@example.org' };

  test('the author defaults to the committer, the committer to the caller', async () => {
    const by = async (path: string, people: object) =>
      (await world.put(`/contents/${path}`, { ...hello, ...people })).json.commit;
    const committer = await by('p1', { committer: { ...person, date: '2020-02-03T04:05:06+02:00' } });
    expect(committer.author).toEqual({ ...person, date: '2020-02-03T02:05:06Z' });
    expect(committer.committer).toEqual(committer.author);
    const author = await by('p2', { author: person });
    expect(author.author).toEqual({ ...person, date: '2026-10-01T08:10:00Z' });
    expect(author.committer.name).toBe('Wren Achterberg');
  });

  test('the UTC offset of a date, or of the request without a date, is kept', async () => {
    const zoneOf = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const { json } = await gateway.request(`/repos/${world.owner}/${world.name}/contents/${path}`, {
        method: 'PUT',
        headers: { 'user-agent': 'portico tests', authorization: `Bearer ${token}`, ...headers },
        body: JSON.stringify({ ...hello, ...body }),
      });
      const { committer } = await readCommit(
        openRepository(unlimitedSource(gateway.database.read), world.id),
        json.commit.sha,
      );
      return committer.zone;
    };
    expect(await zoneOf('z1', {})).toBe('+0000');
    expect(await zoneOf('z2', {}, { 'time-zone': 'Europe/Berlin' })).toBe('+0200');
    expect(await zoneOf('z3', {}, { 'time-zone': 'Nowhere/Land' })).toBe('+0000');
    const committer = { ...person, date: '2020-02-03T04:05:06-0330' };
    expect(await zoneOf('z4', { committer }, { 'time-zone': 'Europe/Berlin' })).toBe('-0330');
  });

  test('an installation commits as its app', async () => {
    const at = '/repos/harbor-lab/compass/contents/by-app.txt';
    const { status, json } = await call(gateway, 'PUT', at, `Bearer ${demo.tokens.installation}`, hello);
    expect([status, json.commit?.author.name]).toEqual([201, 'harbor-pilot[bot]']);
  });
});

test('write permissions', async () => {
  const at = '/repos/harbor-lab/ledger/contents/x.txt';
  expect((await call(gateway, 'PUT', at, undefined, hello)).json.message).toBe('Requires authentication');
  const secret = await newWorld(gateway, token, { isPrivate: true });
  expect((await secret.put('/contents/x', hello, demo.users.tomas.classic_token)).json.message).toBe('Not Found');
  const reader = await world.put('/contents/by-reader.txt', hello, demo.users.tomas.classic_token);
  expect([reader.status, reader.json.message]).toEqual([403, 'Must have push access to Repository.']);
  const closed = await newWorld(gateway, token);
  await closed.commit({ a: 'a' });
  await archive(gateway, closed);
  for (const answer of [
    await closed.put('/contents/b', hello),
    await closed.remove('/contents/a', { message: 'm', sha: 'x' }),
  ])
    expect([answer.status, answer.json.message]).toEqual([403, 'Repository was archived so is read-only.']);
});

test('the same by a mutation, with dots that no HTTP client would send', async () => {
  const document = `mutation($path: String!) {
    createOrUpdateFile(input: { repository: { named: { owner: "${world.owner}", name: "${world.name}" } }, path: $path,
      message: "m", content: "aGk=" }) { file { name path size mode object { ... on Blob { text } } } commit { message } } }`;
  const made = await graphql(gateway, document, token, { path: 'by/graph.txt' });
  expect(made.data.createOrUpdateFile).toEqual({
    file: { name: 'graph.txt', path: 'by/graph.txt', size: 2, mode: 0o100644, object: { text: 'hi' } },
    commit: { message: 'm' },
  });
  const longest = `${'x'.repeat(4_095)}`;
  for (const path of ['a/../b', './a', 'a/.', '', `${longest}x`, 'a\\..\\b', 'a/\ud800']) {
    const refused = await graphql(gateway, document, token, { path });
    expect([path, refused.errors?.[0]?.extensions.http?.status ?? refused.errors?.[0]?.extensions.code]).toEqual([
      path,
      'RULE_BROKEN',
    ]);
  }
});

test('a writer that waits too long for the branch gets its current id', async () => {
  const one = await newWorld(gateway, token);
  const head = await one.commit({ a: 'a' });
  const answer = await inTransaction(gateway.database, async db => {
    await sql`select 1 from git_ref where repository_id = ${one.id} for update`.execute(db);
    return one.put('/contents/b', hello);
  });
  expect([answer.status, answer.json.message]).toEqual([409, `is at ${head} but expected ${head}`]);
  expect((await one.get('/contents/b')).status).toBe(404);
});

test('16 writers of one branch: every acknowledged commit is in the chain exactly once', async () => {
  const one = await newWorld(gateway, token);
  const writers = 16;
  const each = 5;
  const acknowledged: string[] = [];
  const refused: number[] = [];
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let turn = 0; turn < each; turn++) {
        const { status, json } = await one.put(`/contents/w${writer}/t${turn}`, {
          ...hello,
          message: `${writer} ${turn}`,
        });
        if (status === 201) acknowledged.push(json.commit.sha);
        else refused.push(status);
      }
    }),
  );
  expect(refused.filter(status => status !== 409)).toEqual([]);
  const { rows } = await sql<{ oid: string }>`with recursive chain as (
      select o.oid, o.links from git_ref r join git_object o on o.repository_id = r.repository_id and o.oid = r.oid
        where r.repository_id = ${one.id} and r.name = 'refs/heads/main'
      union all
      select o.oid, o.links from chain c join git_object o
        on o.repository_id = ${one.id} and o.oid = substr(c.links, 21, 20) where length(c.links) > 20)
    select encode(oid, 'hex') as oid from chain`.execute(gateway.database.sql);
  const chain = rows.map(row => row.oid);
  expect(chain.toSorted()).toEqual(acknowledged.toSorted());
  expect(acknowledged.length).toBe(writers * each - refused.length);
  expect(acknowledged.length).toBeGreaterThan(writers);
});
