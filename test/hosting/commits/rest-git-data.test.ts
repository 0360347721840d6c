import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { newWorld } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, tomas } = (await demoOf(gateway)).users;
const world = await newWorld(gateway, wren.classic_token);
const first = await world.commit({ 'a.txt': 'a', 'd/e/f.txt': 'f' });
const second = await world.commit({ 'a.txt': 'b' }, { seconds: 1_790_100_000 });
const at = `/repos/${world.owner}/${world.name}`;
const bearer = `Bearer ${wren.classic_token}`;
const send = (method: string, path: string, body?: object, authorization = bearer) =>
  call(gateway, method, `${at}/git/${path}`, authorization, body);
const git = `${gateway.url}${at}/git`;

describe('refs', () => {
  test('created, read, moved and deleted', async () => {
    const made = await send('POST', 'refs', { ref: 'refs/heads/topic/one', sha: first });
    expect([made.status, made.headers.get('location')]).toEqual([201, `${git}/refs/heads/topic/one`]);
    expect(made.json).toEqual({
      ref: 'refs/heads/topic/one',
      node_id: expect.any(String),
      url: `${git}/refs/heads/topic/one`,
      object: { type: 'commit', sha: first, url: `${git}/commits/${first}` },
    });
    expect((await send('GET', 'ref/heads/topic/one')).json).toEqual(made.json);
    expect((await send('GET', 'matching-refs/heads/to')).json).toEqual([made.json]);
    expect((await send('GET', 'matching-refs/')).json.length).toBe(2);
    const moved = await send('PATCH', 'refs/heads/topic/one', { sha: second });
    expect([moved.status, moved.json.object.sha]).toEqual([200, second]);
    const back = await send('PATCH', 'refs/heads/topic/one', { sha: first });
    expect([back.status, back.json.message]).toEqual([422, 'Update is not a fast forward']);
    expect((await send('PATCH', 'refs/heads/topic/one', { sha: first, force: true })).status).toBe(200);
    const gone = await send('DELETE', 'refs/heads/topic/one');
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await send('GET', 'ref/heads/topic/one')).status).toBe(404);
    const { json: events } = await world.get('/events');
    expect(events.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['CreateEvent', 'DeleteEvent', 'PushEvent']),
    );
  });

  test.each<[string, string, string, object | undefined, number, string]>([
    ['a short name', 'GET', 'ref/main', undefined, 404, 'Not Found'],
    ['a part of a name', 'GET', 'ref/heads/mai', undefined, 404, 'Not Found'],
    ['NUL', 'GET', 'ref/heads/%00', undefined, 404, 'Not Found'],
    ['one that exists', 'POST', 'refs', { ref: 'refs/heads/main', sha: first }, 422, 'Reference already exists'],
    ['a bad name', 'POST', 'refs', { ref: 'main', sha: first }, 422, 'main is not a valid ref name.'],
    [
      'an object that is not there',
      'POST',
      'refs',
      { ref: 'refs/heads/x', sha: 'ab'.repeat(20) },
      422,
      'Object does not exist',
    ],
    [
      'no id',
      'POST',
      'refs',
      { ref: 'refs/heads/x', sha: 'main' },
      422,
      'The sha parameter must be exactly 40 characters and contain only [0-9a-f].',
    ],
    ['an update of none', 'PATCH', 'refs/heads/none', { sha: first }, 422, 'Reference does not exist'],
    ['a deletion of none', 'DELETE', 'refs/heads/none', undefined, 422, 'Reference does not exist'],
    ['the default branch', 'DELETE', 'refs/heads/main', undefined, 422, 'The default branch cannot be deleted.'],
  ])('%s', async (_name, method, path, body, status, message) => {
    const answer = await send(method, path, body);
    expect([answer.status, answer.json.message]).toEqual([status, message]);
  });

  test('a refusal by a rule is 422, and its suite is kept', async () => {
    const rules = [{ type: 'creation' }];
    const conditions = { ref_name: { include: ['refs/heads/closed'], exclude: [] } };
    const ruleset = { name: 'closed', enforcement: 'active', target: 'branch', rules, conditions };
    expect((await call(gateway, 'POST', `${at}/rulesets`, bearer, ruleset)).status).toBe(201);
    const refused = await send('POST', 'refs', { ref: 'refs/heads/closed', sha: first });
    expect([refused.status, refused.json.message]).toEqual([422, 'Reference update failed']);
    expect(refused.json.errors).toEqual([
      {
        resource: 'Reference',
        field: 'ref',
        code: 'custom',
        message: expect.stringMatching(/creations being restricted/),
      },
    ]);
  });
});

