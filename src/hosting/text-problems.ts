import { isStorableText } from '../db/storable-text.ts';
import type { ValidationEntry } from '../errors/errors.ts';

/** Maximum characters of texts that lists, feeds and payloads repeat. */
export const maxTextLength = { line: 255, address: 1_000, description: 1_000 } as const;

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
    if (text.length <= maxLength) return [];
    return [{ resource, field, code: 'custom', message: `${field} is too long (maximum is ${maxLength} characters)` }];
  });
}
