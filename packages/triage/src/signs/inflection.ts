/**
 * Endings of words by language, folded as `foldText` does, shortest first. They are those of verbs, nouns and adjectives that people write about themselves; what stands
 * before the ending of two words of one family is equal: «tragué», «tragar». Chinese has none.
 */
const endings: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    en: 's es ed d ing in',
    es: 'o a e i as es is an en os amos emos imos aste iste io aron ieron aba aban ia ian ando iendo ado ada ados adas ido ida idos idas ar er ir arme erme irme arse erse irse s',
    fr: 'e s es ent er ez ee ees ait ais aient a ant ons is it ir i ie ies u ue us ues re era erai',
    de: 'e en er es em t te ten tet st n s end',
    pt: 'o a e i as es is am em os ou ei iu amos emos imos aram eram iram ava avam ia iam ando endo indo ado ada ados adas ido ida idos idas ar er ir s',
    it: 'o a e i iamo ate ete ite ano ono ava avo avano eva evo iva are ere ire arsi ersi irsi armi ermi irmi ato ata ati ito ita iti uto uta uti ando endo ai ei arono',
    ru: 'а я ы и у ю е о й ь ом ем ой ей ам ями ами ах ях ов ев ал ала али ало ил ила или ило ел ела ели ит ет ут ют ат ят ть ти ешь ишь ете ите им л ла ло ли лся лась лись ся тся ется ится ый ий ая яя ое ее ые ие ого его ому ему ую юю ым ых их',
    tr: 'i u a e m im um n in un si su mi mu lar ler lari leri larim lerim da de ta te dan den tan ten ya ye yi yu na ne ni nu di du ti tu dim dum tim tum dik duk iyor uyor iyorum uyorum iyordu uyordu mis mus misim musum mak mek ar er ir ur',
    ar: 'ي ك ه ها نا كم هم ت وا و ين ون ات ان تي ني',
    hi: 'ा ी े ो ें ों ियां ियाँ ियों ता ती ते ना नी ने a i e o en on iya iyan iyaan ta ti te na ni ne',
  }).map(([code, list]) => [code, list.split(' ').sort((one, other) => one.length - other.length)]),
);

/** Shortest beginning that two words of one family share. With three letters «cola» were of the family of «colo». */
const minBaseLength = 4;

/** What is left of a word without its ending, in each way that the language allows; the word itself as well where it is long enough. */
export function basesOf(word: string, code: string): string[] {
  const bases = [
    word,
    ...(endings[code] ?? []).flatMap(ending => (word.endsWith(ending) ? [word.slice(0, -ending.length)] : [])),
  ];
  return [...new Set(bases.filter(({ length }) => length >= minBaseLength))];
}
