import { sql } from 'kysely';
import type { GitCommitterInput, GitPersonInput } from '../../../schema/hosting/git-commit.ts';
import type { Context } from '../../context/context.ts';
import { forbidden } from '../../errors/errors.ts';
import { GitError } from '../../git/git-error.ts';
import {
  cleanPersonText,
  encodePerson,
  type Identity,
  type Person,
  parseTimestamp,
  type Timestamp,
  timestampInZone,
} from '../../git/person.ts';
import { gitProblems } from '../git-problems.ts';
import { noreplyEmail } from './noreply-email.ts';

export interface CommitIdentityInput {
  author?: GitPersonInput | null | undefined;
  committer?: GitCommitterInput | null | undefined;
  /** IANA time zone of the caller, for absent dates. An unknown zone counts as UTC. */
  timeZone?: string | null | undefined;
}

export interface FileIdentityInput extends CommitIdentityInput {
  committer?: GitPersonInput | null | undefined;
}

type PersonRole = 'author' | 'committer' | 'tagger';

type CallerContext = Pick<Context, 'actor' | 'read' | 'publicOrigin' | 'now'>;

/**
 * Author and committer of a commit that is created from a tree: the author defaults to the caller, the committer to the
 * author, each field separately. Absent dates default to now.
 */
export async function resolveCommitIdentities(
  context: CallerContext,
  given: CommitIdentityInput,
): Promise<{ author: Person; committer: Person }> {
  const { author, committer, timeZone } = given;
  assertNotNull(given);
  const present = currentTimestamp(context.now(), timeZone);
  const whom: Identity = author ?? (await callerIdentity(context));
  const writer = buildPerson('author', whom, author?.date, present);
  const name = committer?.name ?? writer.name;
  const email = committer?.email ?? writer.email;
  // A committer without a date commits now, not at the time of the author.
  const moment = committer && committer.date == null ? present : writer;
  return { author: writer, committer: buildPerson('committer', { name, email }, committer?.date, moment) };
}

/**
 * The same for file changes, published the other way round: the author defaults to the committer, and that to the
 * caller. Null is absent.
 */
export async function resolveFileIdentities(
  context: CallerContext,
  given: FileIdentityInput,
): Promise<{ author: Person; committer: Person }> {
  const { author, committer, timeZone } = given;
  const present = currentTimestamp(context.now(), timeZone);
  const by = buildPerson('committer', committer ?? (await callerIdentity(context)), committer?.date, present);
  return { author: author ? buildPerson('author', author, author.date, present) : by, committer: by };
}

/** @throws 422 for a person that is null instead of absent */
function assertNotNull(given: CommitIdentityInput): void {
  for (const name of ['author', 'committer'] as const)
    if (given[name] === null) throw gitProblems.nullNotAllowed('object', name);
}

/** Now, with the UTC offset of a time zone. */
export function currentTimestamp(now: Date, timeZone: string | null | undefined): Timestamp {
  const inZone = timeZone ? timestampInZone(now, timeZone) : undefined;
  return inZone ?? { seconds: Math.floor(now.getTime() / 1000), zone: '+0000' };
}

/**
 * A person of a commit or tag.
 * @throws 422 that lists every empty field, or names one that would not be stored as it is
 */
export function buildPerson(
  resource: PersonRole,
  { name, email }: Identity,
  date: string | null | undefined,
  otherwise: Timestamp,
): Person {
  const moment = date == null ? otherwise : parseTimestamp(date);
  if (!moment) throw gitProblems.invalidDate(date ?? '');
  if (moment.seconds < 0) throw gitProblems.dateBefore1970(date ?? '');
  const person = { name, email, seconds: moment.seconds, zone: moment.zone };
  const missing = (['name', 'email'] as const).filter(field => isBlank(person[field]));
  if (missing.length > 0) throw gitProblems.personIncomplete(resource, missing);
  assertStorable(resource, person);
  return person;
}

/**
 * The name and email address of the caller. An unpublished email address stays private, since commits are permanent:
 * accounts without a public one, apps and workflows get a noreply address that contains their id.
 */
export async function callerIdentity({
  actor,
  read,
  publicOrigin,
}: Pick<Context, 'actor' | 'read' | 'publicOrigin'>): Promise<Identity> {
  if (actor.kind === 'user') {
    const [row] = await read(sql<{ name: string | null; email: string | null }>`
      select name, public_email as email from account where id = ${actor.accountId}`);
    return {
      name: cleanPersonText(row?.name ?? '') || actor.login,
      email: cleanPersonText(row?.email ?? '') || noreplyEmail(publicOrigin, actor.accountId, actor.login),
    };
  }
  if (actor.kind === 'installation') {
    const [bot] = await read(sql<{ id: number; login: string }>`
      select a.id, a.login from app join account a on a.id = app.bot_id where app.id = ${actor.appId}`);
    if (!bot) throw forbidden();
    return { name: bot.login, email: noreplyEmail(publicOrigin, bot.id, bot.login) };
  }
  if (actor.kind === 'workflow') {
    return { name: 'workflow[bot]', email: noreplyEmail(publicOrigin, actor.repositoryId, 'workflow[bot]') };
  }
  throw forbidden();
}

/** Whether git would leave nothing of a name or email address. */
const isBlank = (text: string): boolean => cleanPersonText(text) === '';

/** @throws 422 that names the field */
function assertStorable(resource: PersonRole, person: Person): void {
  try {
    encodePerson(person);
  } catch (error) {
    if (!(error instanceof GitError && error.code === 'bad-person')) throw error;
    throw gitProblems.personNotStorable(resource, error.subject);
  }
}
