import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { demoOf, graphql } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';
import {
  commandLines,
  type MadeObject,
  made,
  madeCommit,
  madeTree,
  packOf,
  type RefCommand,
  sendPush,
} from './packs.ts';

const gateway = await testGateway();
const users = (await demoOf(gateway)).users;
const token = users.wren.classic_token;

const emptyTree = made('tree', '');
const push = (world: World, commands: readonly RefCommand[], objects: readonly MadeObject[] = [], by = token) =>
  sendPush(gateway, world, by, Buffer.concat([Buffer.from(commandLines(commands)), packOf(objects)]));

const rootOf = (text: string): MadeObject => madeCommit(emptyTree.oid, [], '', `${text}\n`);

/** The statements of a push of so many refs, each time in a new repository. */
async function statementsOf(
  counts: readonly number[],
  prepare: (world: World, count: number) => Promise<() => Promise<{ text: string }>>,
): Promise<number[]> {
  const found: number[] = [];
  for (const count of counts) {
    const world = await newWorld(gateway, token);
    const work = await prepare(world, count);
    let text = '';
    found.push(
      (
        await gateway.statements(async () => {
          ({ text } = await work());
        })
      ).length,
    );
    expect(text.match(/ok refs\//g)).toHaveLength(count);
  }
  return found;
}

describe('a push of many refs takes as many statements as one of a few', () => {
  const counts = [40, 80];
  test.each(['heads', 'tags'])('that creates refs/%s', async kind => {
    const [few, many] = await statementsOf(counts, async (world, count) => {
      const to = await world.commit({ 'a.txt': 'one\n' });
      return () =>
        push(
          world,
          Array.from({ length: count }, (_, at) => ({ ref: `refs/${kind}/x${at}`, to })),
        );
    });
    expect(many).toBe(few);
  });

  test('that creates branches with histories of their own', async () => {
    const [few, many] = await statementsOf(counts, async (world, count) => {
      await world.commit({ 'a.txt': 'one\n' });
      const roots = Array.from({ length: count }, (_, at) => rootOf(`${at}`));
      const commands = roots.map(({ oid }, at) => ({ ref: `refs/heads/x${at}`, to: oid }));
      return () => push(world, commands, [emptyTree, ...roots]);
    });
    expect(many).toBe(few);
  });

  test('that deletes refs', async () => {
    const [few, many] = await statementsOf(counts, async (world, count) => {
      const oid = await world.commit({ 'a.txt': 'one\n' });
      const refs = Array.from({ length: count }, (_, at) => `refs/heads/x${at}`);
      await push(
        world,
        refs.map(ref => ({ ref, to: oid })),
      );
      return () =>
        push(
          world,
          refs.map(ref => ({ ref, old: oid })),
        );
    });
    expect(many).toBe(few);
  });

  test('of which many are refused', async () => {
    const statements: number[] = [];
    for (const count of counts) {
      const world = await newWorld(gateway, token);
      const to = await world.commit({ 'a.txt': 'one\n' });
      const blob = made('blob', 'no commit\n');
      const commands = Array.from({ length: count }, (_, at) => ({
        ref: `refs/heads/x${at}`,
        to: at % 2 === 0 ? to : blob.oid,
      }));
      let text = '';
      const sent = await gateway.statements(async () => {
        ({ text } = await push(world, commands, [blob]));
      });
      statements.push(sent.length);
      expect(text.match(/ok refs\//g)).toHaveLength(count / 2);
      expect(text.match(/ng refs\/heads\/x\d+ The branch /g)).toHaveLength(count / 2);
    }
    expect(statements[1]).toBe(statements[0]);
  });
});

test('each new commit belongs to the first branch of the push that has it', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ 'a.txt': 'one\n' });
  const shared = rootOf('shared');
  const [left, right] = [
    madeCommit(emptyTree.oid, [shared.oid], '', 'left\n'),
    madeCommit(emptyTree.oid, [shared.oid], '', 'right\n'),
  ];
  await push(
    world,
    [
      { ref: 'refs/heads/left', to: left.oid },
      { ref: 'refs/heads/right', to: right.oid },
      { ref: 'refs/heads/same', to: right.oid },
    ],
    [emptyTree, shared, left, right],
  );
  const rows = await gateway.database.read(sql`select payload ->> 'ref' as ref, (payload ->> 'size')::int as size,
      jsonb_array_length(payload -> 'commits') as commits from event
    where repository_id = ${world.id} and type = 'PushEvent' and payload ->> 'ref' <> 'refs/heads/main' order by id`);
  expect(rows).toEqual([
    { ref: 'refs/heads/left', size: 2, commits: 2 },
    { ref: 'refs/heads/right', size: 1, commits: 1 },
  ]);
});

describe('names that cannot be refs beside others', () => {
  test('are refused all at once, and the others are made', async () => {
    const world = await newWorld(gateway, token);
    const to = await world.commit({ 'a.txt': 'one\n' });
    const made = async (refs: readonly string[]): Promise<string> =>
      (
        await push(
          world,
          refs.map(ref => ({ ref, to })),
        )
      ).text;
    expect(await made(['refs/heads/a/b', 'refs/heads/c', 'refs/heads/c-d', 'refs/heads/e.f/g'])).not.toContain('ng ');
    const names = Array.from({ length: 30 }, (_, at) => `refs/heads/c/${at}`);
    const text = await made([
      ...names,
      'refs/heads/a',
      'refs/heads/e',
      'refs/heads/new',
      'refs/heads/new/x',
      'refs/heads/new/x/y',
    ]);
    for (const name of names) expect(text).toContain(`ng ${name} «${name}» cannot be made: «refs/heads/c» exists.`);
    expect(text).toContain('ng refs/heads/a «refs/heads/a» cannot be made: «refs/heads/a/b» exists.');
    expect(text).toContain('ng refs/heads/new/x «refs/heads/new/x» cannot be made: «refs/heads/new» exists.');
    expect(text).toContain('ng refs/heads/new/x/y ');
    for (const name of ['refs/heads/e', 'refs/heads/new']) expect(text).toContain(`ok ${name}\n`);
  });

  test('are free when the other one is deleted by the same push', async () => {
    const world = await newWorld(gateway, token);
    const to = await world.commit({ 'a.txt': 'one\n' });
    await push(world, [
      { ref: 'refs/heads/a/b', to },
      { ref: 'refs/heads/a/c', to },
    ]);
    const half = await push(world, [
      { ref: 'refs/heads/a/b', old: to },
      { ref: 'refs/heads/a', to },
    ]);
    expect(half.text).toContain('ng refs/heads/a «refs/heads/a» cannot be made: «refs/heads/a/c» exists.');
    const rest = await push(world, [
      { ref: 'refs/heads/a/c', old: to },
      { ref: 'refs/heads/a', to },
    ]);
    expect(rest.text).toContain('ok refs/heads/a\n');
  });

  test('with 10,000 directories', async () => {
    const world = await newWorld(gateway, token);
    const to = await world.commit({ 'a.txt': 'one\n' });
    const refs = Array.from({ length: 400 }, (_, at) => `refs/heads/${at}/${'d/'.repeat(25)}x`);
    await push(
      world,
      refs.map(ref => ({ ref, to })),
    );
    const { text } = await push(world, [
      ...refs.map(ref => ({ ref: `${ref}/y`, to })),
      { ref: 'refs/heads/7/d/d', to },
      { ref: 'refs/heads/fine', to },
    ]);
    expect(text.match(/ng refs\//g)).toHaveLength(refs.length + 1);
    expect(text).toContain('ok refs/heads/fine');
  });
});

describe('a token that may not change workflow files', () => {
  const workflow = made('blob', 'on: push\n');
  const folder = (name: string, oid: string): MadeObject => madeTree([{ mode: '40000', name, oid }]);
  const workflows = madeTree([{ name: 'ci.yml', oid: workflow.oid }]);
  const brand = folder('workflows', workflows.oid);
  const root = folder('.host', brand.oid);

  test('pushes the branches that do not, of many', async () => {
    const document = 'mutation { createClassicToken(input: { note: "n", scopes: ["repo"] }) { secret } }';
    const narrow: string = (await graphql(gateway, document, token)).data.createClassicToken.secret;
    const world = await newWorld(gateway, token);
    await world.commit({ 'a.txt': 'one\n' });
    const bad = madeCommit(root.oid, [], '', 'bad\n');
    const above = madeCommit(emptyTree.oid, [bad.oid], '', 'above\n');
    const fine = Array.from({ length: 20 }, (_, at) => rootOf(`fine ${at}`));
    const { text } = await push(
      world,
      [
        { ref: 'refs/heads/bad', to: bad.oid },
        { ref: 'refs/heads/above', to: above.oid },
        ...fine.map(({ oid }, at) => ({ ref: `refs/heads/fine${at}`, to: oid })),
      ],
      [workflow, workflows, brand, root, emptyTree, bad, above, ...fine],
      narrow,
    );
    for (const name of ['bad', 'above'])
      expect(text).toContain(`ng refs/heads/${name} refusing to change workflow files`);
    expect(text.match(/ok refs\/heads\/fine/g)).toHaveLength(20);
    expect(text).toContain('ok refs/heads/fine19');
  });
});
