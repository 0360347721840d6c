import { invalidInput } from '../../errors/errors.ts';
import type { TextLimits, TextListLimits } from './text-limits.ts';

/**
 * Collects the problems of an input by field, with the published messages. `assertPassed` throws all of them together, so that a
 * form can be corrected at once. Texts are trimmed, and control characters except line breaks and tabs are removed.
 */
export class InputChecks {
  readonly #problems: Record<string, string[]> = Object.create(null);

  add(field: string, ...sentences: string[]): void {
    if (sentences.length > 0) this.#problems[field] = [...(this.#problems[field] ?? []), ...sentences];
  }

  /** Whether the field has a problem already: a further check of it would only repeat that. */
  has(field: string): boolean {
    return this.#problems[field] !== undefined;
  }

  /** Checks and returns a text. Lengths count code points, as PostgreSQL does. */
  text(field: string, value: string, { minLength = 0, maxLength }: TextLimits): string {
    if (this.#isFarTooLong(field, value, maxLength)) return '';
    const text = cleanText(value);
    const { length } = [...text];
    if (length === 0 && minLength > 0) this.add(field, 'This field may not be blank.');
    else if (length < minLength) this.add(field, `Ensure this field has at least ${minLength} characters.`);
    if (length > maxLength) this.add(field, tooLong(maxLength));
    return text;
  }

  /**
   * Checks and returns the name of a person or a group: one line, with something to see. Controls of the direction of text are refused,
   * because they turn what stands around the name: `Ann<RLO>nimda` reads as «Annadmin».
   */
  name(field: string, value: string, limits: TextLimits): string {
    if (this.#isFarTooLong(field, value, limits.maxLength)) return '';
    const name = this.text(field, value.replace(/\s+/g, ' '), limits);
    if (directionControls.test(name))
      this.add(field, 'Ensure this field has no characters that change the direction of text.');
    else if (name !== '' && name.replace(invisible, '') === '') this.add(field, 'This field may not be blank.');
    return name;
  }

  /** Checks a list of texts and returns it without duplicates. */
  texts(field: string, values: readonly string[], { minItems = 0, maxItems, items }: TextListLimits): string[] {
    if (values.length < minItems) this.add(field, 'This list may not be empty.');
    if (values.length > maxItems) this.add(field, `Ensure this field has no more than ${maxItems} elements.`);
    return [...new Set(values.slice(0, maxItems).map(value => this.text(field, value, items)))];
  }

  /** Such a text is refused before it is cleaned and its characters are counted, which takes 25 ms for a megabyte. */
  #isFarTooLong(field: string, value: string, maxLength: number): boolean {
    if (value.trim().length <= maxLength * maxUnitsPerCharacter) return false;
    this.add(field, tooLong(maxLength));
    return true;
  }

  assertPassed(): void {
    if (Object.keys(this.#problems).length > 0) throw invalidInput(this.#problems);
  }
}

const tooLong = (maxLength: number): string => `Ensure this field has no more than ${maxLength} characters.`;

/** UTF-16 units of a text for each character that it may have: a character has two at most, and the rest may be what cleaning removes. */
const maxUnitsPerCharacter = 16;

/** U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069. Joiners such as U+200C are letters of some languages. */
const directionControls = /[\p{Bidi_Control}]/u;

/** Format characters, and the letters that are drawn as nothing. */
const invisible = /[\p{Cf}\p{Z}\p{M}\u115f\u1160\u3164\uffa0\u2800]/gu;

function cleanText(value: string): string {
  return value
    .toWellFormed()
    .replace(/(?![\n\r\t])\p{Cc}/gu, '')
    .trim();
}
