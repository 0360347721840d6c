import { randomUUID } from 'node:crypto';
import { type MalformedReason, ProblemError } from './problem.ts';
import { TempFileText, wholeCharacterBytes } from './temp-file-text.ts';

/** Waits for a slot; the result releases it and is called once. */
export type AcquireSlot = () => Promise<() => void>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a JSON body in chunks. The texts under some keys of the top-level object go to temporary files. The remaining JSON, with
 * a random marker in place of each text, is small enough for JSON.parse. Only JSON.parse validates JSON; this class finds where
 * those texts begin and end, and is exact if the rest is valid.
 */
export class TempFileJsonReader {
  readonly #names: readonly string[];
  readonly #maxLength: number;
  readonly #acquireSlot: AcquireSlot | undefined;
  /** Texts by marker. */
  readonly #texts = new Map<string, TempFileText>();
  /** Keys whose texts are in files: each has one file. */
  readonly #filed = new Set<string>();
  readonly #kept: string[] = [];
  #keptLength = 0;
  /** Bytes of an incomplete character at the end of the last chunk. */
  #incompleteBytes: Buffer = Buffer.alloc(0);
  #isFirst = true;
  #error: ProblemError | undefined;
  #releaseSlot: (() => void) | undefined;

  #depth = 0;
  #state: 'between' | 'string' | 'file' = 'between';
  #afterBackslash = false;
  /** The current or last string at the first level, with its quotes. */
  #token: string | undefined;
  /** The key whose value comes next. */
  #key: string | undefined;
  #file: TempFileText | undefined;
  /** The start of an escape sequence that continues in the next chunk. */
  #incompleteEscape = '';

  /**
   * @param names keys whose texts go to files
   * @param maxLength characters of everything else
   * @param acquireSlot called before the first byte is read; without it nothing is waited for
   */
  constructor(names: readonly string[], maxLength: number, acquireSlot?: AcquireSlot) {
    this.#names = names;
    this.#maxLength = maxLength;
    this.#acquireSlot = acquireSlot;
  }

