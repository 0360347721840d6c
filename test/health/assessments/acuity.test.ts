import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { TriageItem } from '../../../bench/triage-set.ts';
import { acuityFeatures } from '../../../src/health/assessments/acuity-features.ts';
import {
  type AcuityWeights,
  acuityFingerprint,
  acuityOf,
  acuityWeightsFile,
} from '../../../src/health/assessments/acuity-model.ts';
import { evaluate } from '../../../src/health/assessments/evaluate.ts';
import { knowledge } from '../../../src/health/assessments/knowledge.ts';
import { type Level, levels } from '../../../src/health/assessments/knowledge-schema.ts';
import { unknownPerson } from '../../../src/health/assessments/person-facts.ts';
import type { SymptomReport } from '../../../src/health/assessments/symptom-report.ts';
import { decideTriage, type TriageSigns } from '../../../src/health/assessments/triage-level.ts';

const textOf = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../bench/sets', `triage.${name}.json`), 'utf8');

const told = (symptoms: string[], more: Partial<SymptomReport> = {}): SymptomReport => ({
  subject: 'myself',
  symptoms,
  duration: '2 days',
  hasOtherSymptoms: null,
  trend: 'no change',
  allergies: '',
  severity: 2,
  notes: '',
  person: { ...unknownPerson, ageMonths: 30 * 12 },
  ...more,
});
const levelOf = (report: SymptomReport): Level => evaluate(report).result.triageLevel;

test('the weights belong to the features and training sets; otherwise run scripts/train-acuity-model.ts', () => {
  const { fingerprint } = JSON.parse(readFileSync(acuityWeightsFile, 'utf8')) as AcuityWeights;
  expect(fingerprint).toBe(acuityFingerprint(['training', 'tuning', 'fresh-a'].map(textOf)));
});

/** No rule and no vignette of a set has these words in a row. */
const mild = ['my nose is running and I sneeze a lot', 'bit tired from the cold', 'eating and drinking as usual'];

describe('an appointment that nothing firm asks for', () => {
  test('is lowered to self-care, and the advice says so', () => {
    const { result } = evaluate(told(mild));
    expect(result.triageLevel).toBe('self_care');
    expect(result.generalAdvice).toMatch(/No sign asks for an appointment by itself: .* self-care was enough/);
  });

  test.each<[string, Partial<SymptomReport>]>([
    ['a rating of 7', { severity: 7 }],
    ['a long duration', { duration: '3 months' }],
    ['a change for the worse', { trend: 'getting worse' }],
    ['no rating', { severity: null }],
    ['no duration', { duration: null }],
    ['a report of a few words', { symptoms: ['bit tired', 'runny nose'] }],
  ])('stays for %s', (_what, more) => {
    const result = evaluate(told(mild, more)).result;
    expect(levels.indexOf(result.triageLevel)).toBeGreaterThanOrEqual(levels.indexOf('routine'));
  });

  test('stays where the words are not known', () => {
    expect(levelOf(told(['florble in the wibble snarked', 'grudled my zonk and frimmed the plask']))).toBe('routine');
  });

  test('stays for a thought of suicide, whatever else is told', () => {
    expect(levels.indexOf(levelOf(told([...mild, 'I want to end my life'])))).toBeGreaterThanOrEqual(2);
  });
});

