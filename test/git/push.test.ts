import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { applyChanges, type TreeChange } from '../../src/git/apply-changes.ts';
import { encodeCommit } from '../../src/git/commit.ts';
import { exportRepository } from '../../src/git/export-repository.ts';
import { walkHistory } from '../../src/git/history.ts';
import { createObject, type GitObject, type Oid } from '../../src/git/object.ts';
import { findObject, readCommit } from '../../src/git/read-objects.ts';
import { isBranchName } from '../../src/git/ref-name.ts';
import { hasBranches, readRef } from '../../src/git/refs.ts';
import type { Repository } from '../../src/git/repository.ts';
import { encodeTree, modes } from '../../src/git/tree.ts';
import type { PreparedPush } from '../../src/hosting/pushes/prepared-push.ts';
import { push } from '../../src/hosting/pushes/push.ts';
import type { PushPipeline } from '../../src/hosting/pushes/push-pipeline.ts';
import type { NewObjects, PushRequest, PushResult } from '../../src/hosting/pushes/push-request.ts';
import { author, cold, folder, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld({ poolSize: 24 });
const main = 'refs/heads/main';

/** Builds a commit with these changes on top of the current tip of the branch. `null` deletes a file. */
function change(files: Record<string, string | null>, message = 'A change') {
  return async (head: Oid | undefined, repository: Repository): Promise<NewObjects> => {
    const objects: GitObject[] = [];
    const changes = Object.entries(files).map(([path, text]): TreeChange => {
      if (text === null) return { path, entry: undefined };
      const blob = createObject('blob', Buffer.from(text));
      objects.push(blob);
      return { path, entry: { mode: modes.file, oid: blob.oid } };
    });
    const base = head === undefined ? undefined : (await readCommit(repository, head)).tree;
    const made = await applyChanges(repository, base, changes);
    const parents = head === undefined ? [] : [head];
    const commit = createObject(
      'commit',
      encodeCommit({ tree: made.tree, parents, author, committer: author, message }),
    );
    return { to: commit.oid, objects: [...objects, ...made.objects, commit] };
  };
}

const pushTo = (
  repository: Repository,
  updates: PushRequest['updates'],
  more: Partial<PushRequest> = {},
): Promise<PushResult> => push(world.context, { repositoryId: repository.id, updates, ...more });

async function write(repository: Repository, files: Record<string, string | null>, ref = main): Promise<Oid> {
  const result = await pushTo(repository, [{ ref, to: change(files) }]);
  if (result.kind !== 'pushed') throw new Error(JSON.stringify(result));
  return result.changes[0]?.new ?? '';
}

async function chain(repository: Repository, ref = main): Promise<Oid[]> {
  const tip = await readRef(repository, ref);
  const oids: Oid[] = [];
  if (tip) for await (const node of walkHistory(repository, [tip])) oids.push(node.oid);
  return oids;
}

describe('one ref', () => {
  test('is created, updated and deleted, each time from its current id', async () => {
    const repository = world.repository();
    expect(await hasBranches(repository)).toBe(false);
    const first = await write(repository, { 'a.txt': 'one' });
    expect(await hasBranches(repository)).toBe(true);
    const second = await write(repository, { 'b/c.txt': 'two' });
    expect(await chain(cold(world, repository))).toEqual([second, first]);
    expect(await pushTo(repository, [{ ref: main, expected: first, to: null }])).toEqual({
      kind: 'conflict',
      reason: 'moved',
      ref: main,
      expected: first,
      actual: second,
    });
    expect(await pushTo(repository, [{ ref: main, expected: null, to: first }])).toMatchObject({
      reason: 'moved',
      actual: second,
    });
    expect(await pushTo(repository, [{ ref: main, expected: second, to: second }])).toEqual({
      kind: 'pushed',
      changes: [],
    });
    expect(await pushTo(repository, [{ ref: main, expected: second, to: first }])).toMatchObject({ kind: 'pushed' });
    expect(await pushTo(repository, [{ ref: main, expected: first, to: null }])).toEqual({
      kind: 'pushed',
      changes: [{ ref: main, old: first, new: undefined }],
    });
    expect(await readRef(repository, main)).toBeUndefined();
    expect(await pushTo(repository, [{ ref: main, expected: first, to: second }])).toMatchObject({
      reason: 'moved',
      actual: undefined,
    });
  });

  test('16 writers with 12 commits each: every acknowledged commit is in the chain exactly once', async () => {
    const repository = world.repository();
    const acknowledged: Oid[] = [];
    let refused = 0;
    const writer = async (name: number): Promise<void> => {
      for (let at = 0; at < 12; at++) {
        const update = { ref: main, to: change({ [`writer-${name}/file-${at}`]: `${name} ${at}` }, `${name} ${at}`) };
        const result = await pushTo(repository, [update]);
        if (result.kind === 'pushed') acknowledged.push(result.changes[0]?.new ?? '');
        else refused++;
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, name) => writer(name)));
    const all = await chain(cold(world, repository));
    expect(acknowledged.length + refused).toBe(16 * 12);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect([...all].sort()).toEqual([...acknowledged].sort());
    expect(new Set(all).size).toBe(all.length);
    const path = join(folder(), 'out.git');
    await exportRepository(cold(world, repository), path);
    const git = new SystemGit(path);
    git.run('fsck', '--strict', '--full');
    // One commit each: no file was lost in the tree of a concurrent commit.
    expect(git.lines('ls-tree', '-r', '--name-only', 'main')).toHaveLength(acknowledged.length);
    expect(git.lines('rev-list', '--first-parent', 'main')).toHaveLength(acknowledged.length);
  });

  test('of 16 writers that expect the same id one wins, and of 16 that create the ref', async () => {
    const repository = world.repository();
    const race = (expected: Oid | null): Promise<PushResult[]> =>
      Promise.all(
        Array.from({ length: 16 }, (_, at) =>
          pushTo(repository, [{ ref: main, expected, to: change({ x: `${expected} ${at}` }, `${at}`) }]),
        ),
      );
    for (let round = 0, head: Oid | null = null; round < 4; round++) {
      const results: PushResult[] = await race(head);
      const won = results.filter(result => result.kind === 'pushed');
      expect(won).toHaveLength(1);
      expect(results.filter(result => result.kind === 'conflict')).toHaveLength(15);
      head = (await readRef(repository, main)) ?? null;
      expect(won[0]).toMatchObject({ changes: [{ new: head }] });
    }
    expect(await chain(repository)).toHaveLength(4);
  });

  test('concurrent deletion and writes end in a serial order', async () => {
    for (let round = 0; round < 5; round++) {
      const repository = world.repository();
      const head = await write(repository, { a: 'one' });
      const [deleted, ...written] = await Promise.all([
        pushTo(repository, [{ ref: main, expected: head, to: null }]),
        ...Array.from({ length: 4 }, (_, at) =>
          pushTo(repository, [{ ref: main, expected: head, to: change({ b: `${at}` }) }]),
        ),
      ]);
      const winners = [deleted, ...written].filter(result => result?.kind === 'pushed');
      expect(winners).toHaveLength(1);
      const tip = await readRef(repository, main);
      expect(tip).toBe(
        deleted?.kind === 'pushed' ? undefined : winners[0]?.kind === 'pushed' ? winners[0].changes[0]?.new : '',
      );
    }
  });

  test('a push that waits too long gets a conflict and stores nothing', async () => {
    const repository = world.repository();
    await write(repository, { a: 'one' });
    let release = (): void => {};
    let hold = (): void => {};
    const holding = new Promise<void>(resolve => {
      hold = resolve;
    });
    const slow = pushTo(repository, [
      {
        ref: main,
        to: async (head, inside) => {
          hold();
          await new Promise<void>(resolve => {
            release = resolve;
          });
          return change({ slow: 'yes' })(head, inside);
        },
      },
    ]);
    await holding;
    const brought = createObject('blob', Buffer.from('never stored'));
    const started = performance.now();
    expect(
      await pushTo(repository, [{ ref: main, to: change({ fast: 'yes' }) }], { objects: [brought] }),
    ).toMatchObject({
      kind: 'conflict',
      reason: 'busy',
    });
    expect(performance.now() - started).toBeGreaterThan(2000);
    expect(await findObject(repository, brought.oid)).toBeUndefined();
    // Another branch is not blocked.
    expect(await pushTo(repository, [{ ref: 'refs/heads/other', to: change({ fast: 'yes' }) }])).toMatchObject({
      kind: 'pushed',
    });
    release();
    expect(await slow).toMatchObject({ kind: 'pushed' });
  });

  test('pushes of one batch are checked separately', async () => {
    const repository = world.repository();
    await write(repository, { a: 'one' });
    let release = (): void => {};
    let hold = (): void => {};
    const holding = new Promise<void>(resolve => {
      hold = resolve;
    });
    const slow = pushTo(repository, [
      {
        ref: main,
        to: async (head, inside) => {
          hold();
          await new Promise<void>(resolve => {
            release = resolve;
          });
          return change({ slow: 'yes' })(head, inside);
        },
      },
    ]);
    await holding;
    const none = { rules: [], events: [], deliveries: [] };
    const lost = createObject('blob', Buffer.from('of a push that fails'));
    const behind = (files: Record<string, string>, steps: PushPipeline = none): Promise<PushResult> =>
      push(world.context, { repositoryId: repository.id, updates: [{ ref: main, to: change(files) }] }, steps);
    const waiting = (breaking: PushPipeline[]): Promise<PromiseSettledResult<PushResult>[]> =>
      Promise.allSettled([
        behind({ first: '1' }),
        pushTo(
          repository,
          [
            {
              ref: main,
              to: async () => {
                throw new Error('changed my mind');
              },
            },
          ],
          { objects: [lost] },
        ),
        // Objects that only the failed push contains are missing for this one.
        pushTo(repository, [{ ref: main, to: lost.oid }]),
        behind({ no: '1' }, { ...none, rules: [async () => [{ ref: main, message: 'No.' }]] }),
        pushTo(repository, [{ ref: main, expected: lost.oid, to: null }]),
        ...breaking.map(steps => behind({ broken: '1' }, steps)),
        behind({ last: '1' }),
      ]);
    const breaking = async (push: PreparedPush): Promise<void> => {
      await sql`select 1 / 0`.execute(push.repository.db);
    };
    const first = waiting([]);
    release();
    const rest = await first;
    const second = await waiting([{ ...none, events: [breaking] }]);
    expect(await slow).toMatchObject({ kind: 'pushed' });
    const told = (results: PromiseSettledResult<PushResult>[]): unknown[] =>
      results.map(one => (one.status === 'fulfilled' ? one.value.kind : one.reason.message.split(' ')[0]));
    expect(told(rest)).toEqual(['pushed', 'changed', 'The', 'refused', 'conflict', 'pushed']);
    expect(told(second)).toEqual(['pushed', 'changed', 'The', 'refused', 'conflict', expect.any(String), 'pushed']);
    expect(second[5]?.status).toBe('rejected');
    // One commit per acknowledged push; identical changes count once.
    expect(await chain(cold(world, repository))).toHaveLength(6);
    expect(await findObject(cold(world, repository), lost.oid)).toBeUndefined();
  });

  test('the creation of a ref waits for another creation, with the same timeout', async () => {
    const repository = world.repository();
    let release = (): void => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    let hold = (): void => {};
    const holding = new Promise<void>(resolve => {
      hold = resolve;
    });
    const slow = pushTo(repository, [
      {
        ref: main,
        to: async (head, inside) => {
          hold();
          await released;
          return change({ slow: 'yes' })(head, inside);
        },
      },
    ]);
    await holding;
    expect(await pushTo(repository, [{ ref: main, to: change({ fast: 'yes' }) }])).toMatchObject({ reason: 'busy' });
    release();
    expect(await slow).toMatchObject({ kind: 'pushed' });
    expect(await chain(repository)).toHaveLength(1);
  });
});

