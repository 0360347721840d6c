import { maxSeconds, type Person, zoneMinutes } from './person.ts';

/** Columns of a header line with encoded words (RFC 2047), and of one without. */
const maxColumns = { encoded: 76, plain: 78 };

/** A header of a mail, folded; text that is not ASCII becomes encoded words. The name includes the colon. */
export function formatHeader(name: string, text: string): string {
  if (/[^\x20-\x7e]|=\?/.test(text)) return `${name} ${encodeWords(text, name.length + 1, /[!-<>@-^`-~]/)}\n`;
  return `${name}${foldWords(text, name.length)}\n`;
}

/** `Name <email>` as a mail has it: encoded, or quoted where it has characters of the syntax. */
export function formatAddress({ name, email }: Pick<Person, 'name' | 'email'>): string {
  const isPlain = /^[\x20-\x7e]*$/.test(name) && !name.includes('=?');
  if (!isPlain) return `${encodeWords(name, 'From: '.length, /[0-9A-Za-z!*+\-/]/)} <${email}>`;
  if (/[()<>[\]:;@\\,."]/.test(name)) return `"${name.replace(/["\\]/g, '\\$&')}" <${email}>`;
  return `${name} <${email}>`;
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The time of a person as RFC 5322 has it, in the person's zone. */
export function formatMailDate({ seconds, zone }: Pick<Person, 'seconds' | 'zone'>): string {
  const shifted = seconds + zoneMinutes(zone) * 60;
  const local = new Date(Math.min(shifted, maxSeconds) * 1000);
  const time = local.toISOString().slice(-13, -5);
  const day = `${days[local.getUTCDay()]}, ${local.getUTCDate()} ${months[local.getUTCMonth()]}`;
  return `${day} ${local.getUTCFullYear()} ${time} ${zone}`;
}

function foldWords(text: string, usedColumns: number): string {
  let folded = '';
  let column = usedColumns;
  for (const word of text.split(' ')) {
    const isTooLong = column + 1 + word.length > maxColumns.plain && column > 1;
    folded += isTooLong ? `\n ${word}` : ` ${word}`;
    column = (isTooLong ? 0 : column) + 1 + word.length;
  }
  return folded;
}

/** Quoted-printable encoded words; a character is never divided between two. `plain`: those that are not encoded. */
function encodeWords(text: string, usedColumns: number, plain: RegExp): string {
  const [open, close] = ['=?UTF-8?q?', '?='];
  let words = open;
  let column = usedColumns + open.length;
  for (const character of text) {
    const encoded =
      character > '\x7f' ? escapeUtf8(character) : plain.test(character) ? character : escapeAscii(character);
    if (column + encoded.length + close.length > maxColumns.encoded) {
      words += `${close}\n ${open}`;
      column = 1 + open.length;
    }
    words += encoded;
    column += encoded.length;
  }
  return words + close;
}

const escapeAscii = (character: string): string =>
  `=${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/** An unpaired surrogate has no bytes in UTF-8. */
const escapeUtf8 = (character: string): string => encodeURIComponent(character.toWellFormed()).replaceAll('%', '=');
