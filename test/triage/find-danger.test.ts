import { describe, expect, test } from '@jest/globals';
import { findDanger, findDangerOfReading } from 'triage';

const levelOf = async (text: string): Promise<string | null> => (await findDanger(text)).level;
const alarms: readonly unknown[] = ['crisis', 'emergency', 'urgent'];

describe('short sentences with a negation or an end are no danger', () => {
  test.each([
    "my cold won't go away",
    'I want to quit vaping',
    'my ADHD meds stopped working',
    "I can't do press-ups",
    "I can't fall asleep",
    "I can't find a doctor",
    "my baby won't sleep",
    "the bruise won't go away",
    'my son has a fever of 38',
    "I can't find my umbrella",
    'my sourdough stopped rising',
    "I don't eat breakfast",
    'I quit the tennis club',
    'el grifo no cierra',
    'je ne trouve pas mes clés',
    'der Drucker druckt nicht',
    'não acho minhas chaves',
    'non trovo le chiavi',
    'لا أجد مفاتيحي',
    'मुझे चाबी नहीं मिल रही',
    '我找不到钥匙',
    'не могу найти ключи',
    'anahtarımı bulamıyorum',
  ])('%s', async text => expect(alarms).not.toContain(await levelOf(text)));
});

describe('a sign that can wait a few hours asks for a doctor within a day and does not say to call', () => {
  test.each([
    'My skin and eyes have turned yellow',
    'Há sangue na minha urina',
    'Ich erbreche seit zwei Tagen und behalte nicht einmal Wasser',
    'Mi brucia quando urino e ho la febbre con i brividi',
    'Пожелтели глаза и кожа',
  ])('%s', async text => expect(await levelOf(text)).toBe('urgent'));
});

describe('an overdose asks for the emergency number', () => {
  test.each([
    'I just took the whole box of paracetamol',
    'Acabei de tomar a caixa inteira de paracetamol',
    'मैंने अभी पैरासिटामोल का पूरा डिब्बा खा लिया',
    '我刚刚把一整盒扑热息痛都吃了',
    'Acabo de tomarme toda la caja de paracetamol',
    'Je viens d’avaler toute la boîte de paracétamol',
    'Ich habe gerade die ganze Schachtel Paracetamol genommen',
    'Ho appena preso tutta la scatola di paracetamolo',
    'أخذت علبة الباراسيتامول كلها',
    'Я только что выпил всю упаковку парацетамола',
    'Az önce bütün parasetamol kutusunu içtim',
    'j’ai avalé deux plaquettes de doliprane',
    'I swallowed three packets of ibuprofen',
    '一口气吞了三盒布洛芬',
  ])('%s', async text => {
    const { level, isEmergency } = await findDanger(text);
    expect(['crisis', 'emergency']).toContain(level);
    expect(isEmergency).toBe(true);
  });
});

describe('words that are names of properties are words', () => {
  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])('%s', async word =>
    expect(await levelOf(`I am a ${word} and I have crushing chest pain`)).toBe('emergency'),
  );
});

describe('a language that the tables do not have is told', () => {
  test.each([
    ['ja', '昨日から頭が痛いです'],
    ['ko', '어제부터 머리가 아파요'],
    ['pl', 'Boli mnie głowa od wczoraj'],
    ['nl', 'Ik heb al een week pijn in mijn knie'],
    ['uk', 'Мені подобається футбол і кава'],
    ['el', 'Πονάει το κεφάλι μου'],
  ])('%s', async (language, text) =>
    expect(await findDanger(text)).toMatchObject({ language, isLanguageRead: false, level: null }),
  );

  test.each(['my knee hurts', 'me duele la rodilla', 'mi fa male il ginocchio', 'colicky tummy', '123', ''])(
    'and no other: %s',
    async text => expect(await findDanger(text)).toMatchObject({ isLanguageRead: true }),
  );
});

test('what is known of the person counts with what is said', async () => {
  expect(await levelOf('fever of 38.4')).not.toBe('emergency');
  expect((await findDanger('fever of 38.4', { ageYears: 0.1 })).level).toBe('emergency');
});

describe('values', () => {
  test.each([
    ['blood_pressure', '212/128', 'mmHg', 'emergency'],
    ['blood_pressure', '184/100', 'mmHg', 'urgent'],
    ['blood_pressure', '120/80', 'mmHg', null],
    ['oxygen_saturation', 81, '%', 'emergency'],
    ['oxygen_saturation', 98, '%', null],
    ['blood_glucose', 32, 'mg/dL', 'emergency'],
    ['blood_glucose', 5.4, 'mmol/L', null],
    ['blood_glucose', 99, 'mg/dL', null],
    ['heart_rate', 72, 'bpm', null],
    ['heart_rate', 190, 'bpm', 'emergency'],
    ['temperature', 106.5, '°F', 'emergency'],
    ['temperature', 36.8, '°C', null],
    ['weight', 80, 'kg', null],
    ['constructor', 80, 'kg', null],
  ])('%s %s %s: %s', (kind, value, unit, level) => expect(findDangerOfReading(kind, value, unit).level).toBe(level));

  test.each([
    ['weight', 35, 'kg', 170, 'urgent'],
    ['weight', 60, 'kg', 170, null],
    ['daily_calories', 300, 'kcal', 170, 'urgent'],
    ['daily_calories', 1_800, 'kcal', 170, null],
  ])('a goal of %s %s %s at %s cm: %s', (kind, value, unit, heightCm, level) =>
    expect(findDangerOfReading(kind, value, unit, { heightCm, isGoal: true }).level).toBe(level),
  );
});
