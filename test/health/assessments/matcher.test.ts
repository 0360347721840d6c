import { describe, expect, test } from '@jest/globals';
import { labelOf, matchText, matchTexts } from 'triage/knowledge/matcher';

const present = (text: string): string[] => [...matchText(text).present].sort();
const flags = (text: string): string[] => matchText(text).redFlags.map(one => one.id);

describe('whole words', () => {
  test.each([
    ['a keystroke is no stroke', []],
    ['unsuicidal', []],
    ['CHEST PAIN', ['chest-pain']],
    ['chest-pain', ['chest-pain']],
    ['ｃｈｅｓｔ pain', ['chest-pain']],
    ['chest pa\u00ADin', ['chest-pain']],
    ['diarrhea', ['diarrhoea']],
    ['migraines', ['headache', 'migraine']],
    ['rashes', ['rash']],
    ['I don’t have chest pain', []],
    ['I can’t breathe', ['breathless']],
    ['I can not breathe', ['breathless']],
  ])('%s', (text, expected) => expect(present(text)).toEqual(expected));
});

describe('a complaint and its body part', () => {
  test.each([
    ['my chest really hurts', ['chest-pain']],
    ['pain on the left side of my chest', ['chest-pain']],
    ['arm and chest pain', ['arm-pain', 'chest-pain']],
    ['pain in my left arm, jaw and chest', ['arm-pain', 'chest-pain', 'jaw-pain']],
    ['rash on my chest and pain in my knee', ['knee-pain', 'rash']],
    ['my chest is fine but my knee hurts', ['knee-pain']],
    ['sore throat and chest infection', ['chest-infection', 'sore-throat']],
    ['my knee hurts. Chest is fine', ['knee-pain']],
    ['weakness in my arm', ['limb-weakness']],
    ['weakness', ['fatigue']],
  ])('%s', (text, expected) => expect(present(text)).toEqual(expected));
});

describe('words of several classes in one sentence', () => {
  test.each([
    ['it burns when I wee', 'painful-urination'],
    ['my wee has been burning since Sunday', 'painful-urination'],
    ['passing water stings', 'painful-urination'],
    ['the skin of my elbows is dry and cracked', 'dry-skin'],
    ['big toe swelled up overnight, purple and shiny', 'toe-pain'],
    ['could see nothing at all out of the left eye', 'vision-loss'],
    ['38.4 under the arm', 'fever'],
  ])('%s tells %s', (text, id) => expect(present(text)).toContain(id));

  test.each([
    ['no burning when I wee', 'painful-urination'],
    ['my wee does not burn', 'painful-urination'],
    ['no fever, weeing normally', 'dehydration'],
    ["can't breathe through my nose", 'breathless'],
    ["can't see a way forward", 'vision-loss'],
    ['all right walking about, sore shoulder', 'right-lower-pain'],
    ['36.8 under the arm', 'fever'],
    ['elbow hurts, but my chest is fine', 'chest-pain'],
  ])('%s does not tell %s', (text, id) => expect(present(text)).not.toContain(id));
});

describe('negation', () => {
  test.each([
    'no chest pain',
    'denies chest pain',
    'denies fever, chills, and chest pain',
    'without any chest pain',
    "doesn't have chest pain",
    'does not have any chest pain',
    'no fever, cough or chest pain',
    'no arm or chest pain',
    'neither cough nor chest pain',
    'my chest does not hurt',
    'chest pain: no',
    'chest pain - none',
    'Chest pain? No.',
    'no sign of chest pain',
    'never had chest pain',
    'I had chest pain ten years ago',
  ])('%s', text => {
    const reading = matchText(text);
    expect(reading.negated.has('chest-pain')).toBe(true);
    expect(reading.redFlags).toEqual([]);
  });

  test.each([
    'no relief from chest pain',
    'no fever, chest pain',
    'no fever but chest pain',
    'no fever and chest pain',
    'not only chest pain',
    'not without chest pain',
    'no idea why I have chest pain',
    'I am not sure if it is chest pain',
    'I do not feel well and have chest pain',
    'no I have chest pain',
    'No. Chest pain.',
    "I've never had chest pain like this",
    'I have not had chest pain this bad before',
    'nothing helps the chest pain',
    "the chest pain doesn't go away",
    'chest pain that began two years ago',
    'no chest pain at rest, but chest pain on the stairs',
  ])('but not in: %s', text => expect(flags(text)).toContain('chest-pain'));

  test('a symptom present in one text is present, whatever another negates', () => {
    const reading = matchTexts(['no chest pain', 'chest pain at night']);
    expect([...reading.present]).toContain('chest-pain');
    expect([...reading.negated]).toEqual([]);
  });
});

