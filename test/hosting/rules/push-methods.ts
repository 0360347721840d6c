import { expect } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { applyChanges } from '../../../src/git/apply-changes.ts';
import { encodeCommit } from '../../../src/git/commit.ts';
import { createObject, type GitObject, type Oid } from '../../../src/git/object.ts';
import { findObject } from '../../../src/git/read-objects.ts';
import { readRef } from '../../../src/git/refs.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { writeObjects } from '../../../src/git/write-objects.ts';
import type { TestGateway } from '../../harness/gateway.ts';
import { createRef, deleteRef, updateRef } from '../../harness/git-mutations.ts';
import { call, graphql } from '../../harness/hosting.ts';
import { base64 } from '../contents/world.ts';

/** The three methods that put a commit of one file on a branch. */
export const pushMethods = ['contents', 'ref', 'commit'] as const;
export type PushMethod = (typeof pushMethods)[number];

/** A repository under test. */
export interface TestRepository {
  owner: string;
  name: string;
  id: number;
}

/** A commit of one file. */
export interface OneFile {
  path?: string;
  text?: string;
  message?: string;
  email?: string;
}

/** Result of a push; `refused` is status 409 with the published message, in the form of the method. */
export interface PushOutcome {
  went: 'done' | 'refused';
  message?: string;
}

const usual = { path: 'new.txt', text: 'new\n', message: 'A change', email: 'robin@example.org' };
const name = 'Robin';

/** Commits a file to a branch. Results other than success and rejection by rules are errors. */
export async function commitBy(
  gateway: TestGateway,
  way: PushMethod,
  world: TestRepository,
  { branch, token, file = {} }: { branch: string; token: string; file?: OneFile },
): Promise<PushOutcome> {
  const { path, text, message, email } = { ...usual, ...file };
  const author = { name, email };
  if (way === 'contents') {
    const body = { message, content: base64(text), branch, author, committer: author };
    const { status, json } = await call(
      gateway,
      'PUT',
      `/repos/${world.owner}/${world.name}/contents/${path}`,
      `Bearer ${token}`,
      body,
    );
    if (status === 201 || status === 200) return { went: 'done' };
    expect({ status, metadata: json.metadata }).toEqual({ status: 409, metadata: {} });
    return { went: 'refused', message: json.message };
  }
  if (way === 'commit') {
    const answer = await graphql(
      gateway,
      `mutation($branch: CommittableBranch!, $message: String!, $author: GitPersonInput, $files: [FileAddition!]!) {
        createCommitOnBranch(input: { branch: $branch, message: { headline: $message }, author: $author,
          fileChanges: { additions: $files } }) { commit { oid } }
      }`,
      token,
      {
        branch: { repositoryNameWithOwner: `${world.owner}/${world.name}`, branchName: branch },
        message,
        author,
        files: [{ path, contents: base64(text) }],
      },
    );
    return wentOf(answer);
  }
  const sha = await storedCommit(gateway, world, { branch, file });
  const isThere =
    (await readRef(openRepository(unlimitedSource(gateway.database.read), world.id), `refs/heads/${branch}`)) !==
    undefined;
  return changeRef(gateway, world, isThere ? 'updateRef' : 'createRef', { ref: `refs/heads/${branch}`, sha, token });
}

export interface CommitParts {
  branch?: string;
  file?: OneFile;
  parents?: readonly Oid[];
  sign?: (payload: Buffer) => Promise<string>;
}

/** Stores a commit that no ref points to, on top of a branch or of the given parent. */
export async function storedCommit(
  gateway: TestGateway,
  { id }: Pick<TestRepository, 'id'>,
  { branch, file = {}, parents, sign }: CommitParts,
): Promise<Oid> {
  const { path, text, message, email } = { ...usual, ...file };
  const store = openRepository(unlimitedSource(gateway.database.read), id);
  const head = branch === undefined ? undefined : await readRef(store, `refs/heads/${branch}`);
  const below = parents ?? (head === undefined ? [] : [head]);
  const base = below[0] === undefined ? undefined : (await findObject(store, below[0]))?.commit.tree;
  return inTransaction(gateway.database, async db => {
    const blob = createObject('blob', Buffer.from(text));
    const { tree, objects } = await applyChanges(store, base, [{ path, entry: { mode: '100644', oid: blob.oid } }]);
    const person = { name, email, seconds: 1_790_000_100, zone: '+0000' };
    const commit = { tree, parents: below, author: person, committer: person, message };
    const unsigned = encodeCommit(commit);
    const content = sign ? encodeCommit({ ...commit, signature: await sign(unsigned) }) : unsigned;
    const object = createObject('commit', content);
    await writeObjects({ db, repositoryId: id, now: gateway.clock.now }, [blob, ...objects, object] as GitObject[]);
    return object.oid;
  });
}

/** Creates, updates or deletes a ref; updates are forced. */
export async function changeRef(
  gateway: TestGateway,
  repository: Pick<TestRepository, 'id'>,
  verb: 'createRef' | 'updateRef' | 'deleteRef',
  { ref, sha = '', token }: { ref: string; sha?: string; token: string },
): Promise<PushOutcome> {
  const texts = {
    createRef: () => createRef(repository, ref, sha),
    updateRef: () => updateRef(repository, ref, sha, { force: true }),
    deleteRef: () => deleteRef(repository, ref),
  };
  return wentOf(await graphql(gateway, `mutation { ${texts[verb]()} }`, token));
}

function wentOf({ errors }: { errors?: { message: string; extensions: { code: string } }[] }): PushOutcome {
  const [error] = errors ?? [];
  if (!error) return { went: 'done' };
  expect([error.extensions.code, error.message]).toEqual(['CONFLICT', expect.stringContaining('Repository rule')]);
  return { went: 'refused', message: error.message };
}

/** Creates a ruleset of a repository over HTTP and returns its id. */
export async function ruleset(
  gateway: TestGateway,
  { owner, name: repository }: Pick<TestRepository, 'owner' | 'name'>,
  token: string,
  body: object,
): Promise<number> {
  const whole = { name: 'Rules', enforcement: 'active', ...body };
  const { status, json } = await call(
    gateway,
    'POST',
    `/repos/${owner}/${repository}/rulesets`,
    `Bearer ${token}`,
    whole,
  );
  expect({ status, json }).toMatchObject({ status: 201 });
  return json.id;
}

export interface SuiteRow {
  ref: string;
  result: string;
  evaluation: string | null;
  before: string | null;
  after: string | null;
  results: string[];
}

/** Rule suites of a repository in insertion order. */
export async function suitesOf({ database }: TestGateway, { id }: Pick<TestRepository, 'id'>): Promise<SuiteRow[]> {
  const { rows } = await sql<SuiteRow>`select ref, result, evaluation_result as evaluation,
      encode(before_oid, 'hex') as before, encode(after_oid, 'hex') as after,
      (select array_agg(e ->> 'rule_type' || ' ' || (e ->> 'result')) from jsonb_array_elements(evaluations) e) as results
    from rule_suite where repository_id = ${id} order by id`.execute(database.sql);
  return rows;
}
