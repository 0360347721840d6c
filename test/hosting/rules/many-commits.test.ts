import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { encodeCommit } from '../../../src/git/commit.ts';
import { createObject, type GitObject } from '../../../src/git/object.ts';
import { unlimitedSource } from '../../../src/git/repository.ts';
import { encodeTree, modes } from '../../../src/git/tree.ts';
import { writeObjects } from '../../../src/git/write-objects.ts';
import { push } from '../../../src/hosting/pushes/push.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { sshSigner } from '../commits/signers.ts';
import { newWorld } from '../contents/world.ts';
import { changeRef, commitBy, ruleset, storedCommit, suitesOf } from './push-methods.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren } = (await demoOf(gateway)).users;
const token = wren.classic_token;
const everyRef = { conditions: { ref_name: { include: ['~ALL'], exclude: [] } } };
const context = {
  ...unlimitedSource(gateway.database.read),
  now: () => gateway.clock.now,
  transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(gateway.database, work),
};

/** A linear history of `length` commits, each of which changes the only file. */
function line(length: number): { objects: GitObject[]; tip: string; third: string } {
  const objects: GitObject[] = [];
  const commits: string[] = [];
  for (let at = 0; at < length; at++) {
    const blob = createObject('blob', Buffer.from(`${at}\n`));
    const entry = { mode: modes.file, name: Buffer.from(at === 2 ? 'third.exe' : 'file.txt'), oid: blob.oid };
    const tree = createObject('tree', encodeTree([entry]));
    const person = { name: 'Robin', email: 'robin@example.org', seconds: 1_700_000_000 + at, zone: '+0000' };
    const parents = commits.slice(-1);
    const content = encodeCommit({
      tree: tree.oid,
      parents,
      author: person,
      committer: person,
      message: `Number ${at}`,
    });
    const commit = createObject('commit', content);
    objects.push(blob, tree, commit);
    commits.push(commit.oid);
  }
  return { objects, tip: commits.at(-1) ?? '', third: commits[2] ?? '' };
}

test('a push of ten thousand commits is evaluated with a bounded number of statements', async () => {
  const world = await newWorld(gateway, token);
  const rules = (of: [string, object | undefined][]) => of.map(([type, parameters]) => ({ type, parameters }));
  const pattern = { operator: 'regex', pattern: '^Number [0-9]+$' };
  await ruleset(gateway, world, token, {
    ...everyRef,
    rules: rules([
      ['commit_message_pattern', pattern],
      ['required_linear_history', undefined],
    ]),
  });
  await ruleset(gateway, world, token, {
    name: 'files',
    target: 'push',
    rules: rules([
      ['file_extension_restriction', { restricted_file_extensions: ['exe'] }],
      ['max_file_size', { max_file_size: 1 }],
    ]),
  });
  const { objects, tip, third } = line(10_000);
  // Stored before the push, as an import does, so that the evaluation reads from the database and not from memory.
  for (let at = 0; at < objects.length; at += 5000) {
    await inTransaction(gateway.database, db =>
      writeObjects({ db, repositoryId: world.id, now: gateway.clock.now }, objects.slice(at, at + 5000)),
    );
  }
  const started = performance.now();
  let result: Awaited<ReturnType<typeof push>> | undefined;
  const statements = await gateway.statements(async () => {
    result = await push(context, { repositoryId: world.id, updates: [{ ref: 'refs/heads/main', to: tip }] });
  });
  // The history is read by large statements, and each hundred commits by a handful.
  expect(statements.length).toBeLessThan(700);
  expect(performance.now() - started).toBeLessThan(60_000);
  expect(result).toEqual({
    kind: 'refused',
    violations: [{ ref: 'refs/heads/main', message: 'Files with these extensions are restricted.' }],
  });
  const [suite] = await suitesOf(gateway, world);
  expect(suite?.results).toEqual([
    'commit_message_pattern pass',
    'required_linear_history pass',
    'file_extension_restriction fail',
    'max_file_size pass',
  ]);
  expect(third).toMatch(/^[0-9a-f]{40}$/);
}, 120_000);

