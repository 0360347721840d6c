import { sql } from 'kysely';
import type { GitCommitterInput, GitPersonInput } from '../../../schema/hosting/git-commit.ts';
import type { Context } from '../../context/context.ts';
import { forbidden, validationFailed } from '../../errors/errors.ts';
import { GitError } from '../../git/git-error.ts';
import { encodePerson, type Person, parseTimestamp, type Timestamp, timestampInZone } from '../../git/person.ts';
import { noreplyEmail } from './noreply-email.ts';

/** The name and address under which somebody commits. */
export interface Identity {
  name: string;
  email: string;
}

export interface CommitIdentityInput {
  author?: GitPersonInput | null | undefined;
  committer?: GitCommitterInput | null | undefined;
  /** Of the caller, by its name in the time zone database: for dates that nobody gave. One that does not exist is UTC. */
  timeZone?: string | null | undefined;
}

export interface FileIdentityInput extends CommitIdentityInput {
  committer?: GitPersonInput | null | undefined;
}

type CallerContext = Pick<Context, 'actor' | 'read' | 'publicOrigin' | 'now'>;

/**
 * Author and committer of a commit that is made of a tree: the author is the caller unless given, and the committer is the
 * author unless given, each part by itself. Dates that are left out are the present.
 */
export async function resolveCommitIdentities(
  context: CallerContext,
  given: CommitIdentityInput,
): Promise<{ author: Person; committer: Person }> {
  const { author, committer, timeZone } = given;
  for (const name of ['author', 'committer'] as const) if (given[name] === null) throw nullNotAllowed('object', name);
  const present = currentTimestamp(context.now(), timeZone);
  const whom: Identity = author ?? (await callerIdentity(context));
  const writer = buildPerson('author', whom, author?.date, present);
  const name = committer?.name ?? writer.name;
  const email = committer?.email ?? writer.email;
  // Who gives a committer without a date means a commit that is made now, and not when the author wrote.
  const moment = committer && committer.date == null ? present : writer;
  return { author: writer, committer: buildPerson('committer', { name, email }, committer?.date, moment) };
}

/** The same of a change of files, published the other way round: the author is the committer unless given, and that the caller. */
export async function resolveFileIdentities(
  context: CallerContext,
  { author, committer, timeZone }: FileIdentityInput,
): Promise<{ author: Person; committer: Person }> {
  const present = currentTimestamp(context.now(), timeZone);
  const by = buildPerson('committer', committer ?? (await callerIdentity(context)), committer?.date, present);
  return { author: author ? buildPerson('author', author, author.date, present) : by, committer: by };
}

/** Of the present, in a zone. */
export function currentTimestamp(now: Date, timeZone: string | null | undefined): Timestamp {
  const inZone = timeZone ? timestampInZone(now, timeZone) : undefined;
  return inZone ?? { seconds: Math.floor(now.getTime() / 1000), zone: '+0000' };
}

/** A person of a commit or tag, or what is wrong with it in the published form: every field of which nothing is left. */
export function buildPerson(
  resource: 'author' | 'committer' | 'tagger',
  { name, email }: Identity,
  date: string | null | undefined,
  otherwise: Timestamp,
): Person {
  const moment = date == null ? otherwise : parseTimestamp(date);
  if (!moment) throw invalidRequest(`${excerpt(date ?? '')} is not a valid date-time.`);
  const person = { name, email, seconds: moment.seconds, zone: moment.zone };
  const missing = (['name', 'email'] as const).filter(field => isBlank(field, person[field]));
  if (missing.length > 0) {
    throw validationFailed(missing.map(field => ({ resource, code: 'missing_field' as const, field })));
  }
  return person;
}

/**
 * The name and address under which the caller commits. An address that is not shown to everybody stays private: it would be
 * in the history for good. Who shows none gets one that leads nowhere and names the account, as do apps and workflows.
 */
export async function callerIdentity({
  actor,
  read,
  publicOrigin,
}: Pick<Context, 'actor' | 'read' | 'publicOrigin'>): Promise<Identity> {
  if (actor.kind === 'user') {
    const [row] = await read(sql<{ name: string | null; email: string | null }>`
      select name, public_email as email from account where id = ${actor.accountId}`);
    const { name, email } = row ?? {};
    return {
      name: name && !isBlank('name', name) ? name : actor.login,
      email: email && !isBlank('email', email) ? email : noreplyEmail(publicOrigin, actor.accountId, actor.login),
    };
  }
  if (actor.kind === 'installation') {
    const [app] = await read(sql<{ slug: string }>`select slug from app where id = ${actor.appId}`);
    const login = `${app?.slug ?? 'app'}[bot]`;
    return { name: login, email: noreplyEmail(publicOrigin, actor.appId, login) };
  }
  if (actor.kind === 'workflow') {
    return { name: 'workflow[bot]', email: noreplyEmail(publicOrigin, actor.repositoryId, 'workflow[bot]') };
  }
  throw forbidden();
}

/** Whether nothing is left of a name or address in the form of git. */
function isBlank(field: 'name' | 'email', text: string): boolean {
  try {
    encodePerson({ name: 'x', email: 'x', seconds: 0, zone: '+0000', [field]: text });
    return false;
  } catch (error) {
    if (error instanceof GitError && error.code === 'bad-person') return true;
    throw error;
  }
}

/** What was sent, as far as it fits into a sentence about it. */
function excerpt(text: string): string {
  return text
    .slice(0, 200)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ');
}

/** The published answer to input of another shape. */
export function invalidRequest(line: string): Error {
  return validationFailed([], `Invalid request.\n\n${line}`);
}

/** The published line about a null where none may be. */
export function nullNotAllowed(type: 'object' | 'array' | 'string', parameter: string): Error {
  return invalidRequest(`For 'properties/${parameter}', nil is not ${type === 'string' ? 'a' : 'an'} ${type}.`);
}
