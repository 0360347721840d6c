/** One word of a folded text; in Chinese one character. */
export interface Token {
  text: string;
  /** Number of its sentence. */
  sentence: number;
  /** Number of its part between commas. */
  clause: number;
}

/**
 * Letters that Unicode does not decompose or that people write for one another: the dotless i of Turkish, forms of Arabic
 * letters, traditional characters of the words that the tables use.
 */
const letters = new Map(
  Object.entries({ ı: 'i', ß: 'ss', œ: 'oe', æ: 'ae', ø: 'o' })
    .concat([...'أإآٱ'].map(letter => [letter, 'ا']))
    .concat([
      ['ى', 'ي'],
      ['ی', 'ي'],
      ['ئ', 'ي'],
      ['ک', 'ك'],
      ['ة', 'ه'],
      ['ؤ', 'و'],
      ['ँ', 'ं'],
    ])
    .concat(
      [
        ...'說说殺杀護护藥药斷断氣气嗎吗個个為为沒没無无過过還还這这裡里來来對对會会時时開开關关頭头腦脑臉脸發发燒烧難难緊紧嚴严'
          .concat('重重傷伤害害離离媽妈爺爷奶奶兒儿孫孙寶宝讓让從从總总樓楼橋桥繩绳遺遗書书後后麼么樣样點点腫肿脹胀')
          .concat('壓压劑剂誤误飲饮農农煙烟電电擊击餵喂嬰婴產产懷怀動动麻麻癱瘫癇痫風风頸颈膚肤癢痒體体溫温')
          .concat('噁恶嘔呕瀉泻歪歪喪丧殘残槍枪報报復复仇仇強强姦奸騷骚擾扰鎖锁門门錢钱裏里給给終终結结東东'),
      ].reduce<[string, string][]>((pairs, letter, at, all) => {
        if (at % 2 === 0) pairs.push([letter, all[at + 1] ?? letter]);
        return pairs;
      }, []),
    )
    .concat(
      [
        ...'媽妈爸爸婦妇鄰邻網网聽听話话請请問问誰谁幫帮該该辦办掙挣殼壳顆颗粒粒瓶瓶買买準准備备見见愛爱壞坏亂乱僵僵變变',
      ].reduce<[string, string][]>((pairs, letter, at, all) => {
        if (at % 2 === 0) pairs.push([letter, all[at + 1] ?? letter]);
        return pairs;
      }, []),
    )
    .concat(
      [...'٠١٢٣٤٥٦٧٨٩'].map((digit, at) => [digit, String(at)]),
      [...'०१२३४५६७८९'].map((digit, at) => [digit, String(at)]),
    ),
);

/** Accents of alphabets; the vowel signs of Devanagari are marks as well and stay. */
const accents = /[\u0300-\u036f]/g;
/** Vowel signs of Arabic and the tatweel, the nukta of Hindi, joiners, directions and soft hyphens. */
const decoration = /[\u064b-\u065f\u0670\u0640\u093c\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** «Don't» is one word, which many write without its apostrophe; «l'ambulance» is two. */
const contraction = /(\p{L})['’‘ʼ`´](t|s|ll|re|ve|d|m)(?!\p{L})/gu;
const wordPattern = /\p{Script=Han}|[\p{L}\p{M}\p{N}]+|[.!?;,:\n\r。、؟।،؛…]+/gu;

/**
 * Splits a text into words without case, accents and other variants of writing. A Chinese character is a word of its own:
 * a segmenter splits a phrase differently according to what stands around it, and its dictionary changes with the version
 * of ICU, while a sequence of characters always matches.
 */
export function foldText(text: string): Token[] {
  const tokens: Token[] = [];
  let sentence = 0;
  let clause = 0;
  const plain = text.normalize('NFKC').toLowerCase().replace(decoration, '').normalize('NFD').replace(accents, '');
  const composed = plain.replace(decoration, '').normalize('NFC').replace(contraction, '$1$2');
  for (const [found] of composed.matchAll(wordPattern)) {
    if (!/[\p{L}\p{N}]/u.test(found)) {
      clause++;
      if (/[^,:、،]/.test(found)) sentence++;
      continue;
    }
    for (const word of splitHan([...found].map(letter => letters.get(letter) ?? letter).join('')))
      tokens.push({ text: word, sentence, clause });
  }
  return tokens;
}

/** A run of letters may hold characters beside Latin letters or digits: «39度». */
function splitHan(word: string): string[] {
  return word.match(/\p{Script=Han}|[^\p{Script=Han}]+/gu) ?? [];
}
