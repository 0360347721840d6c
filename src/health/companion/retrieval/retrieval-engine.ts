import { textsIn } from '../../safety/texts.ts';
import type { AnswerSink, CompanionEngine, EngineInput, Passage, Reply } from '../engine.ts';

/** Quotations of an answer, and articles that they are from. */
const maxQuotes = 3;
const maxArticles = 2;

/** Maximum characters of a quotation: sections of ordinary articles are shorter, so that lists keep their items. */
const maxQuoteLength = 900;

/** Engine that quotes articles verbatim, without a model or network. */
export const retrievalEngine: CompanionEngine = {
  async reply({ passages, language, isInEnglish = false }: EngineInput, { write }: AnswerSink): Promise<Reply> {
    const texts = textsIn(language);
    const cited = passages.filter(({ isQuoted = true }, at) => at === 0 || isQuoted).slice(0, maxArticles);
    const quotes = isInEnglish ? texts.quotesInEnglish : texts.quotes;
    const pieces = cited.length === 0 ? [texts.noArticle] : [`${quotes}\n\n`, ...quotePassages(cited)];
    for (const piece of pieces) write(piece);
    return { text: pieces.join(''), sources: cited, engine: 'retrieval' };
  },
};

/** Bullets and list of sources; their concatenation is the answer. */
const quotePassages = (passages: readonly Passage[]): string[] => [
  ...selectQuotes(passages).map(({ text, number }) => `- ${text} [${number}]\n`),
  `\n${formatSources(passages)}`,
];

/** The best section of each article, further ones of the first, and when to see a doctor, as the first says it. */
function selectQuotes(passages: readonly Passage[]): { text: string; number: number }[] {
  const best = passages.flatMap(({ paragraphs }, at) => paragraphs.slice(0, 1).map(text => ({ text, number: at + 1 })));
  const [first] = passages;
  const warning = first?.warning === undefined ? [] : [{ text: first.warning, number: 1 }];
  const more = (first?.paragraphs ?? []).slice(1).map(text => ({ text, number: 1 }));
  const told = [...best, ...more].slice(0, maxQuotes - warning.length).sort((a, b) => a.number - b.number);
  return [...told, ...warning].map(({ text, number }) => ({
    text: truncateToSentences(text, maxQuoteLength),
    number,
  }));
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
