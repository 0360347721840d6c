// ICU knows abbreviations no better than we do, but it knows the full stops of every script.
const sentenceSegmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const graphemeSegmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * `text`, or as much of it as fits `limit` UTF-16 units with an ellipsis at the end. Cut between words; a text
 * without spaces near the end (Chinese, an address) is cut between characters as people see them, so neither a
 * surrogate pair nor a letter with its accent is split.
 */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const room = maxLength - 1;
  const space = text.slice(0, room + 1).search(/\s\S*$/);
  const end = space > room / 2 ? space : lastCharacterBoundary(text, room);
  return `${text.slice(0, end).replace(/[\s,;:–—-]+$/u, '')}…`;
}

function lastCharacterBoundary(text: string, at: number): number {
  // 64 units back is further than any character reaches, a family emoji with skin tones (about 25) included.
  const from = Math.max(0, at - 64);
  let end = from;
  for (const { index, segment } of graphemeSegmenter.segment(text.slice(from, at + 64))) {
    if (from + index + segment.length > at) break;
    end = from + index + segment.length;
  }
  return end > from ? end : at;
}

/** The whole sentences that start `text`, at most `limit` units of them; the first one cut when it alone is longer. */
export function firstSentences(text: string, limit: number): string {
  let end = 0;
  for (const { index, segment } of sentenceSegmenter.segment(text.slice(0, limit * 2))) {
    if (index + segment.trimEnd().length > limit) break;
    end = index + segment.length;
  }
  return end > 0 ? text.slice(0, end).trimEnd() : truncate(text, limit);
}

/**
 * A name as one word for addresses: `Women's Health & Diet` → `womens-health-diet`. Letters of every script stay,
 * accents of Latin ones go; '' when no letter or digit is in the name.
 */
export function categorySlug(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{Script=Latin}\p{M}+/gu, letter => letter.charAt(0))
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-/, '');
  return [...words].slice(0, 100).join('').replace(/-$/, '');
}
