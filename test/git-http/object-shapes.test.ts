import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf, graphql } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';
import { Clone, remoteUrl } from './git-client.ts';
import { commandLines, type MadeObject, made, madeCommit, madeTree, noOid, packOf, sendPush } from './packs.ts';

const limits = {
  COMMIT_MAX_KB: '4',
  COMMIT_MAX_HEADER_LINES: '30',
  COMMIT_MAX_PARENTS: '6',
  TREE_MAX_ENTRIES: '20',
  PATH_MAX_BYTES: '255',
  PATH_MAX_DEPTH: '12',
  GIT_PUSH_MAX_OBJECTS: '60',
  REPOSITORY_MAX_REFS: '12',
};
const gateway = await testGateway({ settings: limits });
const roomy = await testGateway({ beside: gateway });
const token = (await demoOf(gateway)).users.wren.classic_token;

const blob = made('blob', 'text\n');
const files = (count: number): { name: string; oid: string }[] =>
  Array.from({ length: count }, (_, at) => ({ name: `f${String(at).padStart(4, '0')}`, oid: blob.oid }));
const tree = madeTree(files(1));

/** Folders in each other, from the innermost to the root, with a file in the innermost. */
function nested(depth: number, name = 'd'): MadeObject[] {
  const trees = [madeTree(files(1))];
  for (let at = 1; at < depth; at++) trees.push(madeTree([{ mode: '40000', name, oid: trees.at(-1)?.oid ?? '' }]));
  return trees;
}

const storedIn = ({ id }: World): Promise<unknown> =>
  gateway.database.read(sql`select (select count(*)::int from git_object where repository_id = ${id}) as objects,
    (select count(*)::int from git_ref where repository_id = ${id}) as refs`);

const pushTo = (world: World, objects: readonly MadeObject[], tip = objects.at(-1), at = gateway) =>
  sendPush(
    at,
    world,
    token,
    Buffer.concat([Buffer.from(commandLines([{ ref: 'refs/heads/pushed', to: tip?.oid ?? noOid }])), packOf(objects)]),
  );

const roots = Array.from({ length: 7 }, (_, at) => madeCommit(tree.oid, [], '', `${at}\n`));
const parentsOf = (count: number): string[] => roots.slice(0, count).map(({ oid }) => oid);
const signature = (lines: number): string => `gpgsig -----BEGIN\n${' x\n'.repeat(lines - 1)}`;
const tagOf = (lines: number): MadeObject =>
  made(
    'tag',
    `object ${roots[0]?.oid}\ntype commit\ntag v1\ntagger A <a@example.org> 1 +0000\n${signature(lines)}\nx\n`,
  );

/** Objects at a limit, and just beyond it. */
const shapes: [string, RegExp, MadeObject[], MadeObject[]][] = [
  [
    'bytes of a commit',
    /a commit is too large/,
    [blob, tree, madeCommit(tree.oid, [], '', 'x'.repeat(3_900))],
    [blob, tree, madeCommit(tree.oid, [], '', 'x'.repeat(4_100))],
  ],
  [
    'header lines of a commit',
    /has more than 30 header lines/,
    [blob, tree, madeCommit(tree.oid, [], signature(27))],
    [blob, tree, madeCommit(tree.oid, [], signature(28))],
  ],
  [
    'header lines of a tag',
    /has more than 30 header lines/,
    [blob, tree, roots[0] as MadeObject, tagOf(26)],
    [blob, tree, roots[0] as MadeObject, tagOf(27)],
  ],
  [
    'parents',
    /has more than 6 parents/,
    [blob, tree, ...roots, madeCommit(tree.oid, parentsOf(6))],
    [blob, tree, ...roots, madeCommit(tree.oid, parentsOf(7))],
  ],
  [
    'entries of a tree',
    /has more than 20 entries/,
    withCommit([blob, madeTree(files(20))]),
    withCommit([blob, madeTree(files(21))]),
  ],
  [
    'parts of a path',
    /exceeded maximum allowed tree depth \(12\)/,
    withCommit([blob, ...nested(12)]),
    withCommit([blob, ...nested(13)]),
  ],
  [
    'bytes of a path',
    /contains excessively large pathname/,
    withCommit([blob, ...nested(6, 'x'.repeat(49))]),
    withCommit([blob, ...nested(6, 'x'.repeat(50))]),
  ],
];

function withCommit(objects: MadeObject[]): MadeObject[] {
  return [...objects, madeCommit(objects.at(-1)?.oid ?? '')];
}

