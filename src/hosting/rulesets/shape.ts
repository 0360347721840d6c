import { ruleBroken } from '../../errors/errors.ts';

export type Path = readonly (string | number)[];

/** Things wrong that are told at once; more would only make the answer long. */
const mostTold = 50;

/**
 * Gathers what is wrong with the documents of a ruleset: lines about their shape, in the published words of bodies, and
 * sentences about what they mean. Readers give undefined for what they do not take.
 */
export class Shape {
  readonly #lines: string[] = [];
  readonly #sentences: string[] = [];

  /** Throws the published 422 where anything was wrong: the shape first, as nothing else can be said of what has none. */
  demand(): void {
    if (this.#lines.length > 0) throw ruleBroken([], ['Invalid request.', '', ...this.#lines].join('\n'));
    if (this.#sentences.length > 0) throw ruleBroken(this.#sentences);
  }

  say(sentence: string): void {
    if (this.#sentences.length < mostTold) this.#sentences.push(sentence);
  }

  missing(key: string): undefined {
    return this.#line(`"${key}" wasn't supplied.`);
  }

  object(value: unknown, path: Path): Record<string, unknown> | undefined {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    return this.#wrong(value, path, 'an object');
  }

  list(value: unknown, path: Path, most: number): readonly unknown[] | undefined {
    if (!Array.isArray(value)) return this.#wrong(value, path, 'an array');
    return value.length <= most ? value : this.#beyond(value.length, most);
  }

  boolean(value: unknown, path: Path): boolean | undefined {
    return typeof value === 'boolean' ? value : this.#wrong(value, path, 'a boolean');
  }

  whole(value: unknown, path: Path, [least, most]: readonly [number, number]): number | undefined {
    if (typeof value !== 'number' || !Number.isInteger(value)) return this.#wrong(value, path, 'an integer');
    if (value > most) return this.#beyond(value, most);
    return value >= least ? value : this.#line(`${value} must be greater than or equal to ${least}.`);
  }

  /** `longest`: letters. */
  text(value: unknown, path: Path, longest: number): string | undefined {
    if (typeof value !== 'string') return this.#wrong(value, path, 'a string');
    if (value.includes('\0') || !value.isWellFormed()) return this.#wrong(value, path, 'a text that can be stored');
    if (value.length <= longest) return value;
    return this.#line(`For '${placeOf(path)}', the text must have at most ${longest} characters.`);
  }

  texts(value: unknown, path: Path, { most, longest }: { most: number; longest: number }): string[] | undefined {
    const items = this.list(value, path, most)?.map((item, at) => this.text(item, [...path, at], longest));
    return items?.every(item => item !== undefined) ? (items as string[]) : undefined;
  }

  choice<Value extends string>(value: unknown, path: Path, choices: readonly Value[]): Value | undefined {
    if (typeof value !== 'string') return this.#wrong(value, path, 'a string');
    const found = choices.find(one => one === value);
    return (
      found ?? this.#line(`${shown(value)} is not a member of ${JSON.stringify(choices).replaceAll('","', '", "')}.`)
    );
  }

  #wrong(value: unknown, path: Path, expected: string): undefined {
    return this.#line(`For '${placeOf(path)}', ${shown(value)} is not ${expected}.`);
  }

  #beyond(value: number, most: number): undefined {
    return this.#line(`${value} must be less than or equal to ${most}.`);
  }

  #line(line: string): undefined {
    if (this.#lines.length < mostTold) this.#lines.push(line);
    return undefined;
  }
}

function placeOf(path: Path): string {
  return path.map(step => (typeof step === 'number' ? 'items' : `properties/${step}`)).join('/');
}

/** What was sent, cut to what belongs into a sentence. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return (text.length > 200 ? `${text.slice(0, 200)}…` : text).toWellFormed().replace(/\p{Cc}/gu, ' ');
}
