import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { readRef } from '../../../src/git/refs.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { ruleTypes } from '../../../src/hosting/rulesets/rule-parameters.ts';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { newWorld, type World } from '../contents/world.ts';
import {
  changeRef,
  commitBy,
  type OneFile,
  type PushMethod,
  pushMethods,
  ruleset,
  storedCommit,
  suitesOf,
} from './push-methods.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren } = (await demoOf(gateway)).users;
const token = wren.classic_token;
const { rows: accounts } = await sql<{ id: number }>`select id from account where login = 'wren'`.execute(
  gateway.database.sql,
);
const wrenId = accounts[0]?.id;

const modes = ['fail', 'bypass', 'evaluate'] as const;

/** Ruleset properties that lead to this result of a violation. */
function enforcedAs(mode: (typeof modes)[number]): object {
  const bypass = [{ actor_id: wrenId, actor_type: 'User', bypass_mode: 'always' }];
  return { enforcement: mode === 'evaluate' ? 'evaluate' : 'active', bypass_actors: mode === 'bypass' ? bypass : [] };
}

const outcomes = {
  fail: { went: 'refused', result: 'fail', evaluation: null },
  bypass: { went: 'done', result: 'bypass', evaluation: null },
  evaluate: { went: 'done', result: 'pass', evaluation: 'fail' },
};
const everyRef = { ref_name: { include: ['~ALL'], exclude: [] } };
const head = (world: World, ref: string) =>
  readRef(openRepository(unlimitedSource(gateway.database.read), world.id), ref);

/** Rules that a commit of one file passes or violates, by every push method. */
const byCommit: [
  type: string,
  parameters: object | undefined,
  good: OneFile | null,
  bad: OneFile | null,
  message: string,
][] = [
  ['update', { update_allows_fetch_and_merge: false }, null, {}, 'Cannot update this protected ref.'],
  ['required_signatures', undefined, null, {}, 'Commits must have verified signatures.'],
  ['pull_request', pullRequest(), null, {}, 'Changes must be made through a pull request.'],
  ['merge_queue', mergeQueue(), null, {}, 'Changes must be made through the merge queue.'],
  ['creation', undefined, {}, null, ''],
  ['deletion', undefined, {}, null, ''],
  ['non_fast_forward', undefined, {}, null, ''],
  ['required_linear_history', undefined, {}, null, ''],
  ['branch_name_pattern', { operator: 'contains', pattern: 'never' }, {}, null, ''],
  [
    'commit_message_pattern',
    { operator: 'regex', pattern: '^[A-Z]+-\\d+: .+$' },
    { message: 'AB-12: good\n\n\n' },
    { message: 'good' },
    'Commit message must match the regular expression "^[A-Z]+-\\\\d+: .+$".',
  ],
  [
    'commit_author_email_pattern',
    { operator: 'ends_with', pattern: '@example.org' },
    { email: 'a@example.org' },
    { email: 'a@example.com' },
    'Commit author email must end with "@example.org".',
  ],
  [
    'committer_email_pattern',
    { operator: 'starts_with', pattern: 'bot', negate: true },
    { email: 'robin@example.org' },
    { email: 'bot@example.org' },
    'Committer email must not start with "bot".',
  ],
  [
    'file_path_restriction',
    { restricted_file_paths: ['secret/**/*', '*.pem'] },
    { path: 'open/key.pem' },
    { path: 'secret/a/.b' },
    'Changes to these file paths are restricted.',
  ],
  [
    'max_file_path_length',
    { max_file_path_length: 12 },
    { path: 'ä23456789012' },
    { path: '1234567890123' },
    'File paths must not be longer than 12 characters.',
  ],
  [
    'file_extension_restriction',
    { restricted_file_extensions: ['.tar.gz', 'exe', '*.jar'] },
    { path: 'exe' },
    { path: 'a/B.EXE' },
    'Files with these extensions are restricted.',
  ],
  [
    'max_file_size',
    { max_file_size: 1 },
    { text: 'x'.repeat(500_000) },
    { text: 'x'.repeat(1024 * 1024 + 1) },
    'Files must not be larger than 1 MB.',
  ],
];

function pullRequest(): object {
  return {
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_approving_review_count: 1,
    required_review_thread_resolution: false,
  };
}

function mergeQueue(): object {
  return {
    check_response_timeout_minutes: 60,
    grouping_strategy: 'ALLGREEN',
    max_entries_to_build: 5,
    max_entries_to_merge: 5,
    merge_method: 'MERGE',
    min_entries_to_merge: 1,
    min_entries_to_merge_wait_minutes: 5,
  };
}

test('every rule type is in one of the tables', () => {
  const onceMore = ['tag_name_pattern'];
  expect([...byCommit.map(([type]) => type), ...onceMore].toSorted()).toEqual(Object.keys(ruleTypes).toSorted());
});

