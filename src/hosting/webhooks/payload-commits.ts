import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Oid } from '../../git/object.ts';
import type { LoadedObject } from '../../git/object-cache.ts';
import type { Person } from '../../git/person.ts';
import { findObjects, statObjects } from '../../git/read-objects.ts';
import { openRepository } from '../../git/repository.ts';
import { compute } from '../../workers/computation.ts';
import { WorkBudget } from '../../workers/work-budget.ts';
import { type CommitRepository, commitMessage } from '../commits/git-commit.ts';
import { changedFilesComputation, type FileLists } from './changed-files.ts';

/** Maximum commits whose changed files are computed. */
const maxCompared = 256;
/** Work for the changed files of one payload, a second or two; commits beyond it have no lists. */
const listWork = { steps: 5_000_000, objects: 100_000, bytes: 128 * 1024 * 1024, milliseconds: 5_000 };
/** Commits read per statement. */
const batchSize = 200;

/** Larger payloads are not sent. */
export const maxPayloadBytes = 25 * 1024 * 1024;

export class PayloadTooLargeError extends Error {}

export interface PayloadPerson {
  name: string;
  email: string;
  date: string;
  username?: string;
}

/** A commit in the payload of a push event. */
export interface PayloadCommit extends FileLists {
  id: string;
  tree_id: string;
  distinct: boolean;
  message: string;
  timestamp: string;
  url: string;
  author: PayloadPerson;
  committer: PayloadPerson;
}

/**
 * Loads commits in the given order. Missing commits are omitted.
 *
 * @throws PayloadTooLargeError when the commits alone exceed `maxPayloadBytes`.
 */
export async function loadPayloadCommits(
  context: Pick<Context, 'read' | 'origin' | 'isolation'>,
  repository: CommitRepository,
  wanted: readonly [oid: Oid, distinct: boolean][],
): Promise<PayloadCommit[]> {
  const { read, isolation } = context;
  // Bounded by the bytes of a payload.
  const store = openRepository({ read, workBudget: WorkBudget.unlimited() }, repository.databaseId);
  const sizes = await statObjects(
    store,
    wanted.map(([oid]) => oid),
  );
  // Checked before reading, so that large histories do not fill memory first.
  const size = [...sizes.values()].reduce((sum, one) => sum + one.size, 0);
  if (size > maxPayloadBytes) throw new PayloadTooLargeError();
  const compared = wanted.flatMap(([oid]) => (sizes.has(oid) ? oid : [])).slice(0, maxCompared);
  const lists = await compute({ read, isolation, workBudget: new WorkBudget(listWork) }, changedFilesComputation, {
    repositoryId: store.id,
    commits: compared,
  });
  const found: PayloadCommit[] = [];
  for (let at = 0; at < wanted.length; at += batchSize) {
    const part = wanted.slice(at, at + batchSize);
    const objects = await findObjects(
      store,
      part.map(([oid]) => oid),
    );
    const users = await loginsByEmail(context, [...objects.values()]);
    for (const [oid, distinct] of part) {
      const object = objects.get(oid);
      if (!object) continue;
      found.push({ ...payloadCommit(context, repository, object, distinct, users), ...lists[found.length] });
    }
  }
  return found;
}

function payloadCommit(
  context: Pick<Context, 'origin'>,
  repository: CommitRepository,
  object: LoadedObject,
  distinct: boolean,
  users: Map<string, string>,
): PayloadCommit {
  const { oid, commit } = object;
  const { author, committer, tree } = commit;
  return {
    id: oid,
    tree_id: tree,
    distinct,
    message: commitMessage(commit),
    timestamp: formatLocalTime(committer),
    url: `${context.origin}/${repository.ownerLogin}/${repository.name}/commit/${oid}`,
    author: payloadPerson(author, users),
    committer: payloadPerson(committer, users),
  };
}

function payloadPerson(person: Person, users: Map<string, string>): PayloadPerson {
  const username = users.get(person.email.toLowerCase());
  const { name, email } = person;
  return { name, email, date: formatLocalTime(person), ...(username === undefined ? {} : { username }) };
}

/** 9999-12-31T23:59:59Z minus one day for the time zone offset. */
const maxSeconds = 253_402_214_399;

/** Formats a time in the author's time zone: `2026-02-14T10:30:00+01:00`. */
function formatLocalTime({ seconds, zone }: Pick<Person, 'seconds' | 'zone'>): string {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const local = new Date((Math.min(seconds, maxSeconds) + offset * 60) * 1000).toISOString().slice(0, 19);
  return offset === 0 ? `${local}Z` : `${local}${sign}${hours}:${minutes}`;
}

/** Logins by verified email address, in lower case. */
async function loginsByEmail(
  { read }: Pick<Context, 'read'>,
  objects: readonly LoadedObject[],
): Promise<Map<string, string>> {
  const emails = new Set(
    objects.flatMap(({ commit: { author, committer } }) =>
      [author.email, committer.email].map(one => one.toLowerCase()),
    ),
  );
  const asked = [...emails].filter(email => !email.includes('\0'));
  if (asked.length === 0) return new Map();
  const rows = await read(sql<{ email: string; login: string }>`
    select lower(e.email) as email, a.login from account_email e join account a on a.id = e.account_id
    where lower(e.email) = any(${asked}) and e.verified_at is not null`);
  return new Map(rows.map(({ email, login }) => [email, login]));
}
