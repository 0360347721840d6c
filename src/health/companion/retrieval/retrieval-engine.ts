import type { Asked, ChatEngine, Listener, Passage, Reply } from '../engine.ts';

const mostBullets = 3;

/** Characters of one bullet. */
const longestBullet = 320;

const nothing =
  'I have no article on this, so I cannot tell you anything reliable about it. Try other words, or ask a doctor, nurse or pharmacist.';

/** Answers with what the articles say, word for word, and with nothing else: no model, no network, nothing made up. */
export const retrievalEngine: ChatEngine = {
  async reply({ passages }: Asked, { tell }: Listener): Promise<Reply> {
    const pieces = passages.length === 0 ? [nothing] : quoting(passages);
    for (const piece of pieces) tell(piece);
    const cited = passages.slice(0, mostBullets);
    return { text: pieces.join(''), sources: cited, engine: 'retrieval' };
  },
};

/** Opening, bullets, list of sources: concatenated they are the answer. */
function quoting(passages: readonly Passage[]): string[] {
  const quotes = quotesOf(passages.slice(0, mostBullets));
  return [
    'This is what our articles say:\n\n',
    ...quotes.map(({ text, number }) => `- ${text} [${number}]\n`),
    `\n${sourceList(passages.slice(0, mostBullets))}`,
  ];
}

/** One of each article, and more of the best one where few articles fit. */
function quotesOf(passages: readonly Passage[]): { text: string; number: number }[] {
  const first = passages.flatMap(({ paragraphs }, at) =>
    paragraphs.slice(0, 1).map(text => ({ text, number: at + 1 })),
  );
  const more = passages.flatMap(({ paragraphs }, at) => paragraphs.slice(1).map(text => ({ text, number: at + 1 })));
  return [...first, ...more]
    .slice(0, mostBullets)
    .map(({ text, number }) => ({ text: shortened(text, longestBullet), number }))
    .sort((a, b) => a.number - b.number);
}

/** `[1] Headline (publisher)`, one a line. */
export function sourceList(sources: readonly Passage[]): string {
  return sources.map(({ headline, source }, at) => `[${at + 1}] ${headline} (${source})`).join('\n');
}

/** Whole sentences of the beginning, as far as they fit; of a first sentence that does not, as many words. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most);
  const end = /^.*[.!?](?=\s)/s.exec(start)?.[0] ?? '';
  if (end.length >= most / 4) return end;
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), most / 2))} …`;
}