describe.each(byCommit)('%s', (type, parameters, good, bad, message) => {
  const isPush = ruleTypes[type as keyof typeof ruleTypes].targets.includes('push');
  const about = isPush ? { target: 'push' } : { target: 'branch', conditions: everyRef };
  const rules = [{ type, ...(parameters ? { parameters } : {}) }];
  // A GraphQL document is limited to less than the smallest file that can be too large.
  const possible = type === 'max_file_size' ? pushMethods.filter(way => way !== 'commit') : pushMethods;
  const prepared = async (mode: (typeof modes)[number]) => {
    const world = await newWorld(gateway, token);
    for (const way of possible) await world.commit({ 'old.txt': 'old\n' }, { branch: way });
    await ruleset(gateway, world, token, { ...about, ...enforcedAs(mode), rules });
    return world;
  };

  if (good) {
    test('a valid commit passes by every push method', async () => {
      const world = await prepared('fail');
      for (const way of possible) {
        const went = await commitBy(gateway, way, world, { branch: way, token, file: good });
        expect({ way, ...went }).toEqual({ way, went: 'done' });
      }
      const suites = await suitesOf(gateway, world);
      expect(suites.map(({ ref, result, evaluation, results }) => ({ ref, result, evaluation, results }))).toEqual(
        possible.map(way => ({
          ref: `refs/heads/${way}`,
          result: 'pass',
          evaluation: null,
          results: [`${type} pass`],
        })),
      );
    });
  }

  if (bad) {
    test.each(modes)('a violation: %s, by every push method', async mode => {
      const world = await prepared(mode);
      const { went, result, evaluation } = outcomes[mode];
      const expected: object[] = [];
      for (const way of possible) {
        const ref = `refs/heads/${way}`;
        const before = await head(world, ref);
        const told = await commitBy(gateway, way, world, { branch: way, token, file: bad });
        const lines = went === 'refused' ? { message: `Repository rule violations found\n\n${message}` } : {};
        expect({ way, ...told }).toEqual({ way, went, ...lines });
        const after = await head(world, ref);
        if (went === 'refused') expect(after).toBe(before);
        else expect(after).not.toBe(before);
        expected.push({
          ...{ ref, result, evaluation, before, results: [`${type} fail`] },
          after: went === 'refused' ? expect.stringMatching(/^[0-9a-f]{40}$/) : after,
        });
      }
      expect(await suitesOf(gateway, world)).toEqual(expected);
    });
  }
});

describe('created, updated and deleted refs', () => {
  type Act = (world: World, way: PushMethod) => Promise<{ went: string; message?: string }>;
  const making: Act = (world, way) => commitBy(gateway, way, world, { branch: 'main', token });
  const deleting: Act = world => changeRef(gateway, world, 'deleteRef', { ref: 'refs/heads/gone', token });
  const forcing: Act = async world => {
    const sha = await storedCommit(gateway, world, { file: { path: 'other.txt' } });
    return changeRef(gateway, world, 'updateRef', { ref: 'refs/heads/main', sha, token });
  };
  const merging: Act = async world => {
    const [one] = [await head(world, 'refs/heads/main')];
    const other = await storedCommit(gateway, world, { file: { path: 'side.txt' } });
    const sha = await storedCommit(gateway, world, { parents: [one ?? '', other], file: { path: 'merged.txt' } });
    return changeRef(gateway, world, 'updateRef', { ref: 'refs/heads/main', sha, token });
  };
  const tagging: Act = async world => {
    const sha = (await head(world, 'refs/heads/main')) ?? '';
    return changeRef(gateway, world, 'createRef', { ref: 'refs/tags/v1', sha, token });
  };
  const never = { operator: 'contains', pattern: 'never' };
  const all = [...pushMethods];
  const byRef: PushMethod[] = ['ref'];

  test.each<[string, PushMethod[], boolean, Act, object, string, string, string]>([
    ['creation', all, true, making, {}, 'branch', 'creation', 'Cannot create ref due to creations being restricted.'],
    [
      'branch name',
      all,
      true,
      making,
      { parameters: never },
      'branch',
      'branch_name_pattern',
      'Branch name must contain "never".',
    ],
    [
      'first commit by hand',
      all,
      true,
      making,
      { parameters: pullRequest() },
      'branch',
      'pull_request',
      'Changes must be made through a pull request.',
    ],
    ['deletion', byRef, false, deleting, {}, 'branch', 'deletion', 'Cannot delete this branch'],
    ['force', byRef, false, forcing, {}, 'branch', 'non_fast_forward', 'Cannot force-push to this branch'],
    [
      'merge',
      byRef,
      false,
      merging,
      {},
      'branch',
      'required_linear_history',
      'This branch must not contain merge commits.',
    ],
    [
      'tag name',
      byRef,
      false,
      tagging,
      { parameters: never },
      'tag',
      'tag_name_pattern',
      'Tag name must contain "never".',
    ],
    ['tag', byRef, false, tagging, {}, 'tag', 'creation', 'Cannot create ref due to creations being restricted.'],
  ])('%s', async (_, possible, isEmpty, act, rule, target, type, message) => {
    for (const mode of modes) {
      for (const way of possible) {
        const world = await newWorld(gateway, token);
        if (!isEmpty) await world.commit({ 'old.txt': 'old\n' });
        // The default branch cannot be deleted, whatever the rules.
        if (type === 'deletion') await world.commit({ 'gone.txt': 'gone\n' }, { branch: 'gone' });
        const rules = [{ type, ...rule }];
        await ruleset(gateway, world, token, { target, conditions: everyRef, ...enforcedAs(mode), rules });
        const { went, result, evaluation } = outcomes[mode];
        const lines = went === 'refused' ? { message: `Repository rule violations found\n\n${message}` } : {};
        expect({ mode, way, ...(await act(world, way)) }).toEqual({ mode, way, went, ...lines });
        expect(await suitesOf(gateway, world)).toMatchObject([{ result, evaluation, results: [`${type} fail`] }]);
      }
    }
  });
});
