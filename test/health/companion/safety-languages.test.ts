import { describe, expect, test } from '@jest/globals';
import { findDanger } from 'triage';
import { classifyMessage } from 'triage/signs/classify-message';
import { languages } from 'triage/signs/language-tables';
import { crisisResources } from '../../../src/health/safety/crisis-resources.ts';
import { buildCrisisText, buildUrgentText, withoutDisclaimer } from '../../../src/health/safety/fixed-texts.ts';
import { allTexts } from '../../../src/health/safety/texts.ts';

/** By language: crises, emergencies, harmless. Written beside the tables, unlike the sets of `bench/sets`. */
const messages: Record<string, [string[], string[], string[]]> = {
  es: [
    ['quiero morir', 'no quiero vivir mas', 'mi marido me pega', 'CÓMO PUEDO SUICIDARME'],
    ['me duele el pecho y me cuesta respirar', 'mi hijo se tragó una pila'],
    ['me muero de sueño', 'no pienso en suicidarme', 'no tengo dolor de pecho', 'qué es un infarto'],
  ],
  fr: [
    ['je veux mourir', 'j’ai plus envie de vivre', 'il me frappe', 'je pense au suicide'],
    ['il ne respire plus', 'mon bébé de 3 semaines a 39 de fièvre'],
    ['je suis morte de faim', 'je ne pense pas à me tuer', 'pas de douleur dans la poitrine'],
  ],
  de: [
    ['ich will nicht mehr leben', 'Ich möchte sterben', 'er schlaegt mich', 'ich will mich umbringen'],
    ['meine Mutter ist bewusstlos', 'ich kriege keine Luft'],
    ['ich lach mich tot', 'ich denke nicht daran, mich umzubringen', 'keine Schmerzen in der Brust'],
  ],
  pt: [
    ['quero morrer', 'não quero mais viver', 'meu namorado me bateu'],
    ['ela desmaiou e não acorda', 'meu filho bebeu água sanitária'],
    ['estou morrendo de fome', 'não penso em me matar', 'sem dor no peito'],
  ],
  it: [
    ['voglio morire', 'non voglio più vivere', 'mi ammazzo stasera', 'mio marito mi picchia'],
    ['non riesce a respirare', 'ha perso conoscenza'],
    ['muoio di fame', 'non penso di uccidermi', 'nessun dolore al petto'],
  ],
  ar: [
    ['أريد أن أموت', 'لا أريد العيش', 'زوجي يضربني'],
    ['أمي فقدت الوعي', 'لا أستطيع التنفس'],
    ['ميت من الضحك', 'لا أفكر في الانتحار'],
  ],
  hi: [
    ['मैं मरना चाहता हूँ', 'main jeena nahi chahta', 'पति मुझे मारता है', 'mujhe aatmahatya karni hai'],
    ['सीने में दर्द है', 'papa behosh ho gaye'],
    ['भूख से मर रहा हूँ', 'khud ko nuksan ka koi vichar nahi'],
  ],
  zh: [
    ['我想死', '我不想活了', '我不想活了，沒有意義', '他打我'],
    ['我爸昏倒了，叫不醒', '呼吸困難'],
    ['笑死我了', '饿死了', '我没有想过自杀'],
  ],
  ru: [
    ['хочу умереть', 'я не хочу жить', 'муж меня бьёт'],
    ['он без сознания', 'не могу дышать'],
    ['умираю с голоду', 'я не думаю о самоубийстве', 'боли в груди нет'],
  ],
  tr: [
    ['ölmek istiyorum', 'yaşamak istemiyorum', 'YASAMAK ISTEMIYORUM', 'kocam beni dövüyor'],
    ['nefes alamıyor', 'babam bayıldı'],
    ['açlıktan ölüyorum', 'intihar etmeyi düşünmüyorum'],
  ],
  en: [
    ['i dont want to live', 'I don’t wanna live anymore', 'sucidal again', 'my dad beats me'],
    ['numb left side and my face droops', 'I can’t breathe'],
    [
      'no weakness in the legs',
      'I do not think of harming myself',
      'I never think about killing myself',
      'no numbness, no weakness in my arm',
    ],
  ],
};