describe('idioms', () => {
  test.each([
    'I was dying laughing',
    'my boss is killing me',
    'I am heartbroken',
    'that gave me a heart attack',
    'a stroke of luck',
    'butterflies in my stomach',
    'I lost my brother to suicide years ago',
    'a documentary about suicide',
    'this deadline is a career suicide',
    'I overdosed on chocolate',
    'blackout curtains',
    'I feel sick and tired of it all',
  ])('%s', text => expect({ flags: flags(text), crisis: matchText(text).crisis }).toEqual({ flags: [], crisis: [] }));
});

describe('a crisis', () => {
  test.each([
    ['I want to kill myself', ['suicidal']],
    ['everybody is better off without me', ['suicidal']],
    ['I have been cutting myself', ['self-harm']],
    ['my husband hits me', ['abuse']],
    ['I do not want to live', ['suicidal']],
    ['I do not want to die', []],
    ['no thoughts of suicide or self-harm', []],
    ['I would never kill myself', []],
  ])('%s', (text, crisis) => expect(matchText(text).crisis).toEqual(crisis));
});

describe('numbers', () => {
  test.each([
    ['temperature of 38.5', ['fever']],
    ['39,5 °C', ['fever']],
    ['fever 104 F', ['fever', 'high-fever']],
    ['temperature 36.8', []],
    ['blood pressure 120/80', []],
    ['blood pressure 190/100', ['high-blood-pressure', 'very-high-blood-pressure']],
    ['oxygen saturation 86%', ['low-oxygen']],
    ['my 9 week old', ['baby', 'child', 'young-baby']],
    ['two month old', ['baby', 'child', 'young-baby']],
    ['5-month-old', ['baby', 'child']],
    ['my 34 year old', []],
    ['took 30 tablets', ['poisoning']],
    ['took 2 tablets', []],
    ['baby has blue lips', ['baby', 'blue-lips', 'child']],
    ['my baby has had a cough for 2 weeks', ['baby', 'child', 'cough']],
  ])('%s', (text, expected) => expect(present(text)).toEqual(expected));
});

describe('time', () => {
  const texts: Record<string, (times: number) => string> = {
    'plain prose': times => 'I have had a headache since Monday and no fever at all. '.repeat(times),
    'one cue again and again': times => 'no '.repeat(times * 10),
    'a list without an end': times => 'no fever, '.repeat(times * 5),
    'fillers alone': times => 'my the left side of '.repeat(times * 3),
    'a phrase that never ends': times => 'severe pain in the left side of my '.repeat(times * 2),
    'complaints without a place': times => 'pain '.repeat(times * 10),
    'places without a complaint': times => 'chest, arm and '.repeat(times * 4),
    'one long word': times => 'a'.repeat(times * 60),
    apostrophes: times => "a'".repeat(times * 30),
    punctuation: times => '.,;:!?-/()'.repeat(times * 6),
    'combining marks': times => `a${'\u0301\u0327'.repeat(times * 30)}`,
  };

  test.each(Object.keys(texts))('grows with the length of %s and no faster', name => {
    const of = (times: number) => matchText(texts[name]?.(times) ?? '').steps;
    // 100 KB and twice as much: twice the words inspected, plus a constant.
    const [once, twice] = [of(1_800), of(3_600)];
    expect(twice).toBeLessThanOrEqual(2 * once + 200);
    expect(once).toBeLessThanOrEqual(3_000_000);
  });
});

test('every match has a label', () => {
  expect(labelOf('chest-pain')).toBe('chest pain or pressure');
  expect(labelOf('nothing-of-the-kind')).toBe('nothing-of-the-kind');
});

describe('a word of two meanings', () => {
  const tells = (text: string, id: string): boolean => matchText(text).present.has(id);

  test.each([
    ['pregnant', 'covered in itchy bumps', 'bump feels tight and the midwife is coming'],
    ['testicle-pain', 'a lump the size of a plum, it hurts', 'one ball is swollen and agony'],
    ['tearing-pain', 'a tearing pain when I poo', 'a tearing pain between my shoulder blades'],
    ['skin-infection', 'sunburn on my back, skin red and hot', 'skin on my shin is red and hot'],
    ['hot-joint', 'sunburnt knees, red and hot', 'my knee is red, hot and swollen'],
    ['nonblanching-rash', 'shaved and now tiny red spots', 'tiny red spots like pinpricks'],
    ['broken-bone', 'twisted my ankle on a kerb', 'twisted my ankle and cannot put weight on it'],
    ['drowsy', 'the pain wakes me at night', 'a struggle to wake her'],
    ['vaginal-bleeding', 'sore and red down below', 'spotting down below'],
    ['vaginal-bleeding', 'my periods started last year', 'my periods started again after ten years'],
  ])('%s: «%s», but «%s»', (id, other, sign) => {
    expect({ other: tells(other, id), sign: tells(sign, id) }).toEqual({ other: false, sign: true });
  });
});
