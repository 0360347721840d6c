import type { GitCommitterInput, GitPersonInput } from '../../../schema/hosting/git-commit.ts';
import type { Context } from '../../context/context.ts';
import { ruleBroken } from '../../errors/errors.ts';
import { GitError } from '../../git/git-error.ts';
import { encodePerson, type Moment, momentIn, type Person, parseMoment } from '../../git/person.ts';
import { committingCaller, type Signature } from './committing-caller.ts';

export interface GivenPeople {
  author?: GitPersonInput | null | undefined;
  committer?: GitCommitterInput | null | undefined;
  /** Of the caller, by its name in the time zone database: for dates that nobody gave. One that does not exist is UTC. */
  timeZone?: string | null | undefined;
}

/**
 * Author and committer of a new commit: the author is the caller unless given, and the committer is the author unless
 * given, each part by itself. Dates that are left out are the present.
 */
export async function commitPeople(
  context: Pick<Context, 'actor' | 'read' | 'origin' | 'now'>,
  given: GivenPeople,
): Promise<{ author: Person; committer: Person }> {
  const { author, committer, timeZone } = given;
  for (const name of ['author', 'committer'] as const) if (given[name] === null) throw notAn('object', name);
  const present = presentIn(context.now(), timeZone);
  const whom: Signature = author ?? (await committingCaller(context));
  const writer = personOf('author', whom, author?.date, present);
  const name = committer?.name ?? writer.name;
  const email = committer?.email ?? writer.email;
  // Who gives a committer without a date means a commit that is made now, and not when the author wrote.
  const moment = committer && committer.date == null ? present : writer;
  return { author: writer, committer: personOf('committer', { name, email }, committer?.date, moment) };
}

/** Of the present, in a zone. */
export function presentIn(now: Date, timeZone: string | null | undefined): Moment {
  const inZone = timeZone ? momentIn(now, timeZone) : undefined;
  return inZone ?? { seconds: Math.floor(now.getTime() / 1000), zone: '+0000' };
}

/** A person of a commit or tag, or what is wrong with it in the published form. */
export function personOf(
  resource: 'author' | 'committer' | 'tagger',
  { name, email }: Signature,
  date: string | null | undefined,
  otherwise: Moment,
): Person {
  const moment = date == null ? otherwise : parseMoment(date);
  if (!moment) throw shapeBroken(`${date?.slice(0, 200)} is not a valid date-time.`);
  const person = { name, email, seconds: moment.seconds, zone: moment.zone };
  const missing = (['name', 'email'] as const).filter(field => isEmpty(person, field));
  if (missing.length > 0) {
    throw ruleBroken(missing.map(field => ({ resource, code: 'missing_field' as const, field })));
  }
  return person;
}

/** Whether nothing is left of a name or address in the form of git. */
function isEmpty(person: Person, field: 'name' | 'email'): boolean {
  try {
    encodePerson({ ...person, name: 'x', email: 'x', [field]: person[field] });
    return false;
  } catch (error) {
    if (error instanceof GitError && error.code === 'bad-person') return true;
    throw error;
  }
}

/** The published answer to input of another shape. */
export function shapeBroken(line: string): Error {
  return ruleBroken([], `Invalid request.\n\n${line}`);
}

/** The published line about a null where none may be. */
export function notAn(type: 'object' | 'array' | 'string', parameter: string): Error {
  return shapeBroken(`For 'properties/${parameter}', nil is not ${type === 'string' ? 'a' : 'an'} ${type}.`);
}