test('every language has messages here and texts', () => {
  expect(Object.keys(messages).sort()).toEqual(languages().map(({ code }) => code));
});

describe.each(Object.entries(messages))('in %s', (language, [crises, emergencies, harmless]) => {
  test.each(crises)('a crisis: %s', message => expect(classifyMessage(message).level).toBe('crisis'));
  test.each(emergencies)('an emergency: %s', message =>
    expect(classifyMessage(message)).toMatchObject({ level: 'urgent', emergency: true }),
  );
  test.each(harmless)('no alarm: %s', message => expect(classifyMessage(message).level).toBe('none'));
  test('the answer is in the language', async () => {
    const [message = ''] = crises;
    const found = await findDanger(message);
    expect(found.language).toBe(language);
    const text = buildCrisisText(found, crisisResources([], false, language));
    expect(text.includes('I am really sorry')).toBe(language === 'en');
    expect(text).toContain('https://findahelpline.com');
  });
});

test('a bump of the head is no violence', () => {
  // A child that plays on needs no doctor within a day; one that does not, does.
  const found = classifyMessage('my daughter hit her head on the cupboard, tiny bump, playing happily');
  expect(found.level).not.toBe('crisis');
  expect(classifyMessage('my daughter hit her head on the cupboard and has a big bump, should I worry').level).toBe(
    'urgent',
  );
});

test('letters are compared without variants', () => {
  for (const message of [
    'QUIERO  MORIR',
    'quiero mo\u0301rir',
    'ｑｕｉｅｒｏ ｍｏｒｉｒ',
    'quie\u00adro mo\u200brir',
    'أُريـــد أن أمُوت',
  ])
    expect(classifyMessage(message).level).toBe('crisis');
});

test('an overdose that is taken, and violence with an injury, get the emergency number and the helplines', async () => {
  const taken = await findDanger('he tomado todas las pastillas, quiero morir');
  expect(taken).toMatchObject({ level: 'crisis', isEmergency: true, language: 'es' });
  expect(buildCrisisText(taken, [])).toContain('llame ahora al número de emergencias');
  const hurt = await findDanger('my boyfriend punched me, I am bleeding heavily and feel faint');
  expect(hurt).toMatchObject({ level: 'crisis', isEmergency: true });
  expect(buildCrisisText(hurt, [])).toContain('also needs emergency help');
});

test('the urgent notice is in the language of the message', async () => {
  const found = await findDanger('mi madre está inconsciente');
  expect(buildUrgentText(found, [])).toMatch(/^\*\*Llame ahora a emergencias/);
  const sign = { id: 'sign', label: 'A sign', kind: 'medical', whose: 'writer' } as const;
  expect(buildUrgentText({ ...found, level: 'urgent', signs: [sign] }, [])).toMatch(/^\*\*Conviene(?!.*sign)/s);
});

test('every language has the texts of English, none of them in English', () => {
  const { en, ...others } = allTexts();
  const flat = (value: object, path = ''): [string, string][] =>
    Object.entries(value).flatMap(([key, one]) =>
      typeof one === 'string' ? [[`${path}${key}`, one] as [string, string]] : flat(one, `${path}${key}.`),
    );
  const english = new Map(flat(en ?? {}));
  expect(Object.keys(others).toSorted()).toEqual(
    Object.keys(messages)
      .filter(code => code !== 'en')
      .toSorted(),
  );
  for (const [code, texts] of Object.entries(others)) {
    const own = new Map(flat(texts));
    expect({ code, keys: [...own.keys()].toSorted() }).toEqual({ code, keys: [...english.keys()].toSorted() });
    for (const [key, text] of own)
      expect({ code, key, isOwn: text !== english.get(key) }).toMatchObject({ isOwn: true });
  }
});

test('the disclaimer is removed from answers in every language', () => {
  for (const { disclaimer } of Object.values(allTexts()))
    expect(withoutDisclaimer(`An answer.\n\n${disclaimer}`)).toBe('An answer.');
});