test('branch names', () => {
  for (const name of ['main', 'a/b', 'ü', 'dead']) expect([name, isBranchName(name)]).toEqual([name, true]);
  for (const name of ['', '-x', 'HEAD', 'a b', 'ab'.repeat(20), 'AB'.repeat(20), 'a..b']) {
    expect([name, isBranchName(name)]).toEqual([name, false]);
  }
});

describe('refused pushes', () => {
  test('invalid names, and refs that conflict as file and directory', async () => {
    const repository = world.repository();
    const head = await write(repository, { a: 'one' });
    for (const ref of [
      'main',
      'refs/heads/a..b',
      'refs/heads/.a',
      'refs/heads/a.lock',
      'refs/heads/a b',
      'refs/heads/',
    ]) {
      await expect(pushTo(repository, [{ ref, to: head }])).rejects.toMatchObject({ code: 'bad-ref-name' });
    }
    await pushTo(repository, [{ ref: 'refs/heads/a/b', to: head }]);
    for (const ref of ['refs/heads/a', 'refs/heads/a/b/c', 'refs/heads/main/x']) {
      await expect(pushTo(repository, [{ ref, to: head }])).rejects.toMatchObject({ code: 'ref-conflict' });
    }
    await pushTo(repository, [{ ref: 'refs/heads/a-b', to: head }]);
    const race = await Promise.allSettled(
      ['refs/heads/r', 'refs/heads/r/s', 'refs/heads/r/s/t'].map(ref => pushTo(repository, [{ ref, to: head }])),
    );
    expect(race.filter(one => one.status === 'fulfilled')).toHaveLength(1);
  });

  test('refs to missing objects, and branches of anything but commits', async () => {
    const repository = world.repository();
    await write(repository, { a: 'one' });
    const blob = createObject('blob', Buffer.from('one'));
    await expect(pushTo(repository, [{ ref: main, to: '12'.repeat(20) }])).rejects.toMatchObject({ code: 'missing' });
    await expect(pushTo(repository, [{ ref: main, to: blob.oid }])).rejects.toMatchObject({ code: 'wrong-type' });
    expect(await pushTo(repository, [{ ref: 'refs/tags/blob', to: blob.oid }])).toMatchObject({ kind: 'pushed' });
  });

  test('untrusted objects that refer to missing objects or to the wrong type', async () => {
    const repository = world.repository();
    const stored = createObject('blob', Buffer.from('stored'));
    await world.store(repository, [stored]);
    const none = '12'.repeat(20);
    const treeOf = (mode: string, oid: Oid): GitObject =>
      createObject('tree', encodeTree([{ mode, name: Buffer.from('x'), oid }]));
    const commitOf = (tree: Oid, parents: Oid[] = []): GitObject =>
      createObject('commit', encodeCommit({ tree, parents, author, committer: author, message: 'x' }));
    const attempt = (...objects: GitObject[]): Promise<PushResult> =>
      pushTo(repository, [{ ref: main, to: objects.at(-1)?.oid ?? '' }], { objects, isUntrusted: true });
    const fine = treeOf('100644', stored.oid);
    for (const [code, objects] of [
      ['missing', [treeOf('100644', none), commitOf(treeOf('100644', none).oid)]],
      ['wrong-type', [treeOf('40000', stored.oid), commitOf(treeOf('40000', stored.oid).oid)]],
      ['missing', [commitOf(none)]],
      ['missing', [fine, commitOf(fine.oid, [none])]],
      ['wrong-type', [commitOf(stored.oid)]],
      [
        'corrupt',
        [createObject('tree', Buffer.from('100644 x')), commitOf(createObject('tree', Buffer.from('100644 x')).oid)],
      ],
    ] as const) {
      await expect(attempt(...objects)).rejects.toMatchObject({ code });
    }
    expect(await readRef(repository, main)).toBeUndefined();
    const submodule = treeOf('160000', none);
    expect(await attempt(fine, commitOf(fine.oid))).toMatchObject({ kind: 'pushed' });
    expect(await attempt(submodule, commitOf(submodule.oid))).toMatchObject({ kind: 'pushed' });
  });

  test('several refs change atomically', async () => {
    const repository = world.repository();
    const head = await write(repository, { a: 'one' });
    const updates = [
      { ref: 'refs/heads/one', to: head },
      { ref: 'refs/heads/two', to: head, expected: '12'.repeat(20) },
    ];
    expect(await pushTo(repository, updates)).toMatchObject({ kind: 'conflict', ref: 'refs/heads/two' });
    expect(await readRef(repository, 'refs/heads/one')).toBeUndefined();
    await expect(
      pushTo(repository, [
        { ref: main, to: null },
        { ref: main, to: head },
      ]),
    ).rejects.toMatchObject({ code: 'ref-conflict' });
    expect(
      await pushTo(repository, [
        { ref: 'refs/heads/one', to: head },
        { ref: main, to: null },
      ]),
    ).toMatchObject({ kind: 'pushed' });
    expect(await readRef(repository, main)).toBeUndefined();
  });
});