  /** After an error it discards further bytes: `too-large` of the whole body takes precedence. */
  async take(bytes: Buffer): Promise<void> {
    if (this.#error) return;
    this.#releaseSlot ??= await this.#acquireSlot?.();
    try {
      const isPlain = this.#state === 'file' && this.#incompleteEscape === '' && this.#incompleteBytes.length === 0;
      const from = isPlain ? plainPrefixLength(bytes) : 0;
      // Most of a long text is letters and digits. Decoding 120 MB of them leaves five times as much garbage.
      if (from > 0) await this.#file?.writeBytes(bytes.subarray(0, from));
      if (from < bytes.length) await this.#read(this.#decode(bytes.subarray(from)));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#error = error;
    }
  }

  /** The remaining JSON. @throws ProblemError for invalid UTF-8, for a string without an end, and if more than `maxLength` remains. */
  end(): string {
    const isIncomplete = this.#state !== 'between' || this.#incompleteBytes.length > 0;
    if (this.#error) throw this.#error;
    if (isIncomplete) throw malformed({ is: 'syntax', message: 'Unterminated string in JSON' });
    return this.#kept.join('');
  }

  /** Replaces markers by texts. */
  restore(json: Record<string, unknown>): void {
    for (const name of this.#names) {
      const text = typeof json[name] === 'string' ? this.#texts.get(json[name]) : undefined;
      if (text) json[name] = text;
    }
  }

  /** Closes the files and releases the slot. */
  async close(): Promise<void> {
    for (const text of this.#texts.values()) await text.close();
    this.#texts.clear();
    this.#releaseSlot?.();
  }

  #decode(bytes: Buffer): string {
    const all = this.#incompleteBytes.length > 0 ? Buffer.concat([this.#incompleteBytes, bytes]) : bytes;
    const end = wholeCharacterBytes(all, all.length);
    // A copy, because the connection reuses the buffer.
    this.#incompleteBytes = Buffer.from(all.subarray(end));
    let text: string;
    try {
      text = utf8.decode(all.subarray(0, end));
    } catch {
      throw malformed({ is: 'encoding' });
    }
    if (!this.#isFirst || text === '') return text;
    this.#isFirst = false;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  async #read(text: string): Promise<void> {
    for (let at = 0; at < text.length; ) {
      if (this.#state === 'file') {
        at = await this.#writeToFile(text, at);
      } else {
        const { end, startsFile } = this.#scan(text, at);
        this.#keep(text.slice(at, end));
        if (startsFile !== undefined) await this.#startFile(startsFile);
        at = end;
      }
    }
  }

  #keep(text: string): void {
    this.#kept.push(text);
    this.#keptLength += text.length;
    if (this.#keptLength > this.#maxLength) throw new ProblemError({ kind: 'too-large', maxBytes: this.#maxLength });
  }

  /** Scans to the end of the chunk, or past the opening quote of a text that goes to a file; `startsFile`: its key. */
  #scan(text: string, from: number): { end: number; startsFile: string | undefined } {
    for (let at = from; at < text.length; at++) {
      const character = text[at] ?? '';
      if (this.#state === 'string') this.#inString(character);
      else if (character === '"') {
        if (this.#depth === 1 && this.#key !== undefined && this.#names.includes(this.#key)) {
          return { end: at + 1, startsFile: this.#key };
        }
        this.#state = 'string';
        this.#key = undefined;
        this.#token = this.#depth === 1 ? '"' : undefined;
      } else this.#betweenStrings(character);
    }
    return { end: text.length, startsFile: undefined };
  }

  #inString(character: string): void {
    if (this.#token !== undefined) this.#token += character;
    if (this.#afterBackslash) this.#afterBackslash = false;
    else if (character === '\\') this.#afterBackslash = true;
    else if (character === '"') this.#state = 'between';
  }

  #betweenStrings(character: string): void {
    if (character === ' ' || character === '\n' || character === '\r' || character === '\t') return;
    this.#key = character === ':' && this.#token !== undefined ? parseString(this.#token) : undefined;
    this.#token = undefined;
    if (character === '{' || character === '[') this.#depth++;
    else if (character === '}' || character === ']') this.#depth--;
  }

  async #startFile(key: string): Promise<void> {
    if (this.#filed.has(key)) throw malformed({ is: 'repeated-key' });
    this.#filed.add(key);
    this.#state = 'file';
    this.#key = undefined;
    this.#token = undefined;
    this.#file = await TempFileText.open();
    // A random marker cannot be in the body already.
    const marker = randomUUID();
    this.#texts.set(marker, this.#file);
    this.#keep(`${marker}"`);
  }

  async #writeToFile(chunk: string, from: number): Promise<number> {
    const text = this.#incompleteEscape + chunk.slice(from);
    const { end, isWhole } = findStringEnd(text);
    // JSON.parse knows all escapes and refuses control characters.
    const decoded = parseString(`"${text.slice(0, end)}"`);
    if (decoded === undefined)
      throw malformed({ is: 'syntax', message: 'Bad character or escape in a string of JSON' });
    await this.#file?.write(decoded);
    if (!isWhole) {
      this.#incompleteEscape = text.slice(end);
      return chunk.length;
    }
    const used = end + 1 - this.#incompleteEscape.length;
    this.#incompleteEscape = '';
    this.#file = undefined;
    this.#state = 'between';
    return from + used;
  }
}

/** How many leading bytes, in steps of 1 KiB, are printable ASCII without quotes and backslashes, which JSON does not escape. */
function plainPrefixLength(bytes: Buffer): number {
  const [quote, backslash] = [bytes.indexOf('"'), bytes.indexOf('\\')];
  const end = Math.min(quote < 0 ? bytes.length : quote, backslash < 0 ? bytes.length : backslash);
  let plain = 0;
  while (plain < end) {
    const next = Math.min(plain + 1024, end);
    if (/[^ -~]/.test(bytes.toString('latin1', plain, next))) break;
    plain = next;
  }
  return plain;
}

/** Index of the closing quote; if the string continues in the next chunk, the end of the part that can be decoded. */
function findStringEnd(text: string): { end: number; isWhole: boolean } {
  let quote = text.indexOf('"');
  for (let at = 0; ; ) {
    if (quote >= 0 && quote < at) quote = text.indexOf('"', at);
    const slash = text.indexOf('\\', at);
    if (slash < 0 || (quote >= 0 && quote < slash)) {
      return quote < 0 ? { end: text.length, isWhole: false } : { end: quote, isWhole: true };
    }
    if (isEscapeCut(text, slash)) return { end: slash, isWhole: false };
    at = slash + (text[slash + 1] === 'u' ? 6 : 2);
  }
}

/**
 * Whether an escape sequence continues in the next chunk. A high surrogate does as long as a low one may follow. A sequence
 * that contains a quote is invalid and does not.
 */
function isEscapeCut(text: string, slash: number): boolean {
  const sequence = text.slice(slash, slash + 12);
  if (sequence.includes('"', 2)) return false;
  if (sequence.length < 2 || (sequence[1] === 'u' && sequence.length < 6)) return true;
  return sequence.length < 12 && /^\\u[dD][89abAB][\da-fA-F]{2}(?:\\(?:u.*)?)?$/.test(sequence);
}

function parseString(token: string): string | undefined {
  try {
    return JSON.parse(token);
  } catch {
    return undefined;
  }
}

function malformed(reason: MalformedReason): ProblemError {
  return new ProblemError({ kind: 'malformed', format: 'JSON', reason });
}
