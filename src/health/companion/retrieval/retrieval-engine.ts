import type { AnswerSink, CompanionEngine, EngineInput, Passage, Reply } from '../engine.ts';
import { textsIn } from '../safety/texts.ts';

const maxBullets = 3;

/** Maximum characters of a bullet. */
const maxBulletLength = 320;

/** Engine that quotes articles verbatim, without a model or network. */
export const retrievalEngine: CompanionEngine = {
  async reply({ passages, language }: EngineInput, { write }: AnswerSink): Promise<Reply> {
    const texts = textsIn(language);
    const pieces = passages.length === 0 ? [texts.noArticle] : [`${texts.quotes}\n\n`, ...quotePassages(passages)];
    for (const piece of pieces) write(piece);
    const cited = passages.slice(0, maxBullets);
    return { text: pieces.join(''), sources: cited, engine: 'retrieval' };
  },
};

/** Bullets and list of sources; their concatenation is the answer. */
function quotePassages(passages: readonly Passage[]): string[] {
  const quotes = selectQuotes(passages.slice(0, maxBullets));
  return [
    ...quotes.map(({ text, number }) => `- ${text} [${number}]\n`),
    `\n${formatSources(passages.slice(0, maxBullets))}`,
  ];
}

/** One quote per article, then further ones of the best articles, up to `maxBullets`. */
function selectQuotes(passages: readonly Passage[]): { text: string; number: number }[] {
  const first = passages.flatMap(({ paragraphs }, at) =>
    paragraphs.slice(0, 1).map(text => ({ text, number: at + 1 })),
  );
  const more = passages.flatMap(({ paragraphs }, at) => paragraphs.slice(1).map(text => ({ text, number: at + 1 })));
  return [...first, ...more]
    .slice(0, maxBullets)
    .map(({ text, number }) => ({ text: truncateToSentences(text, maxBulletLength), number }))
    .sort((a, b) => a.number - b.number);
}

/** Lines of the form `[1] Headline (publisher)`. */
export function formatSources(sources: readonly Passage[]): string {
  return sources.map(({ headline, source }, at) => `[${at + 1}] ${headline} (${source})`).join('\n');
}

/** Truncates at the end of a sentence, or at a word when the first sentence is too long. */
export function truncateToSentences(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const start = text.slice(0, maxLength);
  const end = /^.*[.!?](?=\s)/s.exec(start)?.[0] ?? '';
  if (end.length >= maxLength / 4) return end;
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), maxLength / 2))} …`;
}