describe('objects that are pushed', () => {
  test.each(shapes)('have a limit of %s', async (name, reason, allowed, refused) => {
    const world = await newWorld(gateway, token);
    const isTag = name.includes('tag');
    const push = async (objects: MadeObject[], at = gateway): Promise<string> => {
      const ref = isTag ? 'refs/tags/v1' : 'refs/heads/pushed';
      const body = Buffer.concat([
        Buffer.from(commandLines([{ ref, to: objects.at(-1)?.oid ?? noOid }])),
        packOf(objects),
      ]);
      const { status, text } = await sendPush(at, world, token, body);
      expect(status).toBe(200);
      return text;
    };
    // In the order of a pack, and against it: what refers to a tree may come first.
    for (const objects of [refused, [...refused.slice(0, -1).reverse(), refused.at(-1) as MadeObject]]) {
      const text = await push(objects);
      expect(text).toMatch(reason);
      expect(text).toMatch(/ng refs\/\S+ unpacker error/);
      expect(await storedIn(world)).toEqual([{ objects: 0, refs: 0 }]);
    }
    expect(await push(allowed)).toContain('unpack ok');
    const other = await newWorld(gateway, token);
    // The defaults let it in.
    const body = Buffer.from(
      commandLines([{ ref: isTag ? 'refs/tags/v1' : 'refs/heads/p', to: refused.at(-1)?.oid ?? '' }]),
    );
    expect((await sendPush(roomy, other, token, Buffer.concat([body, packOf(refused)]))).text).toContain('unpack ok');
  });

  test('of a folder that many folders name are looked at once', async () => {
    const world = await newWorld(gateway, token);
    // 10 levels of 20 equal folders each: 20^10 paths.
    const trees = [madeTree(files(20))];
    for (let at = 0; at < 10; at++) {
      const oid = trees.at(-1)?.oid ?? '';
      trees.push(madeTree(files(20).map(({ name }) => ({ mode: '40000', name, oid }))));
    }
    expect((await pushTo(world, withCommit([blob, ...trees]))).text).toContain('ok refs/heads/pushed');
  });

  test('are counted by the header of the pack', async () => {
    const world = await newWorld(gateway, token);
    const blobs = Array.from({ length: 70 }, (_, at) => made('blob', `${at}`));
    const { text } = await pushTo(world, [...blobs, tree, blob, madeCommit(tree.oid)]);
    expect(text).toContain('unpack too many objects');
    expect(text).toContain('error: A push has at most 60 objects.');
    expect(await storedIn(world)).toEqual([{ objects: 0, refs: 0 }]);
  });

  test('git shows the reason', async () => {
    const world = await newWorld(gateway, token);
    const clone = await Clone.empty();
    await clone.commit(Object.fromEntries(files(21).map(({ name }) => [name, name])));
    const { code, stderr } = await clone.attempt(
      'push',
      remoteUrl(gateway.url, `${world.owner}/${world.name}`, token),
      'main',
    );
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/remote: error: object [0-9a-f]{40}: has more than 20 entries/);
    expect(stderr).toContain('unpacker error');
  });
});

