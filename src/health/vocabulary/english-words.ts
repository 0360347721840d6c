import { LazyTable } from 'triage/text/lazy-table';

/** Base forms of English words, in lower case. */
let loading: Promise<ReadonlySet<string>> | undefined;

/** The dictionary, read when a word is first looked up: 4 MB that a gateway without searches does not need. */
async function load(): Promise<ReadonlySet<string>> {
  const { default: dictionary } = await import('dictionary-en');
  const lines = Buffer.from(dictionary.dic).toString('utf8').split('\n');
  return new LazyTable<ReadonlySet<string>>(function* () {
    const words = new Set<string>();
    for (const [at, line] of lines.entries()) {
      words.add((line.split('/', 1)[0] ?? '').trim().toLowerCase());
      if (at % readTogether === 0) yield;
    }
    return words;
  }).load();
}

/** Lines of one piece of work. */
const readTogether = 500;

/** Regular endings of English words, and what the base form ends in. */
const endings: readonly [RegExp, readonly string[]][] = [
  [/ies$/, ['y', 'ie']],
  [/es$/, ['', 'e']],
  [/s$/, ['']],
  [/ied$/, ['y']],
  [/(?:ed|er|est|ing|able)$/, ['', 'e']],
  [/ly$/, ['']],
  [/ily$/, ['y']],
  [/y$/, ['', 'e']],
];

/** British spellings that the dictionary, which is American, has in another form. */
const respelt: readonly [RegExp, string][] = [
  [/our/, 'or'],
  [/is(e|ed|es|ing|ation)$/, 'iz$1'],
  [/ys(e|ed|es|ing)$/, 'yz$1'],
  [/([bt])re$/, '$1er'],
  [/[ao]e/, 'e'],
  [/ll(ed|ing|er)$/, 'l$1'],
];

/**
 * Words that English has: such a word is not misspelt, whether articles have it or not. Without it «sorry» was read as «worry» and
 * «coke» as «choke». Only the words of `dictionary-en` and not its affix rules, which need a spelling checker of their own: a form
 * that is taken for English by mistake is only not corrected.
 */
export async function englishWords(): Promise<{ has(word: string): boolean }> {
  loading ??= load();
  const words = await loading;
  const isBase = (word: string): boolean =>
    words.has(word) || respelt.some(([from, to]) => words.has(word.replace(from, to)));
  const bases = (word: string): string[] =>
    endings.flatMap(([ending, replacements]) => {
      if (!ending.test(word)) return [];
      const start = word.replace(ending, '');
      // «stopped»: the last letter is doubled.
      const undoubled = /([bdfgklmnprt])\1$/.test(start) ? [start.slice(0, -1)] : [];
      return [...replacements.map(one => start + one), ...undoubled].filter(one => one.length > 2);
    });
  return { has: word => isBase(word) || bases(word).some(isBase) };
}
