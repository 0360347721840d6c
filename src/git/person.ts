import { GitError } from './git-error.ts';
import { decodeGitText } from './git-text.ts';

/** A timestamp as git writes it: seconds since 1970 and a UTC offset. */
export interface Timestamp {
  seconds: number;
  /** UTC offset such as `+0200`; of what others have written also one that no place has, such as `+51800`. */
  zone: string;
}

/** A name and an email address. */
export interface Identity {
  name: string;
  email: string;
}

/** The author, committer or tagger of an object. */
export interface Person extends Identity, Timestamp {}

/**
 * Encodes `Name <email> 1700000000 +0100` in UTF-8, with the name and email address as they are.
 * @throws GitError `bad-person` for a name or email address that git would not read back, or an invalid timestamp: git has none
 *   before 1970.
 */
export function encodePerson({ name, email, seconds, zone }: Person): Buffer {
  for (const [field, text] of Object.entries({ name, email })) {
    if (isStorable(text)) continue;
    throw new GitError('bad-person', field, `The ${field} of an author or committer is empty or cannot be stored.`);
  }
  if (!Number.isSafeInteger(seconds) || seconds < 0 || !/^[+-]\d{4}$/.test(zone)) {
    throw new GitError('bad-person', 'date', `There is no moment «${seconds} ${zone}».`);
  }
  return Buffer.from(`${name} <${email}> ${seconds} ${zone}`);
}

/** Whether git reads the text back as it is: not empty, no delimiter of the line, and no white space at an end. */
function isStorable(text: string): boolean {
  const isSpace = (at: number): boolean => text.charCodeAt(at) <= 0x20;
  return text !== '' && !isSpace(0) && !isSpace(text.length - 1) && !/[\0\n<>]/.test(text) && text.isWellFormed();
}

/**
 * Removes what git removes from a name or email address of its settings: angle brackets and line feeds anywhere; white space,
 * control characters and punctuation at both ends. NUL is removed too: git reads names from C strings. For names that nobody has
 * given for this object; those in a request are stored as they are, or refused.
 */
export function cleanPersonText(text: string): string {
  const whole = text.toWellFormed();
  // A loop instead of a regular expression: one that ends in `+$` takes quadratic time for a text full of spaces.
  let from = 0;
  let to = whole.length;
  while (from < to && isCrud(whole, from)) from++;
  while (to > from && isCrud(whole, to - 1)) to--;
  return whole.slice(from, to).replace(/[\n<>\0]/g, '');
}

function isCrud(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 0x20 || '.,:;<>"\\\''.includes(text.charAt(at));
}

/**
 * Parses a person as leniently as git: the email address ends at the first `>`, and the timestamp and the zone follow the last one. Bytes
 * that are not in the encoding of the commit become U+FFFD. A missing or unreadable timestamp becomes 1970.
 */
export function parsePerson(line: Buffer, encoding?: string): Person {
  const open = line.indexOf('<');
  const close = open < 0 ? -1 : line.indexOf('>', open);
  if (close < 0) return { name: decodeGitText(line, encoding).trim(), email: '', seconds: 0, zone: '+0000' };
  const time = /^\s*(\d{1,15})(?!\d)(?:\s*([+-]\d{1,9})(?!\d))?/.exec(
    line.toString('latin1', line.lastIndexOf('>') + 1),
  );
  return {
    name: decodeGitText(line.subarray(0, open), encoding).trim(),
    email: decodeGitText(line.subarray(open + 1, close), encoding).trim(),
    seconds: time ? Number(time[1]) : 0,
    zone: formatZone(Number(time?.[2] ?? 0)),
  };
}

/** A zone as git prints it, with four digits or more: those of well-known repositories have up to six. */
const formatZone = (zone: number): string => `${zone < 0 ? '-' : '+'}${`${Math.abs(zone)}`.padStart(4, '0')}`;

/** The minutes of a zone such as `+0530`. Its last two digits are minutes, however many precede them. */
export function zoneMinutes(zone: string): number {
  const digits = Math.abs(Number(zone));
  const minutes = Math.floor(digits / 100) * 60 + (digits % 100);
  return zone.startsWith('-') ? -minutes : minutes;
}

/** 9999-12-31T23:59:59Z: ISO 8601 has no later dates without an agreement. */
export const maxSeconds = 253_402_300_799;

const isoDate = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:([Zz])|([+-])(\d\d):?(\d\d))$/;

/**
 * Parses an ISO 8601 date with a UTC offset, which is kept. Undefined for anything else, and for days that do not exist. Times
 * before 1970 have negative seconds; git cannot store them.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const found = isoDate.exec(text);
  if (!found) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  const zoneHours = Number(found[9] ?? 0);
  const zoneMinutes = Number(found[10] ?? 0);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!isReal || zoneHours > 23 || zoneMinutes > 59) return undefined;
  const sign = found[8] === '-' ? -1 : 1;
  const seconds = date.getTime() / 1000 - sign * (zoneHours * 60 + zoneMinutes) * 60;
  if (seconds > maxSeconds) return undefined;
  const zone = found[7] ? '+0000' : `${found[8]}${found[9]}${found[10]}`;
  return { seconds, zone: zone === '-0000' ? '+0000' : zone };
}

/** `date` in a time zone of the IANA database, such as Europe/Berlin; undefined when the zone does not exist. */
export function timestampInZone(date: Date, timeZone: string): Timestamp | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(date);
    const offset = parts.find(part => part.type === 'timeZoneName')?.value ?? '';
    const found = /^GMT(?:([+-])(\d\d):(\d\d))?/.exec(offset);
    if (!found) return undefined;
    return {
      seconds: Math.floor(date.getTime() / 1000),
      zone: `${found[1] ?? '+'}${found[2] ?? '00'}${found[3] ?? '00'}`,
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
