import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { knowledge } from 'triage/knowledge/knowledge';
import { levels, urgencies } from 'triage/knowledge/knowledge-schema';
import { matchText } from 'triage/knowledge/matcher';
import { type PersonFacts, unknownPerson } from 'triage/knowledge/person-facts';
import { evaluate } from '../../../src/health/assessments/evaluate.ts';
import type { SymptomReport } from '../../../src/health/assessments/symptom-report.ts';

const told = (
  symptoms: readonly string[],
  person: Partial<PersonFacts> = {},
  more: Partial<SymptomReport> = {},
): SymptomReport => ({
  subject: 'myself',
  symptoms,
  duration: null,
  hasOtherSymptoms: null,
  trend: null,
  allergies: '',
  severity: null,
  notes: '',
  person: { ...unknownPerson, ...person },
  ...more,
});
const levelOf = (symptoms: string[], person?: Partial<PersonFacts>) =>
  evaluate(told(symptoms, person)).result.triageLevel;
const causesOf = (symptoms: string[], person?: Partial<PersonFacts>): string[] =>
  evaluate(told(symptoms, person)).result.possibleCauses.map(one => one.condition);

describe('facts about the person decide the level', () => {
  test.each<[string[], Partial<PersonFacts>, string]>([
    [['fever'], { ageMonths: 1 }, 'emergency'],
    [['temperature 38.5'], { ageMonths: 2 }, 'emergency'],
    [['fever'], { ageMonths: 5 }, 'urgent'],
    [['fever'], { ageMonths: 30 * 12 }, 'self_care'],
    [['fever'], { conditions: ['chemotherapy'] }, 'emergency'],
    [['shivering'], { medicines: ['docetaxel'] }, 'emergency'],
    [['I am pregnant', 'bleeding'], { ageMonths: 30 * 12, sex: 'female' }, 'emergency'],
    [['I am pregnant', 'bleeding'], { ageMonths: 5 * 12, sex: 'female' }, 'routine'],
    [['midwife came', 'bleeding'], { ageMonths: 70 * 12, sex: 'female' }, 'routine'],
    [['fever'], { conditions: ['liver transplant 8 years ago'] }, 'emergency'],
    [['headache', 'swollen face'], { pregnant: true, pregnancyWeeks: 34 }, 'emergency'],
    [['headache', 'blurred vision'], { pregnant: true, pregnancyWeeks: 28 }, 'emergency'],
    [['hit my head'], { medicines: ['warfarin'] }, 'emergency'],
    [['black poo'], { medicines: ['apixaban 5 mg'] }, 'emergency'],
    [['sore on my foot'], { conditions: ['type 2 diabetes'] }, 'urgent'],
    [['blister on my heel'], { medicines: ['metformin'] }, 'urgent'],
    [['testicle pain'], { ageMonths: 14 * 12, sex: 'male' }, 'emergency'],
  ])('%j %j is %s', (symptoms, person, level) => expect(levelOf(symptoms, person)).toBe(level));

  test.each<[string[], string]>([
    [['my 6 week old baby has a fever'], 'emergency'],
    [['my baby is 2 months old', 'temperature 38.4'], 'emergency'],
    [['I am 34 weeks pregnant', 'headache', 'swollen face'], 'emergency'],
    [['pregnant, 30 weeks', 'bleeding down below'], 'emergency'],
    [['on warfarin', 'hit my head'], 'emergency'],
    [['fever during chemotherapy'], 'emergency'],
    [['numb left side'], 'emergency'],
    [['weakness on my right side'], 'emergency'],
    [['missed period', 'lower abdominal pain'], 'urgent'],
    [['period is late', 'pain low down on one side'], 'urgent'],
  ])('also where the text states them: %j is %s', (symptoms, level) => expect(levelOf(symptoms)).toBe(level));

  test('what was given wins over what the text states', () => {
    expect(levelOf(['my 6 week old baby has a fever'], { ageMonths: 24 })).not.toBe('emergency');
    expect(evaluate(told(['65 year old man', 'cough'])).result.personFacts).toEqual(['65 years old', 'male']);
    expect(evaluate(told(['65 year old man', 'cough'], { ageMonths: 480 })).result.personFacts[0]).toBe('40 years old');
  });
});

describe('causes fit to the person', () => {
  const symptoms = ['period pain', 'pain low in my belly', 'weak stream'];
  test('no period pain for a man, no prostate for a woman', () => {
    const he = causesOf(symptoms, { sex: 'male', ageMonths: 70 * 12 });
    expect(he).not.toContain('Period pain');
    expect(he).not.toContain('Pregnancy outside of the womb');
    expect(he).toContain('Enlarged prostate');
    expect(causesOf(symptoms, { sex: 'female', ageMonths: 300 })).not.toContain('Enlarged prostate');
    expect(
      causesOf(['missed period', 'stomach pain', 'spotting'], { sex: 'female', ageMonths: 70 * 12 }),
    ).not.toContain('Pregnancy outside of the womb');
  });

  test('each says why it is listed', () => {
    const { possibleCauses } = evaluate(told(['weak stream'], { sex: 'male', ageMonths: 66 * 12 })).result;
    expect(possibleCauses[0]).toMatchObject({ condition: 'Enlarged prostate' });
    expect(possibleCauses[0]?.reasons).toEqual(expect.arrayContaining(['66 years old', 'male']));
    for (const { reasons } of possibleCauses) expect(reasons.length).toBeGreaterThan(0);
  });

  test('coughing up blood is not explained by bronchitis alone', () => {
    expect(causesOf(['coughing up blood'])).toContain('Blood clot in the lung');
    expect(causesOf(['coughing up blood'])[0]).not.toBe('Acute bronchitis');
    expect(causesOf(['black poo'])[0]).toBe('Bleeding in the stomach or bowel');
  });
});

