import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { applyChanges, type TreeChange } from '../../../src/git/apply-changes.ts';
import { encodeCommit } from '../../../src/git/commit.ts';
import { createObject, type GitObject } from '../../../src/git/object.ts';
import { readCommit } from '../../../src/git/read-objects.ts';
import { unlimitedSource } from '../../../src/git/repository.ts';
import { push } from '../../../src/hosting/pushes/push.ts';
import type { Answer, TestGateway } from '../../harness/gateway.ts';
import { call, graphql } from '../../harness/hosting.ts';

/** A repository for one test, and requests to it as one of its people. */
export interface World {
  owner: string;
  name: string;
  id: number;
  /** Path below the repository. `headers` override the defaults. */
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Answer>;
  put(path: string, body: object, token?: string): Promise<Answer>;
  remove(path: string, body: object, token?: string): Promise<Answer>;
  /** Commits files by path to main, bypassing the API. A string is a regular file, `null` deletes one; anything else names its mode. */
  commit(
    files: Record<string, string | Buffer | null | { mode: string; oid?: string; text?: string }>,
    options?: Seed,
  ): Promise<string>;
}

interface Seed {
  message?: string;
  seconds?: number;
  branch?: string;
}

let made = 0;

/** A new empty repository of the owner of this classic token. */
export async function newWorld(
  gateway: TestGateway,
  token: string,
  { isPrivate = false }: { isPrivate?: boolean } = {},
): Promise<World> {
  made += 1;
  const document = `mutation($input: CreateRepositoryInput!) {
    createRepository(input: $input) { repository { databaseId name owner { login } } } }`;
  const input = { name: `world-${made}`, visibility: isPrivate ? 'PRIVATE' : 'PUBLIC' };
  const { data } = await graphql(gateway, document, token, { input });
  const { databaseId: id, name, owner } = data.createRepository.repository;
  const base = `/repos/${owner.login}/${name}`;
  const context = {
    ...unlimitedSource(gateway.database.read),
    now: () => gateway.clock.now,
    transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(gateway.database, work),
  };
  return {
    owner: owner.login,
    name,
    id,
    get: (path, headers = {}, method = 'GET') =>
      gateway.request(`${base}${path}`, {
        method,
        headers: { 'user-agent': 'portico tests', authorization: `Bearer ${token}`, ...headers },
        redirect: 'manual',
      }),
    put: (path, body, by = token) => call(gateway, 'PUT', `${base}${path}`, `Bearer ${by}`, body),
    remove: (path, body, by = token) => call(gateway, 'DELETE', `${base}${path}`, `Bearer ${by}`, body),
    async commit(files, { message = 'Seed', seconds = 1_790_000_000, branch = 'main' } = {}) {
      const person = { name: 'Seed', email: 'seed@example.org', seconds, zone: '+0200' };
      let commit = '';
      await push(context, {
        repositoryId: id,
        updates: [
          {
            ref: `refs/heads/${branch}`,
            async to(head, repository) {
              const blobs: GitObject[] = [];
              const changes = Object.entries(files).map(([path, file]): TreeChange => {
                if (file === null) return { path, entry: undefined };
                const { mode, oid, text } =
                  typeof file === 'string' || Buffer.isBuffer(file)
                    ? { mode: '100644', oid: undefined, text: file }
                    : { oid: undefined, text: '', ...file };
                if (oid !== undefined) return { path, entry: { mode, oid } };
                const blob = createObject('blob', Buffer.from(text as string));
                blobs.push(blob);
                return { path, entry: { mode, oid: blob.oid } };
              });
              const base = head === undefined ? undefined : (await readCommit(repository, head)).tree;
              const { tree, objects } = await applyChanges(repository, base, changes);
              const parents = head === undefined ? [] : [head];
              const object = createObject(
                'commit',
                encodeCommit({ tree, parents, author: person, committer: person, message }),
              );
              commit = object.oid;
              return { to: object.oid, objects: [...blobs, ...objects, object] };
            },
          },
        ],
      });
      return commit;
    },
  };
}

/** Archives a repository. */
export async function archive(gateway: TestGateway, { id }: World): Promise<void> {
  await sql`update repository set is_archived = true where id = ${id}`.execute(gateway.database.sql);
}

export const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