describe('the pipeline', () => {
  const note = (table: string, text: string) => sql`insert into ${sql.table(table)} (text) values (${text})`;

  test('all rules run, see the pushed objects, and keep what they wrote when they refuse', async () => {
    await sql`create table noted_rules (text text)`.execute(world.database.sql);
    const repository = world.repository();
    const seen: string[] = [];
    const steps = {
      rules: ['one', 'two'].map(name => async ({ repository: inside, changes }: Parameters<Rule>[0]) => {
        const commit = await readCommit(inside, changes[0]?.new ?? '');
        seen.push(`${name} ${commit.message}`);
        await note('noted_rules', name).execute(inside.db);
        return commit.message.toString() === 'bad' ? [{ ref: main, message: `${name} says no` }] : [];
      }),
      events: [],
      deliveries: [],
    };
    const attempt = (message: string): Promise<PushResult> =>
      push(
        world.context,
        { repositoryId: repository.id, updates: [{ ref: main, to: change({ a: message }, message) }] },
        steps,
      );
    expect(await attempt('bad')).toEqual({
      kind: 'refused',
      violations: [
        { ref: main, message: 'one says no' },
        { ref: main, message: 'two says no' },
      ],
    });
    expect(seen).toEqual(['one bad', 'two bad']);
    expect(await readRef(repository, main)).toBeUndefined();
    expect(await findObject(cold(world, repository), createObject('blob', Buffer.from('bad')).oid)).toBeUndefined();
    expect(await findObject(repository, createObject('blob', Buffer.from('bad')).oid)).toBeUndefined();
    expect(await attempt('good')).toMatchObject({ kind: 'pushed' });
    expect(await world.database.read(sql`select text from noted_rules`)).toHaveLength(4);
  });

  test('events, deliveries and the ref are written atomically', async () => {
    await sql`create table noted_events (text text)`.execute(world.database.sql);
    const repository = world.repository();
    const order: string[] = [];
    let fails = true;
    const steps = {
      rules: [],
      events: [
        async ({ repository: inside, changes }: Parameters<Rule>[0]) => {
          order.push('event');
          expect(await readRef(inside, main)).toBe(changes[0]?.new);
          await note('noted_events', 'event').execute(inside.db);
        },
      ],
      deliveries: [
        async () => {
          order.push('delivery');
          if (fails) throw new Error('no room');
        },
      ],
    };
    const request = { repositoryId: repository.id, updates: [{ ref: main, to: change({ a: 'x' }) }] };
    await expect(push(world.context, request, steps)).rejects.toThrow('no room');
    expect(await readRef(repository, main)).toBeUndefined();
    expect(await world.database.read(sql`select text from noted_events`)).toHaveLength(0);
    fails = false;
    expect(await push(world.context, request, steps)).toMatchObject({ kind: 'pushed' });
    expect(order).toEqual(['event', 'delivery', 'event', 'delivery']);
    expect(await world.database.read(sql`select text from noted_events`)).toHaveLength(1);
  });
});