describe('blobs, trees and tags', () => {
  test('a blob as text and as Base64, in JSON and as its bytes', async () => {
    const made = await send('POST', 'blobs', { content: 'é\n' });
    expect([made.status, Object.keys(made.json)]).toEqual([201, ['url', 'sha']]);
    const same = await send('POST', 'blobs', { content: Buffer.from('é\n').toString('base64'), encoding: 'base64' });
    expect(same.json).toEqual(made.json);
    const { json } = await send('GET', `blobs/${made.json.sha}`);
    expect(json).toMatchObject({ content: 'w6kK\n', encoding: 'base64', size: 3, url: made.json.url });
    const raw = await world.get(`/git/blobs/${made.json.sha}`, { accept: 'application/vnd.host.raw' });
    expect(raw.text).toBe('é\n');
    for (const body of [
      { content: '\ud800' },
      { content: 'a', encoding: 'latin1' },
      { content: 'a', encoding: 'base64' },
    ])
      expect((await send('POST', 'blobs', body)).status).toBe(422);
    for (const id of [first, 'ab'.repeat(20), 'x']) expect((await send('GET', `blobs/${id}`)).status).toBe(404);
  });

  test('a blob of 3 MB of text comes in pieces', async () => {
    const content = '\u{1F9ED}é'.repeat(500_000);
    const { json } = await send('POST', 'blobs', { content });
    const raw = await world.get(`/git/blobs/${json.sha}`, { accept: 'application/vnd.host.raw' });
    expect(raw.text === content).toBe(true);
  });

  test('a tree with changes, a subtree and a deletion; listed with its directories', async () => {
    const { json: tree } = await send('GET', 'trees/main?recursive=1');
    expect(tree.tree.map(({ path, mode, type, size }: Record<string, unknown>) => [path, mode, type, size])).toEqual([
      ['a.txt', '100644', 'blob', 1],
      ['d', '040000', 'tree', undefined],
      ['d/e', '040000', 'tree', undefined],
      ['d/e/f.txt', '100644', 'blob', 1],
    ]);
    expect(tree.truncated).toBe(false);
    const folder = tree.tree[1].sha;
    const made = await send('POST', 'trees', {
      base_tree: tree.sha,
      tree: [
        { path: 'copy', mode: '040000', type: 'tree', sha: folder },
        { path: 'a.txt', mode: '100644', type: 'blob', sha: null },
        { path: 'new', mode: '100755', type: 'blob', content: 'x' },
      ],
    });
    expect(made.status).toBe(201);
    expect(made.json.tree.map(({ path, mode }: Record<string, string>) => [path, mode])).toEqual([
      ['copy', '040000'],
      ['d', '040000'],
      ['new', '100755'],
    ]);
    const commit = await send('POST', 'commits', { message: 'm', tree: made.json.sha, parents: [second] });
    expect((await send('POST', 'refs', { ref: 'refs/heads/trees', sha: commit.json.sha })).status).toBe(201);
    expect((await world.get('/contents/copy/e/f.txt?ref=trees')).status).toBe(200);
    expect((await send('GET', `trees/${commit.json.sha}`)).json.sha).toBe(made.json.sha);
    for (const id of ['none', 'ab'.repeat(20), tree.tree[0].sha, 'main:d'])
      expect((await send('GET', `trees/${id}`)).status).toBe(404);
  });

  test.each<[string, object]>([
    ['no entry', { path: 'a', mode: '100644' }],
    ['both', { path: 'a', mode: '100644', content: '', sha: 'ab'.repeat(20) }],
    ['no mode', { path: 'a', content: '' }],
    ['a bad mode', { path: 'a', mode: '100600', content: '' }],
    ['a blob as a tree', { path: 'a', mode: '040000', sha: '2e65efe2a145dda7ee51d1741299f848e5bf752e' }],
    ['a tree with content', { path: 'a', mode: '040000', content: '' }],
    ['a bad path', { path: '../a', mode: '100644', content: '' }],
    ['a deletion of nothing', { path: 'a', sha: null }],
  ])('a tree with %s is 422', async (_name, entry) => {
    expect((await send('POST', 'trees', { tree: [entry] })).status).toBe(422);
  });

  test('an annotated tag', async () => {
    const body = {
      tag: 'v1',
      message: 'One\n',
      object: first,
      type: 'commit',
      tagger: { name: 'T', email: 't@x', date: '2020-01-01T00:00:00+01:00' },
    };
    const made = await send('POST', 'tags', body);
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      tag: 'v1',
      message: 'One',
      tagger: { name: 'T', email: 't@x', date: '2019-12-31T23:00:00Z' },
      object: { type: 'commit', sha: first },
    });
    expect((await send('GET', `tags/${made.json.sha}`)).json).toEqual(made.json);
    await send('POST', 'refs', { ref: 'refs/tags/v1', sha: made.json.sha });
    expect((await send('GET', 'ref/tags/v1')).json.object).toEqual({
      type: 'tag',
      sha: made.json.sha,
      url: `${git}/tags/${made.json.sha}`,
    });
    for (const wrong of [{ type: 'tree' }, { tagger: null }, { object: 'ab'.repeat(20) }, { tag: 'a..b' }])
      expect((await send('POST', 'tags', { ...body, ...wrong })).status).toBe(422);
    expect((await send('GET', `tags/${first}`)).status).toBe(404);
  });
});

test('an empty repository is 409, a reader 403, an invisible repository 404', async () => {
  const empty = await newWorld(gateway, wren.classic_token);
  const secret = await newWorld(gateway, wren.classic_token, { isPrivate: true });
  const requests: [string, string, object?][] = [
    ['GET', 'ref/heads/main'],
    ['GET', 'matching-refs/heads'],
    ['GET', 'trees/main'],
    ['GET', `blobs/${first}`],
    ['GET', `tags/${first}`],
    ['POST', 'refs', { ref: 'refs/heads/x', sha: first }],
    ['POST', 'blobs', { content: '' }],
    ['POST', 'trees', { tree: [] }],
    ['POST', 'tags', { tag: 'v1', message: 'm', object: first, type: 'commit' }],
  ];
  for (const [method, path, body] of requests) {
    const ofEmpty = await call(gateway, method, `/repos/${empty.owner}/${empty.name}/git/${path}`, bearer, body);
    expect([path, ofEmpty.status, ofEmpty.json.message]).toEqual([path, 409, 'Git Repository is empty.']);
    const stranger = `Bearer ${tomas.classic_token}`;
    const hidden = await call(gateway, method, `/repos/${secret.owner}/${secret.name}/git/${path}`, stranger, body);
    expect([path, hidden.status]).toEqual([path, 404]);
    if (method === 'POST') expect([path, (await send(method, path, body, stranger)).status]).toEqual([path, 403]);
  }
});
