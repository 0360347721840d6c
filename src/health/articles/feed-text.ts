import { normalizeText } from 'triage/text/normalize-text';

// ICU does not know abbreviations either, but it knows the sentence terminators of every script.
const sentenceSegmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const graphemeSegmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Truncates `text` to `limit` UTF-16 units including an ellipsis, at a space when there is one near the end, else at a
 * grapheme boundary, so that no surrogate pair or accented letter is split.
 */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const room = maxLength - 1;
  const space = text.slice(0, room + 1).search(/\s\S*$/);
  const end = space > room / 2 ? space : lastCharacterBoundary(text, room);
  return `${text.slice(0, end).replace(/(?<![\s,;:–—-])[\s,;:–—-]+$/u, '')}…`;
}

function lastCharacterBoundary(text: string, at: number): number {
  // 64 units are longer than any grapheme cluster; a family emoji with skin tones has about 25.
  const from = Math.max(0, at - 64);
  let end = from;
  for (const { index, segment } of graphemeSegmenter.segment(text.slice(from, at + 64))) {
    if (from + index + segment.length > at) break;
    end = from + index + segment.length;
  }
  return end > from ? end : at;
}

/** The leading whole sentences of `text` within `limit` units; a longer first sentence is truncated. */
export function firstSentences(text: string, limit: number): string {
  let end = 0;
  for (const { index, segment } of sentenceSegmenter.segment(text.slice(0, limit * 2))) {
    if (index + segment.trimEnd().length > limit) break;
    end = index + segment.length;
  }
  return end > 0 ? text.slice(0, end).trimEnd() : truncate(text, limit);
}

/**
 * URL slug of a category: `Women's Health & Diet` → `womens-health-diet`. Keeps letters of every script and strips
 * accents of Latin letters; '' when the name has no letter or digit.
 */
export function categorySlug(name: string): string {
  const words = normalizeText(name, 'NFKD')
    .replace(/\p{Script=Latin}\p{M}+/gu, letter => letter.charAt(0))
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-/, '');
  return [...words].slice(0, 100).join('').replace(/-$/, '');
}
