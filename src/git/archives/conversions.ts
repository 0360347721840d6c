import type { Commit } from '../commit.ts';
import type { Oid } from '../object.ts';
import type { AttributeName, AttributeValue } from './attributes.ts';
import { formatCommit } from './commit-format.ts';

/** How `git archive` converts the content of a file. */
export interface Conversion {
  /** Expands `$Id$` to the id of the blob. */
  ident: boolean;
  /** Converts LF to CRLF. `cautious`: only when the content looks like text and has no CR yet. */
  crlf: 'no' | 'yes' | 'cautious';
  /** Expands `$Format:…$` placeholders with the data of the commit. */
  format: boolean;
}

/** Larger files are not converted: they are streamed. 8 MiB. */
export const maxConvertedBytes = 8 * 1024 * 1024;
/**
 * Maximum characters that the placeholders of one file may expand to; later ones stay unexpanded. A file can refer to a
 * message of 1 MB 90,000 times.
 */
const maxFormattedChars = 8 * 1024 * 1024;

type Attributes = ReadonlyMap<AttributeName, AttributeValue>;

/** Undefined when the file is not converted. `lineEndings`: `text` and `crlf`, which count for `eol=crlf` only. */
export function conversionFor(values: Attributes, lineEndings: Attributes | undefined): Conversion | undefined {
  const ident = values.get('ident') === true;
  const format = values.get('export-subst') === true;
  const crlf = lineEndings ? crlfConversion(lineEndings) : 'no';
  return ident || format || crlf !== 'no' ? { ident, format, crlf } : undefined;
}

/** Only `eol=crlf` converts line endings: the native ones are LF. `crlf` is the old name of `text`. */
function crlfConversion(values: Attributes): Conversion['crlf'] {
  const known = (value: AttributeValue): boolean => typeof value === 'boolean' || value === 'auto' || value === 'input';
  const [text, old] = [values.get('text'), values.get('crlf')];
  const action = known(text) ? text : known(old) ? old : undefined;
  if (action === false) return 'no';
  return action === 'auto' ? 'cautious' : 'yes';
}

/**
 * Upper bound of the bytes that `size` bytes become: `$Id$` becomes 47 bytes and LF two. The placeholders of one file may expand
 * to `maxFormattedChars`, and the last of them beyond it.
 */
export function maxConvertedSize(size: number, { ident, format, crlf }: Conversion): number {
  const expanded = size * (ident ? 12 : 1) * (crlf === 'no' ? 1 : 2);
  return format ? expanded + maxFormattedChars : expanded;
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

/** A file and everything that its conversion needs. */
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

/** Expands the keyword, also one that is already expanded, unless another system did that: those insert spaces. */
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

/** Control characters that occur in text: backspace, tab, form feed and escape. */
const textControlCodes: ReadonlySet<number> = new Set([0x08, 0x09, 0x0c, 0x1b]);

/**
 * git's heuristic: a NUL, or more than one non-printable character per 128. A trailing ^Z, the DOS end-of-file mark, is
 * ignored.
 */
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