describe('objects that are created by the API', () => {
  test('a commit of too many bytes, and one of too many parents, is 422', async () => {
    const world = await newWorld(gateway, token);
    const head = await world.commit({ 'a.txt': 'one\n' });
    const base = `/repos/${world.owner}/${world.name}`;
    const {
      json: {
        tree: { sha },
      },
    } = await world.get(`/git/commits/${head}`);
    const create = (body: object) =>
      call(gateway, 'POST', `${base}/git/commits`, `Bearer ${token}`, { tree: sha, ...body });
    expect((await create({ message: 'x'.repeat(3_000) })).status).toBe(201);
    const large = await create({ message: 'x'.repeat(5_000) });
    expect([large.status, large.json.message]).toEqual([422, expect.stringMatching(/commit .* has \d+ bytes/)]);
    expect((await create({ message: 'x', parents: Array(7).fill(head) })).status).toBe(422);
    const file = await world.put('/contents/b.txt', { message: 'x'.repeat(5_000), content: 'eA==' });
    expect(file.status).toBe(422);
    const tag = await call(gateway, 'POST', `${base}/git/tags`, `Bearer ${token}`, {
      tag: 'v1',
      message: 'x'.repeat(5_000),
      object: head,
      type: 'commit',
    });
    expect(tag.status).toBe(422);
  });

  test('a tree of too many entries is 422, also when files are added one by one', async () => {
    const world = await newWorld(gateway, token);
    await world.commit(Object.fromEntries(files(20).map(({ name }) => [name, name])));
    const created = await call(gateway, 'POST', `/repos/${world.owner}/${world.name}/git/trees`, `Bearer ${token}`, {
      tree: files(21).map(({ name }) => ({ path: name, mode: '100644', type: 'blob', content: name })),
    });
    expect([created.status, created.json.message]).toEqual([422, expect.stringContaining('more than 20 entries')]);
    const file = await world.put('/contents/one-more', { message: 'x', content: 'eA==' });
    expect([file.status, file.json.message]).toEqual([422, expect.stringContaining('more than 20 entries')]);
    expect((await world.put('/contents/folder/one-more', { message: 'x', content: 'eA==' })).status).toBe(422);
    const removed = await world.remove('/contents/f0000', {
      message: 'x',
      sha: (await world.get('/contents/f0000')).json.sha,
    });
    expect(removed.status).toBe(200);
  });

  test('a merge of too many entries is 422', async () => {
    const world = await newWorld(gateway, token);
    await world.commit(Object.fromEntries(files(12).map(({ name }) => [name, name])));
    const sha = (await world.get('/commits/main')).json.sha;
    await call(gateway, 'POST', `/repos/${world.owner}/${world.name}/git/refs`, `Bearer ${token}`, {
      ref: 'refs/heads/side',
      sha,
    });
    await world.commit(Object.fromEntries(files(5).map(({ name }) => [`m${name}`, name])));
    await world.commit(Object.fromEntries(files(5).map(({ name }) => [`s${name}`, name])), { branch: 'side' });
    const merge = await call(gateway, 'POST', `/repos/${world.owner}/${world.name}/merges`, `Bearer ${token}`, {
      base: 'main',
      head: 'side',
    });
    expect([merge.status, merge.json.message]).toEqual([422, expect.stringContaining('more than 20 entries')]);
  });
});

describe('refs of a repository', () => {
  const emptyPush = (refs: readonly string[], to: string) =>
    Buffer.concat([Buffer.from(commandLines(refs.map(ref => ({ ref, to })))), packOf([])]);

  test('have a maximum number, by git, REST and GraphQL; those that exist are moved and deleted', async () => {
    const world = await newWorld(gateway, token);
    const head = await world.commit({ 'a.txt': 'one\n' });
    const names = Array.from({ length: 11 }, (_, at) => `refs/heads/b${at}`);
    expect((await sendPush(gateway, world, token, emptyPush(names, head))).text).toContain('ok refs/heads/b10');
    const refused = await sendPush(gateway, world, token, emptyPush(['refs/heads/more', 'refs/tags/more'], head));
    expect(refused.text).toContain(
      'ng refs/heads/more «refs/heads/more» cannot be made: a repository has at most 12 refs',
    );
    expect(refused.text).toContain('ng refs/tags/more');
    const base = `/repos/${world.owner}/${world.name}`;
    const rest = await call(gateway, 'POST', `${base}/git/refs`, `Bearer ${token}`, {
      ref: 'refs/heads/more',
      sha: head,
    });
    expect([rest.status, rest.json.message]).toEqual([422, expect.stringContaining('at most 12 refs')]);
    const document = `mutation($input: CreateRefInput!) { createRef(input: $input) { ref { name } } }`;
    const repositoryId = (
      await graphql(gateway, `{ repository(owner: "${world.owner}", name: "${world.name}") { id } }`, token)
    ).data.repository.id;
    const graph = await graphql(gateway, document, token, {
      input: { repositoryId, name: 'refs/heads/more', oid: head },
    });
    expect(graph.errors[0].message).toContain('at most 12 refs');
    // One is deleted and another made by one push.
    const body = Buffer.concat([
      Buffer.from(
        commandLines([
          { ref: 'refs/heads/b0', old: head },
          { ref: 'refs/heads/more', to: head },
        ]),
      ),
      packOf([]),
    ]);
    const { text } = await sendPush(gateway, world, token, body);
    expect(text).toContain('ok refs/heads/b0');
    expect(text).toContain('ok refs/heads/more');
    expect((await sendPush(gateway, world, token, emptyPush(['refs/heads/again'], head))).text).toContain(
      'ng refs/heads/again',
    );
  });

  test('have a maximum of bytes together', async () => {
    const world = await newWorld(gateway, token);
    const head = await world.commit({ 'a.txt': 'one\n' });
    const long = Array.from({ length: 5 }, (_, at) => `refs/heads/${at}${'x'.repeat(240)}`);
    expect((await sendPush(gateway, world, token, emptyPush(long.slice(0, 4), head))).text).toContain(
      'ok refs/heads/3',
    );
    expect((await sendPush(gateway, world, token, emptyPush(long.slice(4), head))).text).toContain(
      'their names have at most 1200 bytes together',
    );
  });
});
