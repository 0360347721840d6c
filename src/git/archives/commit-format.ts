import type { Commit } from '../commit.ts';
import { decodeGitText, isForeignEncoding } from '../git-text.ts';
import type { Oid } from '../object.ts';
import { type Person, zoneMinutes } from '../person.ts';

/**
 * Digits of an abbreviated id. git uses more in a larger repository, so archives of one commit would change over the
 * years.
 */
const abbreviatedLength = 7;

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Expands the placeholders of `git log --format`. Text is bytes as latin1 characters. Placeholders for ref names (%d,
 * %D, %(describe)) become empty: refs move, but the checksum of an archive must not change. Unknown placeholders, those
 * for relative dates, and everything after `maxChars` characters of output stay as they are.
 */
export function formatCommit(format: string, oid: Oid, commit: Commit, maxChars: number): string {
  let remaining = maxChars;
  const short = (one: Oid): string => one.slice(0, abbreviatedLength);
  const { whole, fileName, subject, body } = messageParts(commit);
  const plain: ReadonlyMap<string, () => string> = new Map([
    ['H', () => oid],
    ['h', () => short(oid)],
    ['T', () => commit.tree],
    ['t', () => short(commit.tree)],
    ['P', () => commit.parents.join(' ')],
    ['p', () => commit.parents.map(short).join(' ')],
    ['s', () => subject],
    ['f', () => fileName],
    ['b', () => body],
    ['B', () => whole],
    ['e', () => commit.encoding ?? ''],
    ['d', () => ''],
    ['D', () => ''],
    ['n', () => '\n'],
    ['%', () => '%'],
  ]);
  const shownFor = (hex?: string, who?: string, what?: string, letter?: string): string | undefined => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (who !== undefined) return formatPerson(who === 'a' ? commit.author : commit.committer, what ?? '');
    return letter === undefined ? undefined : plain.get(letter)?.();
  };
  const formatted: string[] = [];
  let written = 0;
  const lastParenthesis = format.lastIndexOf(')');
  for (let at = format.indexOf('%'); at >= 0 && remaining > 0; ) {
    let end = at + 1;
    let shown: string | undefined;
    if (format.startsWith('(describe', end)) {
      // Without a closing parenthesis it is no placeholder; one search for the last of them answers for all.
      if (lastParenthesis > end) [shown, end] = ['', format.indexOf(')', end) + 1];
    } else {
      const [match = '', ...groups] = simplePlaceholder.exec(format.slice(end, end + 3)) ?? [];
      shown = shownFor(groups[0], groups[1], groups[2], groups[3]);
      end += match.length;
    }
    if (shown !== undefined) {
      formatted.push(format.slice(written, at), shown);
      remaining -= shown.length;
      written = end;
    }
    at = format.indexOf('%', end);
  }
  return formatted.join('') + format.slice(written);
}

const simplePlaceholder = /^(?:x([0-9a-fA-F]{2})|([ac])([nNeElLdDiIts])|([HhTtPpsfbBedDn%]))/;

function formatPerson(person: Person, what: string): string {
  const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
  switch (what) {
    case 'n':
    case 'N':
      return latin1(person.name);
    case 'e':
    case 'E':
      return latin1(person.email);
    case 'l':
    case 'L':
      return latin1(person.email.split('@')[0] ?? '');
    case 't':
      return `${person.seconds}`;
    default:
      return formatDate(person, what);
  }
}

function formatDate({ seconds, zone }: Person, form: string): string {
  const at = new Date((seconds + zoneMinutes(zone) * 60) * 1000);
  // A date that no calendar has becomes empty.
  if (Number.isNaN(at.getTime())) return '';
  const iso = at.toISOString();
  const [date, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  const [day, month] = [days[at.getUTCDay()], months[at.getUTCMonth()]];
  const [number, year] = [at.getUTCDate(), at.getUTCFullYear()];
  if (form === 'd') return `${day} ${month} ${number} ${time} ${year} ${zone}`;
  if (form === 'D') return `${day}, ${number} ${month} ${year} ${time} ${zone}`;
  if (form === 'i') return `${date} ${time} ${zone}`;
  if (form === 'I') return `${date}T${time}${zone.slice(0, 3)}:${zone.slice(3)}`;
  return date;
}

interface MessageParts {
  /** Bytes as latin1 characters. */
  whole: string;
  /** The first line, suitable for the name of a file (`%f`). */
  fileName: string;
  /** The first paragraph as one line. */
  subject: string;
  /** The text after the first paragraph. */
  body: string;
}

const partsByCommit = new WeakMap<Commit, MessageParts>();

/** A commit is split once for all its placeholders: one file can have 90,000, and a message 1 MB. */
function messageParts(commit: Commit): MessageParts {
  const known = partsByCommit.get(commit);
  if (known) return known;
  const { message, encoding } = commit;
  // git makes UTF-8 of it; what is UTF-8 already, or unknown, stays byte for byte.
  const utf8 = isForeignEncoding(encoding) ? Buffer.from(decodeGitText(message, encoding)) : message;
  const parts = splitMessage(utf8.toString('latin1'));
  partsByCommit.set(commit, parts);
  return parts;
}

function splitMessage(whole: string): MessageParts {
  const lines = whole.replace(/^\s*\n/, '').split('\n');
  const end = lines.findIndex(line => line.trim() === '');
  const first = end < 0 ? lines : lines.slice(0, end);
  const rest = end < 0 ? [] : lines.slice(end);
  const from = rest.findIndex(line => line.trim() !== '');
  return {
    whole,
    fileName: sanitizeSubject(first[0] ?? ''),
    subject: first
      .map(line => line.trimEnd())
      .join(' ')
      .trim(),
    body: from < 0 ? '' : rest.slice(from).join('\n'),
  };
}

function sanitizeSubject(subject: string): string {
  const name = subject.replace(/[^A-Za-z0-9._]+/g, '-').replace(/\.{2,}/g, '.');
  let end = name.length;
  while (name[end - 1] === '-' || name[end - 1] === '.') end--;
  return name.slice(name.startsWith('-') ? Math.min(1, end) : 0, end);
}
