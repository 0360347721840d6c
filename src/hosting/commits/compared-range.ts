import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { loginKey } from '../accounts/login.ts';
import { type GitPlace, gitPlace } from '../git-data/git-place.ts';
import { visibleTo } from '../repositories/repository-access.ts';
import { repositoryKey } from '../repositories/repository-name.ts';

/** A revision, and the repository of the fork network that has it. */
export interface ComparedSide {
  place: GitPlace;
  revision: string;
}

/**
 * The sides of `base...head`. Each is a revision, also with the owner of a repository of the network in front, `wren:main`, and with its
 * name, `wren:dotfiles:main`.
 *
 * @throws 404, also for a repository that the caller cannot see or that is of another network; 403 when its contents are refused
 */
export async function comparedSides(
  context: Context,
  place: GitPlace,
  range: string,
): Promise<{ base: ComparedSide; head: ComparedSide }> {
  const at = range.indexOf('...');
  if (at <= 0 || at + 3 === range.length) throw notFound();
  const base = await comparedSide(context, place, range.slice(0, at));
  return { base, head: await comparedSide(context, place, range.slice(at + 3)) };
}

async function comparedSide(context: Context, place: GitPlace, text: string): Promise<ComparedSide> {
  const parts = text.split(':');
  const revision = parts.pop() ?? '';
  const [login, name, ...others] = parts;
  if (login === undefined) return { place, revision };
  const [owner, key] = [loginKey(login), name === undefined ? undefined : repositoryKey(name)];
  if (others.length > 0 || owner === undefined || (name !== undefined && key === undefined)) throw notFound();
  const isOwn = owner === loginKey(place.ownerLogin) && (key === undefined || key === repositoryKey(place.name));
  if (isOwn) return { place, revision };
  const found = await repositoryOfNetwork(context, place, { owner, key });
  if (!found) throw notFound();
  return { place: found, revision };
}

/** Of several repositories of one owner, that of the same name, else the oldest. */
async function repositoryOfNetwork(
  context: Context,
  { databaseId, networkRootId, name }: GitPlace,
  { owner, key }: { owner: string; key: string | undefined },
): Promise<GitPlace | null> {
  const root = networkRootId ?? databaseId;
  const [found] = await context.read(sql<{ id: number }>`
    select r.id from repository r join account o on o.id = r.owner_id
    where (r.network_root_id = ${root} or r.id = ${root}) and lower(o.login) = ${owner}
      and ${key === undefined ? sql`true` : sql`lower(r.name) = ${key}`} and ${visibleTo(context.actor)}
    order by lower(r.name) = ${name.toLowerCase()} desc, r.id limit 1`);
  return found ? gitPlace(context, found.id) : null;
}
