/** Maximum characters buffered without a sentence end. */
const maxSentenceLength = 1_000;

/**
 * Splits streamed text into sentences, each with its trailing white space; concatenated they are the text. An
 * abbreviation may split a sentence, which only affects what is filtered together.
 */
export async function* splitSentences(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = '';
  for await (const piece of pieces) {
    waiting += piece;
    for (;;) {
      // Waits for the next non-space character, because more white space may follow.
      // recheck-ignore: at most 1,000 characters wait, and one piece of the model's stream
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
