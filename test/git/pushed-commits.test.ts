import { expect, test } from '@jest/globals';
import { encodeCommit } from '../../src/git/commit.ts';
import { createObject, type GitObject, type Oid } from '../../src/git/object.ts';
import type { Repository } from '../../src/git/repository.ts';
import { encodeTree } from '../../src/git/tree.ts';
import { push } from '../../src/hosting/pushes/push.ts';
import type { PushRequest } from '../../src/hosting/pushes/push-request.ts';
import { type PushedCommits, pushedCommits } from '../../src/hosting/pushes/pushed-commits.ts';
import { author, gitWorld } from './worlds.ts';

const world = await gitWorld({ poolSize: 4 });
const tree = createObject('tree', encodeTree([]));

/** A commit `minutes` after the first timestamp. */
function commit(message: string, minutes: number, ...parents: GitObject[]): GitObject {
  const at = { ...author, seconds: author.seconds + minutes * 60 };
  const made = { tree: tree.oid, parents: parents.map(({ oid }) => oid), author: at, committer: at, message };
  return createObject('commit', encodeCommit(made));
}

type Told = { size: number; distinct: number; commits: [Oid, boolean][] };

/** Pushes and returns the pushed commits of each change by branch name. */
async function bring(
  repository: Repository,
  to: Record<string, GitObject | null>,
  objects: readonly GitObject[],
  limit = 20,
): Promise<Record<string, Told>> {
  const told: Record<string, Told> = {};
  const tell = (ref: string, { size, distinctSize, newest }: PushedCommits): void => {
    told[ref.replace('refs/heads/', '')] = {
      size,
      distinct: distinctSize,
      commits: newest(limit).map(({ oid, isDistinct }) => [oid, isDistinct]),
    };
  };
  const request: PushRequest = {
    repositoryId: repository.id,
    updates: Object.entries(to).map(([name, end]) => ({
      ref: name.startsWith('refs/') ? name : `refs/heads/${name}`,
      to: end?.oid ?? null,
    })),
    objects: [tree, ...objects],
  };
  const result = await push(world.context, request, {
    rules: [],
    events: [
      async work => {
        for (const change of work.changes) {
          expect(pushedCommits(work, change)).toBe(pushedCommits(work, change));
          tell(change.ref, await pushedCommits(work, change));
        }
      },
    ],
    deliveries: [],
  });
  expect(result.kind).toBe('pushed');
  return told;
}

const a = commit('a', 0);
const [c1, c2, c3] = chain(3, 10, a);
const side = commit('side', 15, a);
const merge = commit('merge', 60, c3 as GitObject, side);

function chain(length: number, from: number, base: GitObject): GitObject[] {
  const made: GitObject[] = [];
  for (let at = 0; at < length; at++) made.push(commit(`${from} ${at}`, from + at, made.at(-1) ?? base));
  return made;
}

test('the commits of a push are listed oldest first, and those of other branches are not distinct', async () => {
  const repository = world.repository();
  const list = [c1, c2, c3].map(one => one as GitObject);
  expect(await bring(repository, { main: a }, [a])).toEqual({
    main: { size: 1, distinct: 1, commits: [[a.oid, true]] },
  });
  expect(await bring(repository, { main: c3 as GitObject }, list, 2)).toEqual({
    main: { size: 3, distinct: 3, commits: list.slice(1).map(({ oid }) => [oid, true]) },
  });
  // Created at the tip of another branch: it adds nothing.
  expect(await bring(repository, { copy: c2 as GitObject }, [])).toEqual({
    copy: { size: 0, distinct: 0, commits: [] },
  });
  // Fast-forwarded to commits of another branch: new to this branch, but not distinct.
  expect(await bring(repository, { copy: c3 as GitObject }, [])).toEqual({
    copy: { size: 1, distinct: 0, commits: [[list[2]?.oid, false]] },
  });
  expect(await bring(repository, { side }, [side])).toEqual({
    side: { size: 1, distinct: 1, commits: [[side.oid, true]] },
  });
  expect(await bring(repository, { main: merge }, [merge])).toEqual({
    main: {
      size: 2,
      distinct: 1,
      commits: [
        [side.oid, false],
        [merge.oid, true],
      ],
    },
  });
  // Neither a reset nor a deletion adds commits.
  expect(await bring(repository, { main: c1 as GitObject, side: null }, [])).toEqual({
    main: { size: 0, distinct: 0, commits: [] },
    side: { size: 0, distinct: 0, commits: [] },
  });
  // `merge` is on no branch now, though its object exists.
  expect(await bring(repository, { again: merge, 'refs/tags/v1': merge }, [])).toEqual({
    again: {
      size: 2,
      distinct: 2,
      commits: [
        [side.oid, true],
        [merge.oid, true],
      ],
    },
    'refs/tags/v1': { size: 0, distinct: 0, commits: [] },
  });
});

test('when one push adds the same commits to two branches, they are distinct in the first', async () => {
  const repository = world.repository();
  await bring(repository, { one: a, two: a }, [a]);
  const [tip] = chain(1, 30, a);
  const told = await bring(repository, { one: tip as GitObject, two: tip as GitObject }, [tip as GitObject]);
  expect(told).toEqual({
    one: { size: 1, distinct: 1, commits: [[tip?.oid, true]] },
    two: { size: 1, distinct: 0, commits: [[tip?.oid, false]] },
  });
});

test('10,000 commits in one push', async () => {
  const repository = world.repository();
  await bring(repository, { main: a }, [a]);
  const many = chain(10_000, 100, a);
  const told = await bring(repository, { main: many.at(-1) as GitObject }, many, 20);
  expect(told.main).toMatchObject({ size: 10_000, distinct: 10_000 });
  expect(told.main?.commits.map(([oid]) => oid)).toEqual(many.slice(-20).map(({ oid }) => oid));
});
