import { invalidInput } from '../../errors/errors.ts';

/**
 * Collects what is wrong with an input, field by field, in the published sentences; `done` throws all of it at once, so that
 * a form is corrected in one go. Texts are trimmed and control characters taken out, line breaks and tabs aside.
 */
export class InputChecks {
  readonly #problems: Record<string, string[]> = Object.create(null);

  add(field: string, ...sentences: string[]): void {
    if (sentences.length > 0) this.#problems[field] = [...(this.#problems[field] ?? []), ...sentences];
  }

  /** A text that may not be blank unless `blank` says so. Counts code points, as PostgreSQL does. */
  text(
    field: string,
    value: string,
    { maxLength, allowBlank = false }: { maxLength: number; allowBlank?: boolean },
  ): string {
    const text = cleanText(value);
    if (text === '' && !allowBlank) this.add(field, 'This field may not be blank.');
    if ([...text].length > maxLength) this.add(field, `Ensure this field has no more than ${maxLength} characters.`);
    return text;
  }

  /** Texts of a list, trimmed, none blank, none twice. */
  texts(
    field: string,
    values: readonly string[],
    { maxItems, maxLength }: { maxItems: number; maxLength: number },
  ): string[] {
    if (values.length > maxItems) this.add(field, `Ensure this field has no more than ${maxItems} elements.`);
    return [...new Set(values.slice(0, maxItems).map(value => this.text(field, value, { maxLength: maxLength })))];
  }

  assertPassed(): void {
    if (Object.keys(this.#problems).length > 0) throw invalidInput(this.#problems);
  }
}

function cleanText(value: string): string {
  return value
    .toWellFormed()
    .replace(/(?![\n\r\t])\p{Cc}/gu, '')
    .trim();
}
