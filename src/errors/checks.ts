import { invalidInput } from './errors.ts';

/**
 * Collects what is wrong with an input, field by field, in the published sentences; `done` throws all of it at once, so that
 * a form is corrected in one go. Texts are trimmed and control characters taken out, line breaks and tabs aside.
 */
export class Checks {
  readonly #problems: Record<string, string[]> = Object.create(null);

  add(field: string, ...sentences: string[]): void {
    if (sentences.length > 0) this.#problems[field] = [...(this.#problems[field] ?? []), ...sentences];
  }

  /** A text that may not be blank unless `blank` says so. Counts code points, as PostgreSQL does. */
  text(field: string, value: string, { most, blank = false }: { most: number; blank?: boolean }): string {
    const text = plain(value);
    if (text === '' && !blank) this.add(field, 'This field may not be blank.');
    if ([...text].length > most) this.add(field, `Ensure this field has no more than ${most} characters.`);
    return text;
  }

  /** Texts of a list, trimmed, none blank, none twice. */
  texts(field: string, values: readonly string[], { most, longest }: { most: number; longest: number }): string[] {
    if (values.length > most) this.add(field, `Ensure this field has no more than ${most} elements.`);
    return [...new Set(values.slice(0, most).map(value => this.text(field, value, { most: longest })))];
  }

  done(): void {
    if (Object.keys(this.#problems).length > 0) throw invalidInput(this.#problems);
  }
}

function plain(value: string): string {
  return value
    .toWellFormed()
    .replace(/(?![\n\r\t])\p{Cc}/gu, '')
    .trim();
}
