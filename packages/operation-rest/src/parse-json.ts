import { randomUUID } from 'node:crypto';
import { nextEventLoopTurn } from './event-loop-turn.ts';
import { endOfString, findJsonExcess, type JsonExcess, maxJsonDepth, maxJsonMembers } from './json-complexity.ts';

/** Why a text is not read as JSON; `message` of `syntax` is the parser's. */
export type JsonRefusal = JsonExcess | { is: 'repeated-key' } | { is: 'syntax'; message: string };

/** `parseJson` rejects with it. */
export class JsonRefusedError extends Error {
  readonly reason: JsonRefusal;

  constructor(reason: JsonRefusal) {
    super(reason.is === 'syntax' ? reason.message : reason.is);
    this.reason = reason;
  }
}

/** Arrays, objects, members and items that are parsed in one turn of the event loop: 7 ms where each object has keys of its own. */
const membersPerTurn = 10_000;
/** Characters that are scanned in one turn: 4 ms. */
const charactersPerTurn = 2_000_000;

/**
 * Parses a JSON text, whose values are what JSON.parse returns. Refuses keys that an object has twice, of which parsers take different
 * ones (RFC 8259, 4). A text of more than 10,000 members is parsed in several turns of the event loop.
 *
 * @param maxMembers the limit of arrays, objects, members and items
 * @throws JsonRefusedError
 */
export async function parseJson(text: string, maxMembers: number = maxJsonMembers): Promise<unknown> {
  if (text.length <= charactersPerTurn) {
    const excess = findJsonExcess(text, membersPerTurn);
    if (excess?.is === 'depth') throw new JsonRefusedError(excess);
    if (!excess) return parseShortJson(text);
  }
  return new PartialParser(text, maxMembers).parse();
}

/** The same at once, for a text that is within the limits. @throws JsonRefusedError */
export function parseShortJson(text: string): unknown {
  const value = parsePart(text);
  if (countKeys(value) !== countColons(text)) throw new JsonRefusedError({ is: 'repeated-key' });
  return value;
}

/** An array or object that has begun and not ended. */
interface OpenContainer {
  isArray: boolean;
  start: number;
  /** Where the members begin that are not parsed yet. */
  partStart: number;
  /** Number of those members, with all in them, and of their keys. */
  members: number;
  keys: number;
  /** The members that are parsed; undefined before the first part. */
  value: unknown[] | Record<string, unknown> | undefined;
}

/** A container that is parsed, and where its text was. */
interface Parsed {
  start: number;
  end: number;
  marker: string;
}

/**
 * Parses long arrays and objects in parts of some thousand members, which JSON.parse validates. In the text around it, a marker
 * stands for a container that is parsed.
 */
class PartialParser {
  readonly #text: string;
  readonly #maxMembers: number;
  readonly #open: OpenContainer[] = [];
  /** Those whose text is not in a parsed part, in the order of their text. */
  readonly #parsed: Parsed[] = [];
  readonly #values = new Map<string, unknown>();
  /** Random, so that no text of a body is one. */
  readonly #prefix = randomUUID();
  /** Of the text outside of all containers that are parsed. */
  #keys = 0;

  constructor(text: string, maxMembers: number) {
    this.#text = text;
    this.#maxMembers = maxMembers;
  }

