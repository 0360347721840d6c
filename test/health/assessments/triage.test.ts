import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { knowledge } from 'triage/knowledge/knowledge';
import { matchTexts } from 'triage/knowledge/matcher';
import type { ReportedTrend } from '../../../schema/health/assessment.ts';
import { evaluate } from '../../../src/health/assessments/evaluate.ts';
import type { SymptomReport } from '../../../src/health/assessments/symptom-report.ts';
import { cases, rankOf, reportOf } from './reports.ts';

const rank = (one: SymptomReport): number => rankOf(evaluate(one).result.triageLevel);

describe('triage', () => {
  test('has enough cases, each with its guidance', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
    for (const { guidance } of cases) expect(guidance).toMatch(/^https:\/\//);
  });

  test.each(cases)('$symptoms is $level', one => {
    const { symptoms, subject, duration = null, trend = null } = one;
    const { result, severity, urgency } = evaluate(
      reportOf(symptoms, { subject: subject ?? 'myself', duration, trend }),
    );
    expect(result.triageLevel).toBe(one.level);
    expect(result.seekEmergencyCare).toBe(one.level === 'emergency');
    if (one.level === 'emergency') {
      expect(result.redFlags.length).toBeGreaterThan(0);
      expect(result.generalAdvice).toMatch(/local emergency number/);
      expect(urgency).toBe('high');
      expect(severity).toBeGreaterThanOrEqual(8);
    }
    if (one.lookalike) expect(result.redFlags).toEqual([]);
    expect(matchTexts(symptoms).crisis.length > 0).toBe(one.crisis === true);
    expect(result.disclaimer).toMatch(/not a diagnosis/);
  });
});

describe('the text of an assessment', () => {
  test('unrecognized symptoms are not reassuring', () => {
    const { result, urgency, severity } = evaluate(reportOf(['florble in the wibble']));
    expect(result).toMatchObject({
      possibleCauses: [],
      triageLevel: 'routine',
      seekEmergencyCare: false,
      redFlags: [],
    });
    expect(result.generalAdvice).toMatch(/says nothing about how serious it is/);
    expect({ urgency, severity }).toEqual({ urgency: 'medium', severity: 4 });
  });

  test('causes are ranked, described and have guidance', () => {
    const { possibleCauses } = evaluate(reportOf(['sneezing', 'itchy eyes', 'runny nose'])).result;
    expect(possibleCauses[0]).toMatchObject({ rank: 1, condition: 'Hay fever', likelihood: 'High', urgency: 'low' });
    // A publisher is named where its page was read.
    const read = new Map(knowledge().conditions.map(({ name, source }) => [name, source.read]));
    for (const { condition, sources } of possibleCauses)
      expect(sources.length > 0).toBe(read.get(condition) !== undefined);
    expect(possibleCauses.map(one => one.rank)).toEqual(possibleCauses.map((_, at) => at + 1));
    expect(possibleCauses.length).toBeLessThanOrEqual(5);
  });

  test('a worse trend raises urgency and severity; a better one does not lower the level', () => {
    const of = (trend: ReportedTrend | null) => evaluate(reportOf(['runny nose', 'sneezing'], { trend }));
    expect(of(null)).toMatchObject({ severity: 2, urgency: 'low', result: { triageLevel: 'self_care' } });
    expect(of('getting worse')).toMatchObject({ severity: 5, urgency: 'medium', result: { triageLevel: 'routine' } });
    expect(of('getting better')).toMatchObject({ severity: 1, urgency: 'low', result: { triageLevel: 'self_care' } });
  });

  test('unnamed symptoms lower the likelihood', () => {
    const of = (hasOtherSymptoms: boolean) =>
      evaluate(reportOf(['sneezing', 'itchy eyes'], { hasOtherSymptoms })).result;
    expect(of(false).possibleCauses[0]?.likelihood).toBe('High');
    expect(of(true).possibleCauses[0]?.likelihood).toBe('Moderate');
    expect(of(true).generalAdvice).toMatch(/what else you notice/);
  });

  test('allergies are mentioned, and another person is referred to in the third person', () => {
    const mine = evaluate(reportOf(['headache'], { allergies: 'Penicillin.' })).result.generalAdvice;
    expect(mine).toMatch(/allergies that were named: Penicillin\.$/);
    const theirs = evaluate(reportOf(['chest pain'], { subject: 'someone_else' })).result.generalAdvice;
    expect(theirs).toMatch(/take the person to an emergency department/);
    expect(theirs).not.toMatch(/\byou\b|\byourself\b/i);
  });

  test('a crisis starts with helplines', () => {
    const { generalAdvice } = evaluate(reportOf(['I want to end my life'])).result;
    expect(generalAdvice).toMatch(/^You do not have to go through this alone\..*988.*116 123/);
  });

  test('notes are matched for symptoms', () => {
    expect(rank(reportOf(['headache'], { notes: 'Since noon my speech is slurred.' }))).toBe(rankOf('emergency'));
    expect(rank(reportOf(['headache'], { notes: 'I am a teacher and like my work.' }))).toBe(rankOf('self_care'));
  });

  test('equal input gives equal results', () => {
    const one = reportOf(['cough', 'fever', 'tired'], { duration: '2 weeks', trend: 'getting worse' });
    expect(evaluate(one)).toEqual(evaluate(one));
  });
});

