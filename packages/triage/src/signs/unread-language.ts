import type { Token } from './fold-text.ts';

/** Languages that the tables do not have, by a script that no language of the tables has. */
const scripts: readonly [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Bengali}/u, 'bn'],
  [/\p{Script=Tamil}/u, 'ta'],
  [/\p{Script=Telugu}/u, 'te'],
  [/\p{Script=Gujarati}/u, 'gu'],
  [/\p{Script=Gurmukhi}/u, 'pa'],
  [/\p{Script=Malayalam}/u, 'ml'],
  [/\p{Script=Kannada}/u, 'kn'],
  [/\p{Script=Sinhala}/u, 'si'],
  [/\p{Script=Armenian}/u, 'hy'],
  [/\p{Script=Georgian}/u, 'ka'],
  [/\p{Script=Ethiopic}/u, 'am'],
  [/\p{Script=Khmer}/u, 'km'],
  [/\p{Script=Lao}/u, 'lo'],
  [/\p{Script=Myanmar}/u, 'my'],
];

/** The same by letters within a script of the tables: those of Ukrainian that Russian lacks, of Urdu and Persian that Arabic lacks, and so on. */
const letters: readonly [RegExp, string][] = [
  [/[ґєії]/iu, 'uk'],
  [/[ٹڈڑےںہ]/u, 'ur'],
  [/[پچژگکی]/u, 'fa'],
  [/[ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/iu, 'vi'],
  [/[őű]/iu, 'hu'],
  [/[ąęłńśźż]/iu, 'pl'],
  [/[ěřů]/iu, 'cs'],
  [/[șț]/iu, 'ro'],
];

/** Frequent short words of languages in Latin letters that the tables do not have, and that are rare in those they have. */
const frequent: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'nl',
    'ik het een niet mijn heb ben van dat wat hoe kan naar ook maar voor veel pijn zijn wil wordt hebt aan deze geen hij zij waarom hoofdpijn sinds dagen'.split(
      ' ',
    ),
  ],
  [
    'sv',
    'jag och att inte ar har det min mitt vad hur ont kan med mycket nar blir vill mig for pa ett varfor sedan dagar'.split(
      ' ',
    ),
  ],
  [
    'no',
    'jeg og ikke har det min mitt hva hvordan vondt kan med veldig nar blir vil er meg pa mye hvorfor siden dager av'.split(
      ' ',
    ),
  ],
  [
    'da',
    'jeg og ikke har det min mit hvad hvordan ondt kan med meget nar bliver vil er mig pa hvorfor siden dage af'.split(
      ' ',
    ),
  ],
  [
    'fi',
    'mina olen ei en on minun mita miten kipea kipu mutta ja etta kun voin minulla voi mika paansarky miksi sattuu kolme paivaa onko lapsella'.split(
      ' ',
    ),
  ],
  [
    'pl',
    'nie mam jest sie mnie moj moja jak boli czy co bardzo chce moge od dla przez juz mi bol głowy dni dlaczego zeby jestem mojego'.split(
      ' ',
    ),
  ],
  [
    'cs',
    'jsem mam neni muj moje jak boli co velmi chci muzu ale kdyz proc ze dny me uz bolest hlavy dite ma'.split(' '),
  ],
  [
    'ro',
    'nu am este sunt meu mea cum doare ce foarte vreau pot dar pentru si ma zile durere copilul de cap'.split(' '),
  ],
  [
    'hu',
    'nem van egy az faj hogyan mi nagyon akarok tudok de mert vagyok es hogy nekem miert napja fejem gyerek mit vagy'.split(
      ' ',
    ),
  ],
  [
    'id',
    'saya tidak sakit yang dan di ini itu apa bagaimana bisa sangat mau anak untuk dengan hari kepala sudah kenapa'.split(
      ' ',
    ),
  ],
  ['vi', 'toi khong dau la bi va cua con rat muon co the lam đau cho benh ngay tai sao'.split(' ')],
  ['tl', 'ako ang ng hindi ko masakit sa mga ano paano gusto anak po sakit ulo araw may bakit'.split(' ')],
  ['sw', 'mimi sina nina maumivu na ya kwa nini jinsi sana mtoto wangu yangu siku kichwa kuna homa'.split(' ')],
  ['so', 'waan ma aan xanuun iyo waxaan sidee aad ilmahayga'.split(' ')],
  ['sk', 'som mam co ako ze boli moj moja dni preco ma bolest hlavy dieta nie je sa'.split(' ')],
  ['hr', 'imam boli nije sam sto kako moj moja dana zasto vec glava dijete je li'.split(' ')],
]);

/** Frequent words of the languages that are read: a text with as many of them is in none of the others. */
const readWords: ReadonlySet<string> = new Set(
  `the and is my of to in it have has with for that this what how are was am el la los de que y en un una mi me con para por es no se
les des du je et est une mon ma pas dans avec pour qui der die das und ich ist nicht mein meine ein eine mit zu wie was den o os um uma
meu minha nao com il lo gli di che e ho mio mia non per bir ve bu cok ne icin ben hai mein ko ka ki nahi kya`.split(
    /\s+/,
  ),
);

/** Characters and words that are looked at. */
const read = { characters: 8_000, words: 200 } as const;
/** Least share of a script of the letters, and least number of letters that a script of the tables lacks: one may be of a name. */
const least = { scriptShare: 0.2, letters: 2, words: 2, wordShare: 0.3 } as const;

/** The code of a language that the tables do not have, when the text is in one; undefined otherwise, and where nothing tells. */
export function unreadLanguage(text: string, tokens: readonly Token[]): string | undefined {
  const bounded = text.slice(0, read.characters);
  const written = bounded.match(/\p{L}/gu) ?? [];
  const countOf = (pattern: RegExp): number =>
    pattern.test(bounded) ? written.filter(letter => pattern.test(letter)).length : 0;
  const script = scripts.find(([pattern]) => countOf(pattern) > least.scriptShare * written.length);
  if (script !== undefined) return script[1];
  return letters.find(([pattern]) => countOf(pattern) >= least.letters)?.[1] ?? byFrequentWords(tokens);
}

/** Counts distinct words: «het» alone may be a name. */
function byFrequentWords(tokens: readonly Token[]): string | undefined {
  const words = new Set(tokens.slice(0, read.words).map(one => one.text));
  let best: string | undefined;
  let most = 0;
  for (const [code, list] of frequent) {
    const count = list.filter(word => words.has(word)).length;
    if (count > most) [best, most] = [code, count];
  }
  if (most < least.words || most < least.wordShare * words.size) return undefined;
  return most > [...words].filter(word => readWords.has(word)).length ? best : undefined;
}