test('commits of other branches are new to an existing branch, and not to a new one', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ a: 'a' }, { message: 'good' });
  await world.commit({ b: 'b' }, { message: 'good' });
  const bad = await world.commit({ c: 'c' }, { branch: 'side', message: 'bad' });
  await world.commit({ d: 'd' }, { branch: 'line', message: 'good' });
  const pattern = { operator: 'contains', pattern: 'good' };
  await ruleset(gateway, world, token, {
    ...everyRef,
    rules: [{ type: 'commit_message_pattern', parameters: pattern }],
  });
  const onBad = await storedCommit(gateway, world, { parents: [bad], file: { message: 'good' } });
  const to = (verb: 'createRef' | 'updateRef', ref: string, sha: string) =>
    changeRef(gateway, world, verb, { ref, sha, token }).then(({ went }) => went);
  expect(await to('createRef', 'refs/heads/made', bad)).toBe('done');
  expect(await to('createRef', 'refs/heads/made-on', onBad)).toBe('done');
  expect(await to('updateRef', 'refs/heads/line', onBad)).toBe('refused');
  const orphan = await storedCommit(gateway, world, { file: { message: 'bad' } });
  expect(await to('createRef', 'refs/heads/orphan', orphan)).toBe('refused');
});

test('a merge is evaluated for what none of its parents has', async () => {
  const world = await newWorld(gateway, token);
  const main = await world.commit({ a: 'a' });
  const side = await world.commit({ 'side.exe': 'x' }, { branch: 'side' });
  await ruleset(gateway, world, token, {
    target: 'push',
    rules: [{ type: 'file_path_restriction', parameters: { restricted_file_paths: ['**/*.exe'] } }],
  });
  const merge = await storedCommit(gateway, world, { parents: [main, side], file: { path: 'evil.exe' } });
  const went = await changeRef(gateway, world, 'createRef', { ref: 'refs/heads/merge', sha: merge, token });
  expect(went.went).toBe('refused');
  const honest = await storedCommit(gateway, world, { parents: [side, main], file: { path: 'fine' } });
  expect((await changeRef(gateway, world, 'createRef', { ref: 'refs/heads/fine', sha: honest, token })).went).toBe(
    'done',
  );
});

test('a valid signature passes; an unverified result is kept', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ a: 'a' });
  await ruleset(gateway, world, token, { ...everyRef, rules: [{ type: 'required_signatures' }] });
  const signer = sshSigner();
  const key = {
    query: `mutation { addSigningKey(input: { kind: SSH, title: "k", publicKey: "${signer.publicKey}" }) { signingKey { databaseId } } }`,
  };
  expect((await call(gateway, 'POST', '/graphql', `Bearer ${token}`, key)).json.errors).toBeUndefined();
  const { rows } = await sql<{
    email: string;
  }>`select e.email from account_email e join account a on a.id = e.account_id
    where a.login = 'wren' and e.verified_at is not null`.execute(gateway.database.sql);
  const email = rows[0]?.email ?? '';
  const sign = (payload: Buffer) => signer.sign(payload);
  const signed = await storedCommit(gateway, world, { branch: 'main', file: { email }, sign });
  const to = (sha: string) => changeRef(gateway, world, 'updateRef', { ref: 'refs/heads/main', sha, token });
  expect(await to(signed)).toEqual({ went: 'done' });
  const stranger = await storedCommit(gateway, world, { branch: 'main', file: { email }, sign: sshSigner().sign });
  expect((await to(stranger)).went).toBe('refused');
  expect((await suitesOf(gateway, world)).map(({ result }) => result)).toEqual(['pass', 'fail']);
});

test('a repository without rulesets costs one statement', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ a: 'a' });
  const statements = await gateway.statements(() =>
    commitBy(gateway, 'commit', world, { branch: 'main', token, file: { path: 'x' } }),
  );
  expect(statements.filter(text => /\brule/.test(text))).toHaveLength(1);
});
