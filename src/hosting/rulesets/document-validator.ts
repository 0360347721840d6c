import { isStorableText } from '../../db/storable-text.ts';
import { type ValidationEntry, validationFailed } from '../../errors/errors.ts';

export type DocumentPath = readonly (string | number)[];

/** An entry of the published list for a problem that no code names. */
export const rulesetProblem = (message: string): ValidationEntry => ({ resource: 'Ruleset', code: 'custom', message });

/** Maximum errors reported at once. */
const maxReported = 50;

/**
 * Validates ruleset documents and collects errors: first about JSON types and limits, in the published wording, then
 * about meaning. Readers return undefined for invalid values.
 */
export class DocumentValidator {
  readonly #shapeErrors: string[] = [];
  readonly #errors: ValidationEntry[] = [];

  /**
   * @throws 422 when there are errors. Type errors are reported alone, because invalid documents cannot be checked
   * further.
   */
  assertValid(): void {
    if (this.#shapeErrors.length > 0)
      throw validationFailed([], ['Invalid request.', '', ...this.#shapeErrors].join('\n'));
    if (this.#errors.length > 0) throw validationFailed(this.#errors);
  }

  addError(message: string): void {
    if (this.#errors.length < maxReported) this.#errors.push(rulesetProblem(message));
  }

  addMissing(key: string): undefined {
    return this.#addShapeError(`"${key}" wasn't supplied.`);
  }

  object(value: unknown, path: DocumentPath): Record<string, unknown> | undefined {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    return this.#wrongType(value, path, 'an object');
  }

  array(value: unknown, path: DocumentPath, max: number): readonly unknown[] | undefined {
    if (!Array.isArray(value)) return this.#wrongType(value, path, 'an array');
    return value.length <= max ? value : this.#tooLarge(value.length, max);
  }

  boolean(value: unknown, path: DocumentPath): boolean | undefined {
    return typeof value === 'boolean' ? value : this.#wrongType(value, path, 'a boolean');
  }

  integer(value: unknown, path: DocumentPath, [min, max]: readonly [number, number]): number | undefined {
    if (typeof value !== 'number' || !Number.isInteger(value)) return this.#wrongType(value, path, 'an integer');
    if (value > max) return this.#tooLarge(value, max);
    return value >= min ? value : this.#addShapeError(`${value} must be greater than or equal to ${min}.`);
  }

  /** `maxLength` is in characters. */
  string(value: unknown, path: DocumentPath, maxLength: number): string | undefined {
    if (typeof value !== 'string') return this.#wrongType(value, path, 'a string');
    if (!isStorableText(value)) return this.#wrongType(value, path, 'a text that can be stored');
    if (value.length <= maxLength) return value;
    return this.#addShapeError(`For '${formatPath(path)}', the text must have at most ${maxLength} characters.`);
  }

  strings(
    value: unknown,
    path: DocumentPath,
    { maxItems, maxLength }: { maxItems: number; maxLength: number },
  ): string[] | undefined {
    const items = this.array(value, path, maxItems)?.map((item, index) =>
      this.string(item, [...path, index], maxLength),
    );
    return items?.every(item => item !== undefined) ? (items as string[]) : undefined;
  }

  choice<Value extends string>(value: unknown, path: DocumentPath, choices: readonly Value[]): Value | undefined {
    if (typeof value !== 'string') return this.#wrongType(value, path, 'a string');
    const found = choices.find(one => one === value);
    return (
      found ??
      this.#addShapeError(
        `${formatValue(value)} is not a member of ${JSON.stringify(choices).replaceAll('","', '", "')}.`,
      )
    );
  }

  #wrongType(value: unknown, path: DocumentPath, expected: string): undefined {
    return this.#addShapeError(`For '${formatPath(path)}', ${formatValue(value)} is not ${expected}.`);
  }

  #tooLarge(value: number, max: number): undefined {
    return this.#addShapeError(`${value} must be less than or equal to ${max}.`);
  }

  #addShapeError(message: string): undefined {
    if (this.#shapeErrors.length < maxReported) this.#shapeErrors.push(message);
    return undefined;
  }
}

function formatPath(path: DocumentPath): string {
  return path.map(step => (typeof step === 'number' ? 'items' : `properties/${step}`)).join('/');
}

/** Formats an invalid value for an error message, truncated to 200 characters. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return (text.length > 200 ? `${text.slice(0, 200)}…` : text).toWellFormed().replace(/\p{Cc}/gu, ' ');
}
