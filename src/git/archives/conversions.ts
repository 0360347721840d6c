import type { Commit } from '../commit.ts';
import type { Oid } from '../object.ts';
import type { AttributeValue } from './attributes.ts';
import { formatCommit } from './commit-format.ts';

/** What becomes of the content of a file on its way into an archive, as `git archive` does it. */
export interface Conversion {
  /** `$Id$` becomes the id of the blob. */
  ident: boolean;
  /** Lines end in CR and LF. `cautious`: where it looks like text that has none yet. */
  crlf: 'no' | 'yes' | 'cautious';
  /** `$Format:…$` becomes what it says of the commit. */
  format: boolean;
}

/** Larger files are left as they are: they are streamed and never held whole. 8 MiB. */
export const maxConvertedBytes = 8 * 1024 * 1024;
/** Letters that placeholders of one file may come to; those behind stay as they are written. A message of 1 MB may be named 90,000 times. */
const maxFormattedChars = 8 * 1024 * 1024;

/** Undefined where a file stays as it is. */
export function conversionFor(getAttribute: (attribute: string) => AttributeValue): Conversion | undefined {
  const ident = getAttribute('ident') === true;
  const format = getAttribute('export-subst') === true;
  const crlf = crlfConversion(getAttribute);
  return ident || format || crlf !== 'no' ? { ident, format, crlf } : undefined;
}

/** Line ends follow `eol=crlf` alone: those of the machine are LF. `crlf` is what `text` was called once. */
function crlfConversion(getAttribute: (attribute: string) => AttributeValue): Conversion['crlf'] {
  if (getAttribute('eol') !== 'crlf') return 'no';
  const known = (value: AttributeValue): boolean => typeof value === 'boolean' || value === 'auto' || value === 'input';
  const [text, old] = [getAttribute('text'), getAttribute('crlf')];
  const action = known(text) ? text : known(old) ? old : undefined;
  if (action === false) return 'no';
  return action === 'auto' ? 'cautious' : 'yes';
}

export function convertContent(
  content: Buffer,
  conversion: Conversion,
  { oid, archived }: { oid: Oid; archived: ArchivedCommit },
): Buffer {
  let text = content.toString('latin1');
  if (conversion.ident) text = expandIdent(text, oid);
  if (conversion.crlf !== 'no') text = convertLineEndings(text, conversion.crlf === 'cautious');
  if (conversion.format) text = expandFormats(text, archived);
  return Buffer.from(text, 'latin1');
}

/** A file with all that its conversion needs. */
export interface FileToConvert {
  content: Uint8Array;
  conversion: Conversion;
  oid: Oid;
  archived: ArchivedCommit;
}

export interface ArchivedCommit {
  oid: Oid;
  commit: Commit;
}

/** A keyword that is filled in already is filled in again, unless others than git did that: those put blanks into it. */
function expandIdent(text: string, oid: Oid): string {
  return text.replace(/\$Id(?:\$|:([^$\n]*)\$)/g, (keyword, inner: string | undefined) => {
    const blank = inner === undefined ? -1 : inner.indexOf(' ', 1);
    return blank >= 0 && inner !== undefined && blank < inner.length - 1 ? keyword : `$Id: ${oid} $`;
  });
}

function convertLineEndings(text: string, isCautious: boolean): string {
  if (isCautious && (text.includes('\r') || looksBinary(text))) return text;
  return text.replace(/(?<!\r)\n/g, '\r\n');
}

/** Of the control characters these are in texts: backspace, tab, form feed and escape. */
const textControlCodes: ReadonlySet<number> = new Set([0x08, 0x09, 0x0c, 0x1b]);

/** As git finds out: a NUL, or more than one character of 128 that nobody types. A last ^Z ended texts once. */
function looksBinary(text: string): boolean {
  let printable = 0;
  let strange = text.endsWith('\x1a') ? -1 : 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0) return true;
    if (code === 0x7f || (code < 0x20 && !textControlCodes.has(code) && code !== 0x0a)) strange++;
    else if (code !== 0x0a) printable++;
  }
  return Math.floor(printable / 128) < strange;
}

function expandFormats(text: string, { oid, commit }: ArchivedCommit): string {
  let remaining = maxFormattedChars;
  return text.replace(/\$Format:([^$]*)\$/g, (written, format: string) => {
    if (remaining <= 0) return written;
    const shown = formatCommit(format, oid, commit, remaining);
    remaining -= shown.length;
    return shown;
  });
}
