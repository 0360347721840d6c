const whole = new Set([
  'morning',
  'evening',
  'during',
  'nothing',
  'something',
  'anything',
  'everything',
  'string',
  'spring',
  'wedding',
  'ceiling',
  'indeed',
  'bleed',
  'speed',
  'hundred',
  'water',
  'daily',
  'early',
  'family',
  'belly',
  'baby',
  'body',
  'only',
  'bite',
  'tickly',
  'bony',
  'runny',
  'runs',
  'scared',
  'spotting',
  'monthly',
  'limping',
  'limped',
  'winded',
  'chesty',
  'rattly',
  'heavy',
  'trouser',
  'nappy',
  'nape',
  'skinny',
  'crook',
  'wedge',
  'stone',
  'pasty',
  'pasta',
  'tiny',
]);
/** Shortest stem: «ring» and «bed» stay. */
const minStem = 3;
const endings = ['iness', 'ness', 'ingly', 'edly', 'ing', 'ed', 'ly', 'y', 'e'] as const;

/**
 * The family of a word: «burn», «burns», «burning» and «burned» are one, and so are «itch», «itchy» and «itchiness». Rougher than
 * `stem`, so that only frames use it, which need several words. Irregular forms are listed in the classes.
 */
export function familyOf(word: string): string {
  if (whole.has(word) || !/^[a-z]+$/.test(word)) return word;
  for (const ending of endings) {
    const stem = word.slice(0, -ending.length);
    if (!word.endsWith(ending) || stem.length < minStem || !/[aeiouy]/.test(stem)) continue;
    if (ending === 'ed' && stem.endsWith('e')) continue;
    const single = /([bdfgklmnprstz])\1$/.test(stem) ? stem.slice(0, -1) : stem;
    return ending === 'e' || ending === 'y' ? single : single.replace(/[ei]$/, '');
  }
  return /([bdfgklmnprtz])\1$/.test(word) ? word.slice(0, -1) : word;
}