describe('a harmless condition that is named', () => {
  test('explains its other signs', () => {
    expect(rank(reportOf(['pain low in my belly']))).toBe(rankOf('routine'));
    expect(rank(reportOf(['pain low in my belly', 'period pain']))).toBe(rankOf('self_care'));
  });

  test('explains nothing else, and no text with an alarming word', () => {
    expect(rank(reportOf(['period pain', 'jaw pain']))).toBe(rankOf('routine'));
    expect(rank(reportOf(['period pain', 'florbles suddenly']))).toBe(rankOf('routine'));
  });

  test('lowers nothing that is urgent', () => {
    expect(rank(reportOf(['common cold', 'runny nose', 'chest pain']))).toBe(rankOf('emergency'));
    expect(rank(reportOf(['verruca', 'coughing up streaks of blood']))).toBeGreaterThanOrEqual(rankOf('urgent'));
  });

  test('that is slow explains a long duration and a slow change, where it explains all signs', () => {
    const long = { duration: '3 months', trend: 'getting worse' } as const;
    expect(rank(reportOf(['verruca'], { duration: '3 months' }))).toBe(rankOf('self_care'));
    expect(rank(reportOf(['verruca'], long))).toBe(rankOf('routine'));
    expect(rank(reportOf(['verruca', 'tired'], { ...long, duration: '3 weeks' }))).toBe(rankOf('urgent'));
  });
});

describe('nothing lowers the level', () => {
  // A circumstance can lower the level: pain that comes with effort only, for weeks. A fact is no symptom.
  const terms = [...knowledge().symptoms.values()]
    .filter(({ kind }) => kind === 'symptom' || kind === 'crisis')
    .flatMap(({ terms }) => terms.slice(0, 3))
    .filter(one => !one.includes('{'));
  const symptom = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...terms) },
    {
      weight: 1,
      arbitrary: fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).filter(text => !/\p{L}{2}/u.test(text)),
    },
  );
  const symptoms = fc.array(symptom, { minLength: 1, maxLength: 8 });
  const durations = [
    null,
    'Less than a week',
    '3 days',
    'More than a week',
    '3 weeks',
    'More than a month',
    '2 months',
    'a year',
  ];
  const trends: (ReportedTrend | null)[] = ['getting better', null, 'no change', 'getting worse'];
  const lift = fc.record({
    duration: fc.constantFrom(...durations),
    trend: fc.constantFrom(...trends),
    severity: fc.option(fc.integer({ min: 1, max: 10 })),
    hasOtherSymptoms: fc.option(fc.boolean()),
  });

  test('one more symptom, except by a condition that it names, and then nothing that is urgent by itself', () => {
    const urgent = rankOf('urgent');
    fc.assert(
      fc.property(symptoms, symptom, lift, (before, more, rest) => {
        const [without, withMore] = [rank(reportOf(before, rest)), rank(reportOf([...before, more], rest))];
        if (withMore >= without) return;
        expect(namesCondition(more)).toBe(true);
        // A change for the worse raises to urgent, which a condition that changes slowly takes back.
        const still = { ...rest, trend: null };
        if (rank(reportOf(before, still)) >= urgent)
          expect(rank(reportOf([...before, more], still))).toBeGreaterThanOrEqual(rank(reportOf(before, still)));
        expect(without).toBeLessThan(rankOf('emergency'));
      }),
      { numRuns: 400 },
    );
  });

  /** Whether the text names a harmless or slow condition. */
  function namesCondition(text: string): boolean {
    const { present } = matchTexts([text]);
    return knowledge().conditions.some(
      ({ urgency, slow, symptoms: weights }) =>
        (urgency === 'low' || slow) && Object.entries(weights).some(([id, weight]) => weight >= 5 && present.has(id)),
    );
  }

  test('a worse trend, a longer duration, a higher rating', () => {
    const at = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(symptoms, at, at, (list, one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const by = (change: (step: number) => Partial<SymptomReport>) => {
          const step = (of: number) => rank(reportOf(list, change(of)));
          expect(step(high)).toBeGreaterThanOrEqual(step(low));
        };
        by(step => ({ trend: trends[Math.min(step, 3)] ?? null }));
        by(step => ({ duration: durations[Math.min(step, 7)] ?? null }));
        by(step => ({ severity: step + 1 }));
        by(step => ({ hasOtherSymptoms: step > 4 }));
      }),
      { numRuns: 200 },
    );
  });
});
