import type { ValueLimits } from '../../../schema/vocabulary/limits.ts';

/** Limits of a text; blank ones are taken unless `minLength` is given. */
export type TextLimits = ValueLimits & { maxLength: number };

/** Limits of a list of texts. */
export type TextListLimits = ValueLimits & { maxItems: number; items: TextLimits };

/** Limits of a text that has something else than white space. */
export const filledText = (maxLength: number, minLength = 1): TextLimits => ({ minLength, maxLength, pattern: '\\S' });

/** Limits of a list of texts, none of them blank. */
export const filledTexts = (maxItems: number, maxLength: number): TextListLimits => ({
  maxItems,
  items: filledText(maxLength),
});
