/**
 * Whether PostgreSQL stores a text as it is: it refuses NUL, and an unpaired surrogate would be sent as U+FFFD, which another row may
 * have.
 */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
