import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares texts in a time that does not depend on where they differ. Their digests have the same length, as `timingSafeEqual` needs. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
