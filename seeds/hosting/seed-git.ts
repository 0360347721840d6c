import type { Kysely } from 'kysely';
import type { Read } from '../../src/db/read.ts';
import { encodeCommit, encodeTag } from '../../src/git/commit.ts';
import { createObject, type GitObject, type Oid } from '../../src/git/object.ts';
import { type Person, parseTimestamp } from '../../src/git/person.ts';
import { unlimitedSource } from '../../src/git/repository.ts';
import { encodeTree, modes, type TreeEntry } from '../../src/git/tree.ts';
import { countQueuedLanguages } from '../../src/hosting/contents/count-languages.ts';
import { push } from '../../src/hosting/pushes/push.ts';
import { type Login, organizations, users } from './demo-accounts.ts';
import { type DemoCommit, histories } from './git-histories.ts';

/** Who pushes to the repositories of an owner: the user, or the first administrator of an organization. */
export function pusherOf(owner: string): string {
  const organization = Object.entries(organizations).find(([login]) => login === owner)?.[1];
  return Object.entries(organization?.members ?? {}).find(([, role]) => role === 'admin')?.[0] ?? owner;
}

/** Pushes the demo histories, one push per repository, at the time `before`, and counts their languages. Object ids do not depend on it. */
export async function seedGit(
  db: Kysely<unknown>,
  { repositories, accounts }: Record<'repositories' | 'accounts', ReadonlyMap<string, number>>,
  before: Date,
): Promise<void> {
  const read: Read = async query => (await query.execute(db)).rows;
  const context = {
    ...unlimitedSource(read),
    transaction: <T>(work: (inside: Kysely<unknown>) => Promise<T>) => work(db),
    now: () => before,
  };
  for (const [name, { main, branch, tag }] of Object.entries(histories)) {
    const repositoryId = repositories.get(name);
    if (repositoryId === undefined) throw new Error(`The demo data has a history of ${name}, but no such repository.`);
    const objects: GitObject[] = [];
    const line = buildCommits(objects, main);
    const updates = [{ ref: 'refs/heads/main', to: line.at(-1)?.commit ?? null }];
    if (branch) {
      const side = buildCommits(objects, branch.commits, line[branch.after - 1]);
      updates.push({ ref: `refs/heads/${branch.name}`, to: side.at(-1)?.commit ?? null });
    }
    if (tag) {
      const target = line[tag.after - 1]?.commit ?? '';
      const { by, at, message } = tag;
      const object = createObject(
        'tag',
        encodeTag({ target, type: 'commit', name: tag.name, tagger: buildPerson(by, at), message }),
      );
      objects.push(object);
      updates.push({ ref: `refs/tags/${tag.name}`, to: object.oid });
    }
    const pusherId = accounts.get(pusherOf(name.split('/')[0] ?? ''));
    const request = { repositoryId, updates, objects, ...(pusherId === undefined ? {} : { pusherId }) };
    const result = await push(context, request);
    if (result.kind !== 'pushed') throw new Error(`The demo push to ${name} failed.`);
  }
  await countQueuedLanguages(context, () => false);
}

/** A commit and the files in its tree. */
interface CommitSnapshot {
  commit: Oid;
  files: ReadonlyMap<string, Oid>;
}

function buildCommits(objects: GitObject[], commits: readonly DemoCommit[], from?: CommitSnapshot): CommitSnapshot[] {
  const line: CommitSnapshot[] = [];
  let last = from;
  for (const { by, at, message, files } of commits) {
    const now = new Map(last?.files);
    for (const [path, text] of Object.entries(files)) {
      if (text === null) now.delete(path);
      else now.set(path, addObject(objects, createObject('blob', Buffer.from(text))));
    }
    const person = buildPerson(by, at);
    const tree = buildTree(
      objects,
      [...now].map(([path, oid]) => ({ parts: path.split('/'), oid })),
    );
    const parents = last ? [last.commit] : [];
    const content = encodeCommit({ tree, parents, author: person, committer: person, message });
    last = { commit: addObject(objects, createObject('commit', content)), files: now };
    line.push(last);
  }
  return line;
}

function buildTree(objects: GitObject[], files: readonly { parts: string[]; oid: Oid }[]): Oid {
  const folders = Map.groupBy(files, ({ parts }) => parts[0] ?? '');
  const entries = [...folders].map(([name, below]): TreeEntry => {
    const [one] = below;
    if (one?.parts.length === 1) return { mode: modes.file, name: Buffer.from(name), oid: one.oid };
    const inside = below.map(({ parts, oid }) => ({ parts: parts.slice(1), oid }));
    return { mode: modes.directory, name: Buffer.from(name), oid: buildTree(objects, inside) };
  });
  return addObject(objects, createObject('tree', encodeTree(entries)));
}

function addObject(objects: GitObject[], object: GitObject): Oid {
  objects.push(object);
  return object.oid;
}

function buildPerson(login: Login, at: string): Person {
  const moment = parseTimestamp(at);
  if (!moment) throw new Error(`Invalid date in the demo data: ${at}`);
  return { name: users[login].name, email: `${login}@example.org`, ...moment };
}
