import type { ValueLimits } from '../../schema/vocabulary/limits.ts';
import { isStorableText } from '../db/storable-text.ts';
import type { ValidationEntry } from '../errors/errors.ts';

/** Limits of a text, which are published with the field that takes it. */
export type TextLimits = ValueLimits & { maxLength: number };

/** Limits of a list. */
export type ListLimits = ValueLimits & { maxItems: number };

/** Limits of a number. */
export type RangeLimits = ValueLimits & { minimum: number; maximum: number };

/** Limits of texts that lists, feeds and payloads repeat. */
export const lineLimits = {
  line: { maxLength: 255 },
  address: { maxLength: 1_000 },
  description: { maxLength: 1_000 },
} as const satisfies Record<string, TextLimits>;

/** Maximum characters of these texts. */
export const maxTextLength = {
  line: lineLimits.line.maxLength,
  address: lineLimits.address.maxLength,
  description: lineLimits.description.maxLength,
} as const;

/** Whether a text has more code points than `maxLength`, which JSON Schema counts as well. A code point has two UTF-16 units at most. */
export function isTooLong(text: string, maxLength: number): boolean {
  return text.length > maxLength && (text.length > 2 * maxLength || [...text].length > maxLength);
}

/**
 * Validates texts: storable in PostgreSQL and not too long. A feed of 300 events repeats a repository's description 300
 * times.
 */
export function textProblems(
  resource: string,
  texts: Readonly<Record<string, readonly [text: string | null | undefined, maxLength: number]>>,
): ValidationEntry[] {
  return Object.entries(texts).flatMap(([field, [text, maxLength]]): ValidationEntry[] => {
    if (text == null) return [];
    if (!isStorableText(text)) return [{ resource, field, code: 'invalid' }];
    if (!isTooLong(text, maxLength)) return [];
    return [{ resource, field, code: 'custom', message: `${field} is too long (maximum is ${maxLength} characters)` }];
  });
}
