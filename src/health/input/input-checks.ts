import { invalidInput } from '../../errors/errors.ts';

/**
 * Collects the problems of an input by field, with the published messages. `assertPassed` throws all of them together, so that a
 * form can be corrected at once. Texts are trimmed, and control characters except line breaks and tabs are removed.
 */
export class InputChecks {
  readonly #problems: Record<string, string[]> = Object.create(null);

  add(field: string, ...sentences: string[]): void {
    if (sentences.length > 0) this.#problems[field] = [...(this.#problems[field] ?? []), ...sentences];
  }

  /** Checks and returns a text. `maxLength` counts code points, as PostgreSQL does. */
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

  /** Checks a list of texts, of which none may be blank, and returns it without duplicates. */
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
