/** The longest stretch without an end that is waited for, in characters. */
const maxSentenceLength = 1_000;

/**
 * Cuts a text that arrives in pieces into sentences, each with the white space that follows it: put together again they are
 * the text. An abbreviation may cut a sentence in two; nothing hangs on where exactly the cut is but what is judged together.
 */
export async function* splitSentences(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = '';
  for await (const piece of pieces) {
    waiting += piece;
    for (;;) {
      // White space alone does not end a sentence that more white space may still follow.
      const found = /^[\s\S]*?(?:[.!?…]["'”’)\]]*(?:\s*\[\d+\])*\s+(?=\S)|\n+(?=\S))/.exec(waiting)?.[0];
      const whole = found !== undefined && found.length <= maxSentenceLength;
      const sentence = whole
        ? found
        : waiting.length > maxSentenceLength
          ? waiting.slice(0, maxSentenceLength)
          : undefined;
      if (sentence === undefined) break;
      waiting = waiting.slice(sentence.length);
      yield sentence;
    }
  }
  if (waiting !== '') yield waiting;
}