describe('file changes', () => {
  test('trees equal those of git after any change', async () => {
    const part = fc.constantFrom('a', 'b', 'a.c', 'a-', 'ü', 'x y');
    const path = fc.array(part, { minLength: 1, maxLength: 3 }).map(parts => parts.join('/'));
    const step = fc.dictionary(path, fc.option(fc.constantFrom('one', 'two', '')), { minKeys: 1, maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async steps => {
        const repository = world.repository();
        const git = SystemGit.create('--bare');
        const index = { GIT_INDEX_FILE: join(git.path, 'made-index') };
        for (const files of steps) {
          const before = await readRef(repository, main);
          const had = new Set(
            before
              ? git.bytes(['ls-tree', '-r', '-z', '--name-only', 'tree']).toString().split('\0').filter(Boolean)
              : [],
          );
          const isPossible = possible(had, files);
          if (!isPossible) {
            await expect(write(repository, files)).rejects.toMatchObject({ name: 'GitError' });
            continue;
          }
          const commit = await write(repository, files);
          const lines = Object.entries(files).map(([name, text]) => {
            if (text === null) return `0 ${'0'.repeat(40)}\t${name}\0`;
            const oid = git.bytes(['hash-object', '-w', '--stdin'], { input: text }).toString().trim();
            return `100644 ${oid}\t${name}\0`;
          });
          // Deletions first, because a directory may replace a file.
          const input = lines.sort().join('');
          git.bytes(['update-index', '-z', '--add', '--index-info'], { input, env: index });
          const tree = git.bytes(['write-tree'], { env: index }).toString().trim();
          git.run('tag', '-f', 'tree', tree);
          expect((await readCommit(cold(world, repository), commit)).tree).toBe(tree);
        }
      }),
      { numRuns: 12 },
    );
  });

  /** Whether the changes fit the existing files, decided by their paths alone. */
  function possible(had: ReadonlySet<string>, files: Record<string, string | null>): boolean {
    const after = new Set(had);
    for (const [path, text] of Object.entries(files)) {
      if (text !== null) continue;
      if (!after.delete(path)) return false;
    }
    for (const [path, text] of Object.entries(files)) if (text !== null) after.add(path);
    return [...after].every(path => ![...after].some(other => other.startsWith(`${path}/`)));
  }

  test('forbidden paths', async () => {
    const repository = world.repository();
    const entry = { mode: modes.file, oid: createObject('blob', Buffer.alloc(0)).oid };
    const bad = [
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      'a/../b',
      './a',
      '.git',
      '.GIT',
      '.git/config',
      'a/.Git/b',
      '.git.',
      '.git ',
      '.git. .',
      '.git:x',
      'git~1',
      'GIT~1/x',
      '.git::$INDEX_ALLOCATION/x',
      '.g\u200cit',
      '.\ufeffGiT/x',
      'a\\.git\\x',
      'a\\..\\b',
      'a\0b',
      'a'.repeat(4096),
      '\ud800',
    ];
    for (const path of bad) {
      await expect(applyChanges(repository, undefined, [{ path, entry }])).rejects.toMatchObject({ code: 'bad-path' });
    }
    for (const mode of ['100600', '0', '']) {
      await expect(
        applyChanges(repository, undefined, [{ path: 'a', entry: { ...entry, mode } }]),
      ).rejects.toMatchObject({ code: 'bad-path' });
    }
    const link = { ...entry, mode: modes.symlink };
    await expect(applyChanges(repository, undefined, [{ path: 'a/.GitModules', entry: link }])).rejects.toMatchObject({
      code: 'bad-path',
    });
    await expect(
      applyChanges(repository, undefined, [
        { path: 'a', entry },
        { path: 'a', entry },
      ]),
    ).rejects.toMatchObject({ code: 'path-conflict' });
    const good = [
      '.gitignore',
      '.github/x',
      'git',
      'git~2',
      'a\\b',
      '...',
      '.gitmodules',
      'Ünï/🙂',
      `${'a/'.repeat(2000)}b`,
      '-x',
      'CON',
      '.gitx',
    ];
    const made = await applyChanges(
      repository,
      undefined,
      good.map(path => ({ path, entry })),
    );
    expect(made.objects.length).toBeGreaterThan(2000);
  });

  test('a file is added to a directory of 10,000', async () => {
    const repository = world.repository();
    await write(repository, Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`many/file-${at}`, ''])));
    const head = await write(repository, { 'many/one-more': 'x' });
    const path = join(folder(), 'out.git');
    await exportRepository(cold(world, repository), path);
    expect(new SystemGit(path).lines('ls-tree', '-r', '--name-only', head)).toHaveLength(10_001);
  });
});

type Rule = Exclude<Parameters<typeof push>[2], undefined>['rules'][number];