  async parse(): Promise<unknown> {
    const text = this.#text;
    let total = 0;
    let scanned = 0;
    for (let at = 0; at < text.length; at++) {
      if (at - scanned > charactersPerTurn) {
        scanned = at;
        await nextEventLoopTurn();
      }
      const code = text.charCodeAt(at);
      const container = this.#open.at(-1);
      if (code === 0x22) {
        at = endOfString(text, at);
        if (at < 0) throw syntaxError('Unterminated string in JSON');
      } else if (code === 0x5b || code === 0x7b) {
        if (this.#open.length === maxJsonDepth) throw new JsonRefusedError({ is: 'depth', max: maxJsonDepth });
        total++;
        const isArray = code === 0x5b;
        this.#open.push({ isArray, start: at, partStart: at + 1, members: 1, keys: 0, value: undefined });
      } else if (code === 0x5d || code === 0x7d) {
        if (container?.isArray !== (code === 0x5d)) throw syntaxError(`Unexpected token ${text[at]} at position ${at}`);
        if (this.#close(container, at)) await nextEventLoopTurn();
      } else if (code === 0x3a) {
        if (container) container.keys++;
      } else if (code === 0x2c) {
        if (++total > this.#maxMembers) throw new JsonRefusedError({ is: 'members', max: this.#maxMembers });
        if (container && ++container.members >= membersPerTurn) {
          this.#parsePart(container, at);
          await nextEventLoopTurn();
        }
      }
    }
    if (this.#open.length > 0) throw syntaxError('Unexpected end of JSON input');
    return this.#read(this.#textBetween(0, text.length), this.#keys);
  }

  /** Ends a container. Returns whether it was parsed. */
  #close(container: OpenContainer, at: number): boolean {
    this.#open.pop();
    const parent = this.#open.at(-1);
    if (container.value === undefined && container.members < membersPerTurn) {
      if (parent) {
        parent.members += container.members;
        parent.keys += container.keys;
      } else this.#keys += container.keys;
      return false;
    }
    this.#parsePart(container, at);
    const marker = `${this.#prefix}${this.#values.size}`;
    this.#values.set(marker, container.value);
    this.#parsed.push({ start: container.start, end: at + 1, marker });
    return true;
  }

  /** Parses the members up to a comma or to the end of the container. */
  #parsePart(container: OpenContainer, end: number): void {
    const { isArray, partStart, keys, value } = container;
    const members = this.#textBetween(partStart, end);
    // Alone the part would be an empty container; after a comma there must be a member.
    if (value !== undefined && members.trim() === '') throw syntaxError('Unexpected comma');
    const part = this.#read(isArray ? `[${members}]` : `{${members}}`, keys);
    if (value === undefined) container.value = part as unknown[] | Record<string, unknown>;
    else if (Array.isArray(value)) for (const item of part as unknown[]) value.push(item);
    else addMembers(value, part as Record<string, unknown>);
    container.partStart = end + 1;
    container.members = 0;
    container.keys = 0;
  }

  /** The text with markers, which are used up. */
  #textBetween(from: number, to: number): string {
    const first = this.#parsed.findLastIndex(one => one.start < from) + 1;
    const pieces: string[] = [];
    let at = from;
    for (const { start, end, marker } of this.#parsed.splice(first)) {
      pieces.push(this.#text.slice(at, start), `"${marker}"`);
      at = end;
    }
    return `${pieces.join('')}${this.#text.slice(at, to)}`;
  }

  #read(text: string, keys: number): unknown {
    const value = parsePart(text);
    if (countKeys(value) !== keys) throw new JsonRefusedError({ is: 'repeated-key' });
    return this.#values.size === 0 ? value : this.#restore(value);
  }

  #restore(value: unknown): unknown {
    const find = (one: unknown): unknown => {
      if (typeof one !== 'string' || !one.startsWith(this.#prefix)) return one;
      const found = this.#values.get(one);
      this.#values.delete(one);
      return found;
    };
    const pending: object[] = [];
    const enter = (one: unknown): unknown => {
      const found = find(one);
      // What a marker stood for is complete.
      if (found === one && typeof one === 'object' && one !== null) pending.push(one);
      return found;
    };
    const root = enter(value);
    for (let one = pending.pop(); one; one = pending.pop()) {
      const container = one as Record<string, unknown>;
      for (const key of Object.keys(container)) {
        const inner = container[key];
        const found = enter(inner);
        if (found !== inner) container[key] = found;
      }
    }
    return root;
  }
}

function parsePart(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw syntaxError((error as Error).message);
  }
}

const syntaxError = (message: string): JsonRefusedError => new JsonRefusedError({ is: 'syntax', message });

function addMembers(target: Record<string, unknown>, part: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(part)) {
    if (Object.hasOwn(target, key)) throw new JsonRefusedError({ is: 'repeated-key' });
    // An assignment to `__proto__` changes the prototype.
    if (key === '__proto__')
      Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
    else target[key] = value;
  }
}

/** Colons outside of strings: the keys of all objects, repeated ones included. */
function countColons(json: string): number {
  let colons = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === 0x22) at = endOfString(json, at);
    else if (code === 0x3a) colons++;
  }
  return colons;
}

function countKeys(value: unknown): number {
  let keys = 0;
  const pending = [value];
  while (pending.length > 0) {
    const one = pending.pop();
    if (typeof one !== 'object' || one === null) continue;
    const inners = Array.isArray(one) ? one : Object.values(one);
    if (inners !== one) keys += inners.length;
    for (const inner of inners) if (typeof inner === 'object' && inner !== null) pending.push(inner);
  }
  return keys;
}
