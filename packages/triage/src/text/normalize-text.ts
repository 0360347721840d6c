/**
 * Characters that compatibility normalization replaces by more than three times their length: Greek letters with several marks, numbers and
 * months in one character, Japanese units, and Arabic phrases, of which U+FDFA becomes 18 characters (Unicode 16).
 */
const expanding =
  /[\u1f82-\u1f87\u1f8a-\u1f8f\u1f92-\u1f97\u1f9a-\u1f9f\u1fa2-\u1fa7\u1faa-\u1faf\u2057\u2152\u2167\u2177\u247d-\u2487\u2a0c\u320e-\u321e\u327c\u327d\u3300-\u3357\u337f\u3389\u33a8\u33ae\u33af\u33c2\u33c6\u33d8\ufdf2-\ufdfc]/g;

/** Growth up to which a text keeps these characters: Korean and Vietnamese grow threefold in NFKD, and a quotation has some of them. */
const maxGrowth = { factor: 3, characters: 200 } as const;

/**
 * More combining marks in a row than the Stream-Safe Text Format of UAX #15 has, of which no language writes more than some five.
 * Normalization sorts a run in quadratic time: 8,000 marks took 330 ms.
 */
const surplusMarks = /(\p{M}{30})\p{M}+/gu;

/**
 * A text in compatibility form, with at most 30 combining marks in a row, of at most three times its length and 200 characters. In a text that would become longer, the characters
 * that grow most count as blanks: 2,000 times U+FDFA are 36,000 characters, on which every later step would spend 18 times the work.
 */
export function normalizeText(text: string, form: 'NFKC' | 'NFKD'): string {
  const bounded = text.replace(surplusMarks, '$1');
  const whole = bounded.normalize(form);
  const isLong = whole.length > maxGrowth.factor * bounded.length + maxGrowth.characters;
  return isLong ? bounded.replace(expanding, ' ').normalize(form) : whole;
}
