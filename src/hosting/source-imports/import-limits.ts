import type { TextLimits } from '../text-problems.ts';

/** Limits of the texts of a source import. */
export const importLimits = {
  url: { maxLength: 2_048 },
  credential: { maxLength: 1_000 },
  project: { maxLength: 255 },
  author: { maxLength: 255 },
} as const satisfies Record<string, TextLimits>;
