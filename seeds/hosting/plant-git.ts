import type { Kysely } from 'kysely';
import type { Read } from '../../src/db/read.ts';
import { encodeCommit, encodeTag } from '../../src/git/commit.ts';
import { type GitObject, type Oid, objectOf } from '../../src/git/object.ts';
import { type Person, parseMoment } from '../../src/git/person.ts';
import { encodeTree, modes, type TreeEntry } from '../../src/git/tree.ts';
import { push } from '../../src/hosting/pushes/push.ts';
import { type DemoCommit, histories } from './git-world.ts';
import { type Login, organizations, users } from './world.ts';

/** Who brings things to the repositories of an owner: the user, or the first administrator of an organization. */
export function pusherTo(owner: string): string {
  const organization = Object.entries(organizations).find(([login]) => login === owner)?.[1];
  return Object.entries(organization?.members ?? {}).find(([, role]) => role === 'admin')?.[0] ?? owner;
}

/**
 * Plants what is in the demo repositories: one push each, as any other push, at `before`. Ids do not depend on when that is.
 */
export async function plantGit(
  db: Kysely<unknown>,
  { repositories, accounts }: Record<'repositories' | 'accounts', ReadonlyMap<string, number>>,
  before: Date,
): Promise<void> {
  const read: Read = async query => (await query.execute(db)).rows;
  const context = {
    read,
    transaction: <T>(work: (inside: Kysely<unknown>) => Promise<T>) => work(db),
    now: () => before,
  };
  for (const [name, { main, branch, tag }] of Object.entries(histories)) {
    const repositoryId = repositories.get(name);
    if (repositoryId === undefined) throw new Error(`The demo world names ${name}, which is not in it.`);
    const objects: GitObject[] = [];
    const line = commitsOf(objects, main);
    const updates = [{ ref: 'refs/heads/main', to: line.at(-1)?.commit ?? null }];
    if (branch) {
      const side = commitsOf(objects, branch.commits, line[branch.after - 1]);
      updates.push({ ref: `refs/heads/${branch.name}`, to: side.at(-1)?.commit ?? null });
    }
    if (tag) {
      const target = line[tag.after - 1]?.commit ?? '';
      const { by, at, message } = tag;
      const object = objectOf(
        'tag',
        encodeTag({ target, type: 'commit', name: tag.name, tagger: personOf(by, at), message }),
      );
      objects.push(object);
      updates.push({ ref: `refs/tags/${tag.name}`, to: object.oid });
    }
    const pusherId = accounts.get(pusherTo(name.split('/')[0] ?? ''));
    const request = { repositoryId, updates, objects, ...(pusherId === undefined ? {} : { pusherId }) };
    const result = await push(context, request);
    if (result.kind !== 'pushed') throw new Error(`The demo world could not be pushed to ${name}.`);
  }
}

/** A commit and all files that there are after it. */
interface Made {
  commit: Oid;
  files: ReadonlyMap<string, Oid>;
}

function commitsOf(objects: GitObject[], commits: readonly DemoCommit[], from?: Made): Made[] {
  const line: Made[] = [];
  let last = from;
  for (const { by, at, message, files } of commits) {
    const now = new Map(last?.files);
    for (const [path, text] of Object.entries(files)) {
      if (text === null) now.delete(path);
      else now.set(path, kept(objects, objectOf('blob', Buffer.from(text))));
    }
    const person = personOf(by, at);
    const tree = treeOf(
      objects,
      [...now].map(([path, oid]) => ({ parts: path.split('/'), oid })),
    );
    const parents = last ? [last.commit] : [];
    const content = encodeCommit({ tree, parents, author: person, committer: person, message });
    last = { commit: kept(objects, objectOf('commit', content)), files: now };
    line.push(last);
  }
  return line;
}

function treeOf(objects: GitObject[], files: readonly { parts: string[]; oid: Oid }[]): Oid {
  const folders = Map.groupBy(files, ({ parts }) => parts[0] ?? '');
  const entries = [...folders].map(([name, below]): TreeEntry => {
    const [one] = below;
    if (one?.parts.length === 1) return { mode: modes.file, name: Buffer.from(name), oid: one.oid };
    const inside = below.map(({ parts, oid }) => ({ parts: parts.slice(1), oid }));
    return { mode: modes.directory, name: Buffer.from(name), oid: treeOf(objects, inside) };
  });
  return kept(objects, objectOf('tree', encodeTree(entries)));
}

function kept(objects: GitObject[], object: GitObject): Oid {
  objects.push(object);
  return object.oid;
}

function personOf(login: Login, at: string): Person {
  const moment = parseMoment(at);
  if (!moment) throw new Error(`The demo world has a date that is none: ${at}`);
  return { name: users[login].name, email: `${login}@example.org`, ...moment };
}