describe('spelling errors', () => {
  test.each([
    ['sore throt', 'sore-throat'],
    ['diarrea', 'diarrhoea'],
    ['hedache', 'headache'],
    ['my stomoch hurts', 'stomach-pain'],
    ['palpitatons', 'palpitations'],
    ['swolen ankel', 'leg-swelling'],
    ['constipaton', 'constipation'],
  ])('%s is %s', (text, id) => expect([...matchText(text).present]).toContain(id));

  test.each([
    'cooking dinner on the couch',
    'fewer visitors',
    'I was swearing',
    'a horse in a stable',
    'stuff in the lift',
  ])('ordinary words stay: %s', text => expect([...matchText(text).present]).toEqual([]));
});

const terms = [...knowledge().symptoms.values()].flatMap(one =>
  one.terms.filter(term => !term.includes('{')).slice(0, 3),
);
const reports = fc
  .record({
    symptoms: fc.array(fc.constantFrom(...terms), { minLength: 1, maxLength: 5 }),
    ageMonths: fc.option(fc.integer({ min: 0, max: 1200 })),
    sex: fc.constantFrom('female' as const, 'male' as const, null),
    pregnant: fc.option(fc.boolean()),
    severity: fc.option(fc.integer({ min: 1, max: 10 })),
    trend: fc.constantFrom('getting better' as const, 'no change' as const, 'getting worse' as const, null),
    duration: fc.constantFrom(null, '2 hours', '3 weeks', '4 months'),
  })
  .map(({ symptoms, ageMonths, sex, pregnant, ...more }) =>
    told(symptoms, { ageMonths, sex, pregnant: sex === 'male' ? null : pregnant }, more),
  );

describe('severity, urgency and triage', () => {
  const bands = { emergency: [8, 10], urgent: [5, 10], routine: [3, 8], self_care: [1, 6] } as const;
  const urgencyOf = { emergency: 'high', urgent: 'high', routine: 'medium', self_care: 'low' } as const;

  test('a low rating beside an emergency is raised', () => {
    expect(evaluate(told(['crushing chest pain'], {}, { severity: 1 })).severity).toBe(8);
    expect(evaluate(told(["I can't breathe"], {}, { severity: 2 })).severity).toBe(8);
  });

  test('never contradict one another', () => {
    fc.assert(
      fc.property(reports, report => {
        const { result, severity, urgency } = evaluate(report);
        const [least, most] = bands[result.triageLevel];
        expect(severity).toBeGreaterThanOrEqual(least);
        expect(severity).toBeLessThanOrEqual(most);
        expect(urgency).toBe(urgencyOf[result.triageLevel]);
        expect(result.seekEmergencyCare).toBe(result.triageLevel === 'emergency');
        if (result.possibleCauses[0]) expect(result.possibleCauses[0].urgency).toBe(urgency);
        for (const cause of result.possibleCauses)
          expect(urgencies.indexOf(cause.urgency)).toBeLessThanOrEqual(urgencies.indexOf(urgency));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the interview', () => {
  test('asks what a rule lacks', () => {
    const { interview } = evaluate(told(['fever'])).result;
    expect(interview[0]).toMatchObject({
      about: 'age',
      why: expect.stringMatching(/fever in a baby under three months/),
    });
    expect(interview[0]?.answers[0]).toMatchObject({ text: 'Below 3 months', triageLevel: 'emergency', ageMonths: 1 });
    const about = (symptoms: string[], person?: Partial<PersonFacts>) =>
      evaluate(told(symptoms, person)).result.interview.map(one => one.about);
    expect(about(['lower abdominal pain'])).toContain('pregnancy');
    expect(about(['lower abdominal pain'], { sex: 'male' })).not.toContain('pregnancy');
    expect(about(['lower abdominal pain'], { sex: 'female', ageMonths: 70 * 12 })).not.toContain('pregnancy');
    expect(about(['chest pain'])).toEqual([]);
  });

  test('has at most 5 questions, each with an answer that raises the level, which sending it confirms', () => {
    fc.assert(
      fc.property(reports, report => {
        const { result } = evaluate(report);
        expect(result.interview.length).toBeLessThanOrEqual(5);
        const rank = (level: (typeof levels)[number]): number => levels.indexOf(level);
        for (const { answers, about } of result.interview) {
          expect(answers.length).toBeLessThanOrEqual(7);
          expect(answers.some(one => rank(one.triageLevel) > rank(result.triageLevel))).toBe(true);
          for (const { symptom, ageMonths, sexAtBirth, isPregnant, triageLevel } of answers) {
            const again = evaluate({
              ...report,
              symptoms: symptom === null ? report.symptoms : [...report.symptoms, symptom],
              person: {
                ...report.person,
                ageMonths: ageMonths ?? report.person.ageMonths,
                sex: sexAtBirth ?? report.person.sex,
                pregnant: isPregnant ?? report.person.pregnant,
              },
            });
            expect({ about, symptom, at: rank(again.result.triageLevel) >= rank(triageLevel) }).toMatchObject({
              at: true,
            });
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
