import type { Commit } from '../commit.ts';
import type { Oid } from '../object.ts';
import type { Person } from '../person.ts';

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
  const { line, subject, body } = splitMessage(commit.message.toString('latin1'));
  const plain: Record<string, () => string> = {
    H: () => oid,
    h: () => short(oid),
    T: () => commit.tree,
    t: () => short(commit.tree),
    P: () => commit.parents.join(' '),
    p: () => commit.parents.map(short).join(' '),
    s: () => subject,
    f: () => sanitizeSubject(line),
    b: () => body,
    B: () => commit.message.toString('latin1'),
    e: () => commit.encoding ?? '',
    d: () => '',
    D: () => '',
    n: () => '\n',
    '%': () => '%',
  };
  const pattern = /%(?:x([0-9a-fA-F]{2})|([ac])([nNeElLdDiIts])|\(describe[^)]*\)|([HhTtPpsfbBedDn%]))/g;
  const shownFor = (written: string, hex?: string, who?: string, what?: string, letter?: string): string => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (who !== undefined) return formatPerson(who === 'a' ? commit.author : commit.committer, what ?? '');
    if (letter !== undefined) return plain[letter]?.() ?? written;
    return '';
  };
  return format.replace(pattern, (written, hex?: string, who?: string, what?: string, letter?: string) => {
    if (remaining <= 0) return written;
    const shown = shownFor(written, hex, who, what, letter);
    remaining -= shown.length;
    return shown;
  });
}

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
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  const at = new Date((seconds + offset * 60) * 1000);
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

/** The first line, the first paragraph as one line, and the text after it. */
function splitMessage(message: string): { line: string; subject: string; body: string } {
  const lines = message.replace(/^\s*\n/, '').split('\n');
  const end = lines.findIndex(line => line.trim() === '');
  const first = end < 0 ? lines : lines.slice(0, end);
  const rest = end < 0 ? [] : lines.slice(end);
  const from = rest.findIndex(line => line.trim() !== '');
  return {
    line: first[0] ?? '',
    subject: first
      .map(line => line.trimEnd())
      .join(' ')
      .trim(),
    body: from < 0 ? '' : rest.slice(from).join('\n'),
  };
}

/** The sanitized subject line, suitable for a file name (`%f`). */
function sanitizeSubject(subject: string): string {
  return subject
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^-|[-.]+$/g, '');
}
