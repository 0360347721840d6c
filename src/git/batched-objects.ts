import { sql } from 'kysely';
import type { Read } from '../db/read.ts';
import { type NodeRow, toNode } from './commit-graph.ts';
import { readDeltas } from './delta-rows.ts';
import { type ObjectType, typeFromNumber, typeNumbers } from './object.ts';
import { LoadedObject } from './object-cache.ts';
import { keysSql, type ObjectKey } from './object-key.ts';
import { assertInOneRow, decodeWhole, type ObjectRow } from './read-objects.ts';
import { objectCacheOf, type RepositorySource } from './repository.ts';

export interface ObjectHead {
  type: ObjectType;
  /** Bytes. */
  size: number;
}

/** Types and sizes of objects of many repositories, in the order of the keys, in at most one statement; undefined for none. */
export async function readHeads(read: Read, keys: readonly ObjectKey[]): Promise<(ObjectHead | undefined)[]> {
  const heads = keys.map(({ repositoryId, oid }): ObjectHead | undefined => {
    const known = objectCacheOf(read).getObject(repositoryId, oid);
    return known && { type: known.type, size: known.content.length };
  });
  const places = [...keys.keys()].filter(at => heads[at] === undefined);
  if (places.length === 0) return heads;
  const rows = await read<{ place: number; type: number; size: number }>(
    sql`select n.place, o.type, o.size from ${keysSql(pick(keys, places))} cross join lateral (
      select type, size from git_object where repository_id = n.repository_id and oid = n.oid limit 1) o`,
  );
  for (const { place, type, size } of rows) heads[places[place] as number] = { type: typeFromNumber(type), size };
  return heads;
}

/** An object with its content; `content` is null for a blob above `maxBlobBytes`. */
export interface ObjectWithContent extends ObjectHead {
  content: LoadedObject | null;
}

/** Limits of what one statement loads. */
export interface ContentLimits {
  /** Bytes that may be loaded altogether. */
  left: number;
  /** Larger blobs are not loaded. */
  maxBlobBytes: number;
}

/**
 * Objects of many repositories, in the order of the keys, in at most one statement, and another for those that are stored as
 * deltas. Undefined for an object that does not exist, null for one that exceeds `left` together with those before it. `bytes` is
 * their size together.
 */
export async function readContents(
  source: RepositorySource,
  keys: readonly ObjectKey[],
  { left, maxBlobBytes }: ContentLimits,
): Promise<{ value: (ObjectWithContent | null | undefined)[]; bytes: number }> {
  const { read, workBudget } = source;
  let bytes = 0;
  const value = keys.map(({ repositoryId, oid }): ObjectWithContent | null | undefined => {
    const content = objectCacheOf(read).getObject(repositoryId, oid);
    if (!content) return undefined;
    const { type } = content;
    const size = content.content.length;
    if (type === 'blob' && size > maxBlobBytes) return { type, size, content: null };
    if (bytes + size > left) return null;
    bytes += size;
    return { type, size, content };
  });
  const places = [...keys.keys()].filter(at => value[at] === undefined);
  if (places.length === 0) return { value, bytes };
  // The sum over the rows before decides in the server: what does not fit is never sent.
  const rows = await read<ObjectRow & { place: number; repositoryId: number; isShown: boolean; fits: boolean }>(sql`
    select place, "repositoryId", oid, type, size, "isShown", fits, case when fits and "isShown" then z end as z from (
      select n.place, n.repository_id as "repositoryId", o.oid, o.type, o.size, o.z, shown as "isShown",
        sum(case when shown then o.size else 0 end) over (order by n.place) <= ${left - bytes} as fits
      from ${keysSql(pick(keys, places))} cross join lateral (
        select oid, type, size, z from git_object where repository_id = n.repository_id and oid = n.oid limit 1) o
      cross join lateral (select o.type <> ${typeNumbers.blob} or o.size <= ${maxBlobBytes} as shown) s) sized`);
  const deltas: { at: number; key: ObjectKey }[] = [];
  for (const { place, repositoryId, isShown, fits, ...row } of rows) {
    const at = places[place] as number;
    const head = { type: typeFromNumber(row.type), size: row.size };
    if (!isShown) value[at] = { ...head, content: null };
    else if (!fits) value[at] = null;
    else {
      bytes += row.size;
      workBudget.spendObjects(1, row.size);
      if (workBudget.isTurnDue) await workBudget.turn();
      if (row.z) {
        const target = { id: repositoryId, cache: objectCacheOf(read), workBudget };
        value[at] = { ...head, content: await decodeWhole(target, row, row.z) };
      } else deltas.push({ at, key: { repositoryId, oid: assertInOneRow(row) } });
    }
  }
  const found = await readDeltas(
    source,
    deltas.map(({ key }) => key),
  );
  for (const [index, { at, key }] of deltas.entries()) {
    const object = found[index];
    if (!object) continue;
    const content = new LoadedObject(object);
    objectCacheOf(read).putObject(key.repositoryId, content);
    value[at] = { type: object.type, size: object.content.length, content };
  }
  return { value, bytes };
}

/** Commits with more bytes of links, 100 parents, are left to the walks. */
const maxPreloadedLinkBytes = 20 * 101;
/** Commits and ancestors that `preloadAncestors` reads for each key. */
const preloadedAncestors = 100;

/**
 * Reads commits of many repositories with their nearest ancestors into the cache, in at most one statement, so that walks from
 * each of them begin without a statement of their own.
 */
export async function preloadAncestors(read: Read, keys: readonly ObjectKey[]): Promise<void> {
  const missing = keys.filter(({ repositoryId, oid }) => !objectCacheOf(read).getNode(repositoryId, oid));
  if (missing.length === 0) return;
  const rows = await read<NodeRow & { repositoryId: number }>(sql`
    select distinct n.repository_id as "repositoryId", found.* from ${keysSql(missing)}
    cross join lateral (
      with recursive walk (oid, links, committed_at) as (
        select o.oid, o.links, o.committed_at from git_object o
        where o.repository_id = n.repository_id and o.oid = n.oid and o.type = 1
        union
        select parent.* from walk
        cross join lateral unnest(array(select generate_series(1, octet_length(walk.links) / 20 - 1))) as i
        cross join lateral (
          select o.oid, o.links, o.committed_at from git_object o
          where o.repository_id = n.repository_id and o.oid = substr(walk.links, i * 20 + 1, 20) limit 1
        ) as parent
      ) select * from walk limit ${preloadedAncestors}
    ) as found where octet_length(found.links) <= ${maxPreloadedLinkBytes}`);
  for (const { repositoryId, ...row } of rows) {
    objectCacheOf(read).putNode(repositoryId, toNode(row));
  }
}

function pick<T>(items: readonly T[], places: readonly number[]): T[] {
  return places.map(at => items[at] as T);
}
