import { randomUUID } from 'node:crypto';
import { ProblemError } from './problem.ts';
import { Semaphore } from './semaphore.ts';
import { TempFileText, wholeCharacterBytes } from './temp-file-text.ts';

/** Bodies that one process keeps in files at the same time; others wait with their bytes in the network. */
const openBodies = new Semaphore(16);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Takes a body of JSON piece by piece. The texts under some keys of the object go to files, and what is left of the JSON,
 * with a mark in the place of each, is small enough to be parsed as any other body. Only `JSON.parse` says what is JSON:
 * this has to find where those texts begin and end, and to be right where the rest is right.
 */
export class TempFileJsonReader {
  readonly #names: readonly string[];
  readonly #maxLength: number;
  readonly #texts = new Map<string, TempFileText>();
  readonly #kept: string[] = [];
  #length = 0;
  #rest: Buffer = Buffer.alloc(0);
  #isFirst = true;
  #error: ProblemError | undefined;
  #releaseSlot: (() => void) | undefined;

  #depth = 0;
  #state: 'between' | 'text' | 'spooling' = 'between';
  #afterBackslash = false;
  /** The text that is being read at the first level, quotes included; then the one that was just read. */
  #token: string | undefined;
  /** The key whose value is next. */
  #key: string | undefined;
  #sink: TempFileText | undefined;
  /** The beginning of an escape whose end is still to come. */
  #held = '';

  /** `names`: keys whose texts go to files. `most`: characters of everything else. */
  constructor(names: readonly string[], most: number) {
    this.#names = names;
    this.#maxLength = most;
  }

  /** After a failure it goes on taking bytes without looking at them: a body that is too large is told so first. */
  async take(bytes: Buffer): Promise<void> {
    if (this.#error) return;
    this.#releaseSlot ??= await openBodies.take();
    try {
      const from =
        this.#state === 'spooling' && this.#held === '' && this.#rest.length === 0 ? plainPrefixLength(bytes) : 0;
      // Most of a long text is letters and digits. Made into strings, 120 MB of them leave five times as much garbage.
      if (from > 0) await this.#sink?.writePlain(bytes.subarray(0, from));
      if (from < bytes.length) await this.#read(this.#decoded(bytes.subarray(from)));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#error = error;
    }
  }

  /** What is left of the JSON. Throws a Failed for what is no UTF-8 or no JSON, and where more is left than may be. */
  end(): string {
    const isCut = this.#state !== 'between' || this.#rest.length > 0;
    if (this.#error) throw this.#error;
    if (isCut) throw malformed('Unterminated string in JSON');
    return this.#kept.join('');
  }

  /** Puts the texts in the place of their marks. */
  restore(json: Record<string, unknown>): void {
    for (const name of this.#names) {
      const text = typeof json[name] === 'string' ? this.#texts.get(json[name]) : undefined;
      if (text) json[name] = text;
    }
  }

  /** Nothing can be read of the texts any more. */
  async close(): Promise<void> {
    for (const text of this.#texts.values()) await text.close();
    this.#texts.clear();
    this.#releaseSlot?.();
  }

  #decoded(bytes: Buffer): string {
    const all = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    const end = wholeCharacterBytes(all, all.length);
    // A copy: the bytes belong to the connection.
    this.#rest = Buffer.from(all.subarray(end));
    let text: string;
    try {
      text = utf8.decode(all.subarray(0, end));
    } catch {
      throw malformed('The body is not valid UTF-8.');
    }
    if (!this.#isFirst || text === '') return text;
    this.#isFirst = false;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  async #read(text: string): Promise<void> {
    for (let at = 0; at < text.length; ) {
      if (this.#state === 'spooling') {
        at = await this.#writeToFile(text, at);
      } else {
        const { end, isLong } = this.#scan(text, at);
        this.#keep(text.slice(at, end));
        if (isLong) await this.#begin();
        at = end;
      }
    }
  }

  #keep(text: string): void {
    this.#kept.push(text);
    this.#length += text.length;
    if (this.#length > this.#maxLength) throw new ProblemError({ kind: 'too-large', limit: this.#maxLength });
  }

  /** Goes on to the end of the piece, or to behind the quote with which a text begins that goes to a file. */
  #scan(text: string, from: number): { end: number; isLong: boolean } {
    for (let at = from; at < text.length; at++) {
      const character = text[at] ?? '';
      if (this.#state === 'text') this.#inText(character);
      else if (character === '"') {
        if (this.#depth === 1 && this.#key !== undefined && this.#names.includes(this.#key)) {
          return { end: at + 1, isLong: true };
        }
        this.#state = 'text';
        this.#key = undefined;
        this.#token = this.#depth === 1 ? '"' : undefined;
      } else this.#betweenTexts(character);
    }
    return { end: text.length, isLong: false };
  }

  #inText(character: string): void {
    if (this.#token !== undefined) this.#token += character;
    if (this.#afterBackslash) this.#afterBackslash = false;
    else if (character === '\\') this.#afterBackslash = true;
    else if (character === '"') this.#state = 'between';
  }

  #betweenTexts(character: string): void {
    if (character === ' ' || character === '\n' || character === '\r' || character === '\t') return;
    this.#key = character === ':' && this.#token !== undefined ? parseString(this.#token) : undefined;
    this.#token = undefined;
    if (character === '{' || character === '[') this.#depth++;
    else if (character === '}' || character === ']') this.#depth--;
  }

  async #begin(): Promise<void> {
    this.#state = 'spooling';
    this.#key = undefined;
    this.#token = undefined;
    this.#sink = await TempFileText.open();
    // Of a repeated key the last one counts; the others are closed with it. Nobody can send a mark that is made up now.
    const mark = randomUUID();
    this.#texts.set(mark, this.#sink);
    this.#keep(`${mark}"`);
  }

  async #writeToFile(piece: string, from: number): Promise<number> {
    const text = this.#held + piece.slice(from);
    const { end, isWhole } = findStringEnd(text);
    // JSON's own reader knows all escapes, and refuses what no text may hold.
    const read = parseString(`"${text.slice(0, end)}"`);
    if (read === undefined) throw malformed('Bad character or escape in a string of JSON');
    await this.#sink?.write(read);
    if (!isWhole) {
      this.#held = text.slice(end);
      return piece.length;
    }
    const used = end + 1 - this.#held.length;
    this.#held = '';
    this.#sink = undefined;
    this.#state = 'between';
    return from + used;
  }
}

/** How many bytes, in steps of a kibibyte, are printable ASCII without quotes and backslashes: the same in JSON as outside. */
function plainPrefixLength(bytes: Buffer): number {
  const stop = [bytes.indexOf('"'), bytes.indexOf('\\')].filter(at => at >= 0);
  const end = Math.min(bytes.length, ...stop);
  let plain = 0;
  while (plain < end) {
    const next = Math.min(plain + 1024, end);
    if (/[^ -~]/.test(bytes.toString('latin1', plain, next))) break;
    plain = next;
  }
  return plain;
}

/** Where a text ends, at its quote; or, where it goes on, where what can be read of it so far ends. */
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
 * Whether an escape goes on behind the end. The first half of a pair of surrogates goes on as long as the other may follow. One
 * with a quote in it is none, and goes nowhere.
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

function malformed(message: string): ProblemError {
  return new ProblemError({ kind: 'malformed', of: 'JSON', message });
}
