import { sql } from 'kysely';
import type { CommitPersonInput } from '../../../schema/hosting/file-change.ts';
import type { Context } from '../../context/context.ts';
import { ruleBroken } from '../../errors/errors.ts';
import { GitError } from '../../git/git-error.ts';
import { encodePerson, type Moment, type Person, parseMoment } from '../../git/person.ts';
import { presentIn } from '../commits/commit-people.ts';

export interface GivenPeople {
  author?: CommitPersonInput | null;
  committer?: CommitPersonInput | null;
  /** In which dates are written that nobody gave: a zone of the time zone database. */
  timeZone?: string | null;
}

/** Who a change is by: the author is the committer unless given, and the committer the caller. */
export async function commitPeople(
  context: Context,
  given: GivenPeople,
): Promise<{ author: Person; committer: Person }> {
  const now = presentIn(context.now(), given.timeZone);
  const committer = given.committer
    ? personOf('committer', given.committer, now)
    : given.author
      ? undefined
      : { ...(await callerAsPerson(context)), ...now };
  const author = given.author ? personOf('author', given.author, now) : committer;
  const by = committer ?? { ...(await callerAsPerson(context)), ...now };
  return { author: author ?? by, committer: by };
}

function personOf(role: 'author' | 'committer', { name, email, date }: CommitPersonInput, now: Moment): Person {
  const moment = date === undefined || date === null ? now : parseMoment(date);
  if (!moment) throw ruleBroken([], `Invalid request.\n\n${shortened(date ?? '')} is not a valid date-time.`);
  const person = { name, email, ...moment };
  try {
    encodePerson(person);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw ruleBroken([{ resource: role, code: 'missing_field', field: error.subject }]);
  }
  return person;
}

function shortened(text: string): string {
  return text
    .slice(0, 100)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ');
}

/**
 * The name and address that the caller commits under. An address that is not shown to everybody stays private: it would be
 * in the history for good. Who has none to show gets one that leads nowhere and names the account.
 */
async function callerAsPerson({ actor, read, origin }: Context): Promise<{ name: string; email: string }> {
  const host = new URL(origin).hostname;
  const nobody = `users.noreply.${host}`;
  if (actor.kind === 'user') {
    const [row] = await read(sql<{ name: string | null; email: string | null }>`
      select name, public_email as email from account where id = ${actor.accountId}`);
    const name = row?.name ?? '';
    return {
      name: isPerson(name) ? name : actor.login,
      email: row?.email && isPerson(row.email) ? row.email : `${actor.accountId}+${actor.login}@${nobody}`,
    };
  }
  const [app] =
    actor.kind === 'installation'
      ? await read(sql<{ id: number; slug: string }>`select id, slug from app where id = ${actor.appId}`)
      : [];
  const bot = `${app?.slug ?? 'workflow'}[bot]`;
  return { name: bot, email: `${app ? `${app.id}+` : ''}${bot}@${nobody}` };
}

/** Whether git leaves anything of it. */
function isPerson(text: string): boolean {
  return /[^\0-\x20.,:;<>"\\']/.test(text);
}
