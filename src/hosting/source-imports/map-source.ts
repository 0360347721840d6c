import { join } from 'node:path';
import { sql } from 'kysely';
import { lockAgainstCollection } from '../../git/collection-lock.ts';
import { parseTag } from '../../git/commit.ts';
import { openDiskRepository } from '../../git/disk-repository.ts';
import { walkHistory } from '../../git/history.ts';
import { type GitObject, isObjectType, type Oid } from '../../git/object.ts';
import type { Identity } from '../../git/person.ts';
import { findObjects, missingObject } from '../../git/read-objects.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { IdentityRewriter } from '../../git/rewrite-identities.ts';
import { writeObjects } from '../../git/write-objects.ts';
import { advanceImport } from './import-state.ts';
import { commitsAndTags, targetsFirst } from './scan-source.ts';
import { gitLimits, type StepContext } from './step-context.ts';

/** Commits and tags per transaction. */
const objectsPerTransaction = 2_000;

interface RefRow {
  name: string;
  oid: string;
}

/**
 * Rewrites commits and tags whose authors were mapped, from the fetched files or, once stored, from the database.
 * Nothing refers to the new objects yet; a repetition stores the same ones.
 */
export async function mapSource(step: StepContext, path: string): Promise<void> {
  const { services, work, monitor } = step;
  const { context } = services;
  const identities = await loadMappedIdentities(step);
  const refs = await context.read(
    sql<RefRow>`select name, encode(oid, 'hex') as oid from source_import_ref where import_id = ${work.id} order by name`,
  );
  const rewriter = new IdentityRewriter(identities);
  if (identities.size > 0) {
    let made: GitObject[] = [];
    const store = async (): Promise<void> => {
      monitor.signal.throwIfAborted();
      const objects = made;
      made = [];
      await context.transaction(async db => {
        await lockAgainstCollection(db, work.repositoryId);
        await writeObjects({ db, repositoryId: work.repositoryId, now: context.now() }, objects);
      });
    };
    for await (const object of readCommitsAndTags(step, path, refs)) {
      const rewritten = rewriter.rewrite(object);
      if (rewritten) made.push(rewritten);
      if (made.length >= objectsPerTransaction) await store();
    }
    await store();
  }
  await context.transaction(async db => {
    const { droppedSignatures: dropped } = rewriter;
    const signatureNote =
      dropped === 0 ? '' : ` ${dropped} signatures of commits and tags that were rewritten were dropped.`;
    const changes = {
      mapped_revision: work.authorsRevision,
      push_percent: 0,
      status_text: `Pushing...${signatureNote}`,
    };
    await advanceImport(db, work, 'pushing', changes, context.now());
    await sql`update source_import_ref r set mapped_oid = n.oid
      from unnest(${refs.map(one => one.name)}::text[],
        ${refs.map(one => Buffer.from(rewriter.rewrittenOid(one.oid), 'hex'))}::bytea[]) as n (name, oid)
      where r.import_id = ${work.id} and r.name = n.name`.execute(db);
  });
}

async function loadMappedIdentities({ services: { context }, work }: StepContext): Promise<Map<string, Identity>> {
  const rows = await context.read(sql<Identity & { remoteId: string }>`
    select remote_id as "remoteId", name, email from source_import_author
    where import_id = ${work.id} and (name <> remote_name or email <> remote_email)`);
  return new Map(rows.map(({ remoteId, name, email }) => [remoteId, { name, email }]));
}

async function* readCommitsAndTags({ services, work, monitor }: StepContext, path: string, refs: readonly RefRow[]) {
  if (work.isStored) {
    yield* storedCommitsAndTags(
      openRepository(services.context, work.repositoryId),
      refs.map(one => one.oid),
    );
    return;
  }
  const disk = await openDiskRepository(join(path, 'repository.git'));
  yield* commitsAndTags(disk, { folder: path, limits: gitLimits(services.config), signal: monitor.signal });
}

/** The same as `commitsAndTags`, from the database. */
async function* storedCommitsAndTags(repository: Repository, tips: readonly Oid[]): AsyncGenerator<GitObject> {
  const tags = new Map<Oid, GitObject>();
  const commits: Oid[] = [];
  for (let wanted = [...new Set(tips)]; wanted.length > 0; ) {
    const next: Oid[] = [];
    for (const oid of wanted) {
      const found = (await readObjectsInOrder(repository, [oid]))[0];
      if (found?.type === 'commit') commits.push(oid);
      if (found?.type !== 'tag' || tags.has(oid)) continue;
      tags.set(oid, found);
      const { target, type } = parseTag(found.content, oid);
      if (isObjectType(type) && (type === 'tag' || type === 'commit')) next.push(target);
    }
    wanted = next;
  }
  const order: { oid: Oid; parents: readonly Oid[] }[] = [];
  for await (const { oid, parents } of walkHistory(repository, commits)) order.push({ oid, parents });
  const sorted = parentsFirst(order);
  for (let at = 0; at < sorted.length; at += objectsPerTransaction)
    yield* await readObjectsInOrder(repository, sorted.slice(at, at + objectsPerTransaction));
  yield* targetsFirst(tags);
}

/** Topological order, parents first: `walkHistory` sorts by date, which is unreliable. */
function parentsFirst(commits: readonly { oid: Oid; parents: readonly Oid[] }[]): Oid[] {
  const waits = new Map<Oid, number>();
  const children = new Map<Oid, Oid[]>();
  const ready: Oid[] = [];
  for (const { oid, parents } of commits) {
    const distinct = [...new Set(parents)];
    waits.set(oid, distinct.length);
    if (distinct.length === 0) ready.push(oid);
    for (const parent of distinct) {
      const known = children.get(parent);
      if (known) known.push(oid);
      else children.set(parent, [oid]);
    }
  }
  // Grows during the iteration.
  for (const oid of ready) {
    for (const child of children.get(oid) ?? []) {
      const left = (waits.get(child) ?? 0) - 1;
      waits.set(child, left);
      if (left === 0) ready.push(child);
    }
  }
  return ready;
}

async function readObjectsInOrder(repository: Repository, oids: readonly Oid[]): Promise<GitObject[]> {
  const found = await findObjects(repository, oids);
  return oids.map(oid => {
    const object = found.get(oid);
    if (!object) throw missingObject(oid);
    return object;
  });
}