describe('the model', () => {
  const scoresOf = (...symptoms: string[]) => scoresWith(symptoms, {});
  const scoresWith = (symptoms: string[], more: Partial<SymptomReport>) =>
    acuityOf(acuityFeatures({ ...told(symptoms, more), days: 2 }));

  test('judges neither a few words nor another language', () => {
    expect(scoresOf('sore throat')).toBeNull();
    expect(scoresOf('me duele mucho el pecho desde anoche y no puedo respirar bien', 'estoy sudando')).toBeNull();
    expect(scoresOf(...mild)).not.toBeNull();
  });

  test('finds no less need of care with a higher rating or a worse trend', () => {
    const needs = (rows: Partial<SymptomReport>[]) => rows.map(more => scoresWith(mild, more)?.routine ?? -1);
    const ratings = needs([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(severity => ({ severity })));
    expect(ratings).toEqual(ratings.toSorted((a, b) => a - b));
    const trends = needs((['getting better', 'no change', 'getting worse'] as const).map(trend => ({ trend })));
    expect(trends).toEqual(trends.toSorted((a, b) => a - b));
  });

  test('finds more need of care in what is dangerous', () => {
    const cold = scoresOf(...mild);
    const clot = scoresOf('my calf is swollen and hot since the flight', 'now I am short of breath and my chest hurts');
    expect(clot?.urgent).toBeGreaterThan(0.2);
    expect(cold?.urgent).toBeLessThan(0.1);
    expect(clot?.emergency).toBeGreaterThan(cold?.emergency ?? 1);
  });
});

describe('beside the rules', () => {
  const signs: TriageSigns = {
    present: new Set(['fatigue']),
    framed: new Set(),
    person: unknownPerson,
    days: 2,
    isWorsening: false,
    unmatched: 0,
    unclear: 0,
    texts: 3,
    rating: 2,
    acuity: null,
  };
  const harmless = { routine: 0.01, urgent: 0.01, emergency: 0.01 };

  test('the model lowers an appointment', () => {
    expect(decideTriage({ ...signs, present: new Set(), unmatched: 3, acuity: harmless }).level).toBe('self_care');
    expect(decideTriage(signs)).toMatchObject({ level: 'routine', loweredBy: null });
    expect(decideTriage({ ...signs, acuity: harmless })).toMatchObject({ level: 'self_care', loweredBy: 'whole' });
    expect(decideTriage({ ...signs, acuity: { ...harmless, routine: 0.3 } }).level).toBe('routine');
  });

  test.each<[string, Partial<TriageSigns>]>([
    ['a red flag', { present: new Set(['chest-pain']) }],
    ['an urgent sign', { present: new Set(['drowsy']) }],
    ['a baby of a few weeks', { present: new Set(['fatigue', 'young-baby']) }],
  ])('it lowers nothing with %s', (_what, more) => {
    const report = { ...signs, ...more };
    expect(decideTriage({ ...report, acuity: harmless }).level).toBe(decideTriage(report).level);
  });

  describe('what has lasted for more than 30 days and rests on one source', () => {
    const long: TriageSigns = { ...signs, present: new Set(['floaters']), days: 400, acuity: harmless };

    test.each<[string, Level, Partial<TriageSigns>]>([
      ['an urgent rule', 'routine', {}],
      ['an urgent sign', 'routine', { present: new Set(['drowsy']) }],
      ['a rule of an emergency', 'urgent', { present: new Set(['tearing-pain']) }],
      ['an urgent rule that gets worse over 90 days', 'routine', { days: 90, isWorsening: true }],
    ])('%s is one level lower', (_what, level, more) => {
      expect(decideTriage({ ...long, ...more })).toMatchObject({ level, loweredBy: 'duration' });
    });

    test('is not listed as a red flag where an appointment is advised', () => {
      expect(decideTriage({ ...long, acuity: null }).redFlags).toHaveLength(1);
      expect(decideTriage(long).redFlags).toEqual([]);
    });

    test.each<[string, Partial<TriageSigns>]>([
      ['30 days', { days: 30 }],
      ['60 days of getting worse', { days: 60, isWorsening: true }],
      ['an unknown duration', { days: null }],
      ['a rating of 7', { rating: 7 }],
      ['two red flags', { present: new Set(['floaters', 'tearing-pain']) }],
      ['a crisis', { present: new Set(['suicidal']) }],
      ['a report that the model does not judge', { acuity: null }],
      ['a report that the model finds urgent', { acuity: { ...harmless, urgent: 0.3 } }],
      [
        'a rule about a group',
        {
          person: { ...unknownPerson, pregnant: true, pregnancyWeeks: 20 },
          present: new Set(['bleeding', 'pregnant']),
        },
      ],
    ])('keeps its level for %s', (_what, more) => {
      expect(decideTriage({ ...long, ...more }).loweredBy).toBeNull();
    });

    test.each(
      knowledge()
        .redFlags.filter(({ lasting }) => lasting)
        .map(flag => [flag.id, flag] as const),
    )('keeps its level by the rule %s', (_id, { when, level }) => {
      const present = new Set(when.map(group => group[0] ?? ''));
      expect(levels.indexOf(decideTriage({ ...long, present }).level)).toBeGreaterThanOrEqual(levels.indexOf(level));
    });
  });

  describe('a sign that only a frame tells, against the whole report', () => {
    const read = (id: string, more: Partial<TriageSigns> = {}) =>
      decideTriage({ ...signs, present: new Set([id]), framed: new Set([id]), acuity: harmless, ...more });

    test.each<[string, Level]>([
      ['deep-cut', 'self_care'],
      ['drowsy', 'self_care'],
      ['reduced-movements', 'urgent'],
      ['severe-stomach-pain', 'urgent'],
    ])('%s is taken for %s', (id, level) => expect(read(id)).toMatchObject({ level, loweredBy: 'reading' }));

    test.each<[string, Partial<TriageSigns>]>([
      ['a phrase tells it too', { framed: new Set() }],
      ['another urgent sign is there', { present: new Set(['severe-stomach-pain', 'drowsy']) }],
      [
        'a second red flag is there',
        { present: new Set(['severe-stomach-pain', 'fainting']), framed: new Set(['severe-stomach-pain', 'fainting']) },
      ],
      ['the rating is 7', { rating: 7 }],
      ['the model does not judge it', { acuity: null }],
      ['the model does not rule it out', { acuity: { ...harmless, emergency: 0.1 } }],
    ])('keeps its level where %s', (_what, more) =>
      expect(read('severe-stomach-pain', more)).toMatchObject({ level: 'emergency', loweredBy: null }),
    );

    test('asks for an appointment where the model does not rule one out', () =>
      expect(read('deep-cut', { acuity: { ...harmless, routine: 0.2 } })).toMatchObject({ level: 'routine' }));

    test('is urgent still where it gets worse', () =>
      expect(read('deep-cut', { isWorsening: true })).toMatchObject({ level: 'urgent', loweredBy: null }));
  });

  test('no vignette with two red flags is less than urgent', () => {
    const items = ['training', 'tuning', 'fresh-a'].flatMap(name => JSON.parse(textOf(name)) as TriageItem[]);
    for (const { id, symptoms, person } of items) {
      // A duration and a rating by which nothing is urgent, so that only flags are.
      const report = told(symptoms, { person: { ...unknownPerson, ageMonths: (person.age_years ?? 30) * 12 } });
      const { triageLevel, redFlags } = evaluate(report).result;
      if (redFlags.length > 1) expect({ id, rank: levels.indexOf(triageLevel) >= 2 }).toEqual({ id, rank: true });
    }
  });
});
