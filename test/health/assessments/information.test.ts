import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../src/config/config.ts';
import { answerModes } from '../../../src/health/assessments/answer-mode.ts';
import { type Evaluation, evaluate } from '../../../src/health/assessments/evaluate.ts';
import type { SymptomReport } from '../../../src/health/assessments/symptom-report.ts';
import { createAccounts } from '../../harness/accounts.ts';
import { type TestGateway, testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { cases, rankOf, reportOf } from './reports.ts';

const settings = { ASSESSMENTS: 'information' };
const information = await testGateway({ data: 'demo', settings });
const triage = await testGateway({ data: 'demo' });
const chosen = await testGateway({ beside: triage, settings: { ASSESSMENTS: 'triage', SEED: 'none' } });

const inBoth = (symptoms: string[], more: Partial<SymptomReport> = {}): Record<'told' | 'decided', Evaluation> => {
  const report = reportOf(symptoms, more);
  return {
    told: evaluate(report, undefined, answerModes.information),
    decided: evaluate(report, undefined, answerModes.triage),
  };
};

describe('information instead of triage', () => {
  test.each(cases)('$symptoms: no cause, no level below an appointment, and every alarm', one => {
    const { symptoms, subject = 'myself', duration = null, trend = null } = one;
    const { told, decided } = inBoth(symptoms, { subject, duration, trend });
    const level = told.result.triageLevel;
    expect(told.result.possibleCauses).toEqual([]);
    expect(rankOf(level)).toBeGreaterThanOrEqual(rankOf('routine'));
    expect(level === 'emergency').toBe(one.level === 'emergency');
    expect(told.result.seekEmergencyCare).toBe(one.level === 'emergency');
    expect(told.result.redFlags).toEqual(decided.result.redFlags);
    if (one.level === 'emergency') expect(told.result.generalAdvice).toBe(decided.result.generalAdvice);
    for (const { answers } of told.result.interview)
      for (const answer of answers) expect(rankOf(answer.triageLevel)).toBeGreaterThanOrEqual(rankOf('routine'));
    expect(Object.keys(told.result)).toEqual(Object.keys(decided.result));
  });

  test('what no sign asks for is told to nobody: general signs are', () => {
    const { told, decided } = inBoth(['blocked nose', 'sneezing'], { severity: 9, trend: 'getting worse' });
    expect(decided.result.triageLevel).toBe('urgent');
    expect(told.result.triageLevel).toBe('routine');
    expect(told.severity).toBe(9);
    expect(told.result.generalAdvice).toMatch(/says nothing about how urgent it is.*emergency number for chest pain/);
    const { told: mild, decided: reassured } = inBoth(['sneezing', 'itchy eyes', 'runny nose']);
    expect(reassured.result.triageLevel).toBe('self_care');
    expect(mild.result).toMatchObject({ triageLevel: 'routine', possibleCauses: [] });
    expect(mild.result.generalAdvice).not.toMatch(/often enough/);
  });

  test('a sign that needs a doctor within a day is named', () => {
    const { told, decided } = inBoth(['blood in my urine']);
    expect(decided.result.triageLevel).toBe('urgent');
    expect(told.result.triageLevel).toBe('urgent');
    expect(told.result.redFlags).toEqual(decided.result.redFlags);
  });

  test('the interview asks for signs, with the level that follows when they are named', () => {
    const { told } = inBoth(['headache']);
    const answers = told.result.interview.flatMap(question => question.answers);
    const raising = answers.filter(one => one.symptom !== null && one.triageLevel !== 'routine');
    expect(raising).not.toEqual([]);
    for (const { symptom, triageLevel } of raising)
      expect(inBoth(['headache', symptom ?? '']).told.result.triageLevel).toBe(triageLevel);
  });
});

const keysOf = (value: unknown, path = ''): string[] => {
  if (Array.isArray(value)) return value.slice(0, 1).flatMap(one => keysOf(one, `${path}[]`));
  if (value === null || typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([key, inner]) => [`${path}.${key}`, ...keysOf(inner, `${path}.${key}`)]);
};

describe('with ASSESSMENTS=information', () => {
  const guest = (gateway: TestGateway, symptoms: string[]) =>
    send(gateway, 'POST', '/assessments/guest/', {
      symptoms: [...symptoms, 'Age: 16 to 49 years', 'Sex at birth: female', 'Pregnant: no'],
    });

  test('guests get the keys and the status of the contract, without causes', async () => {
    const [told, decided] = await Promise.all([information, triage].map(one => guest(one, ['headache'])));
    expect([told?.status, decided?.status]).toEqual([201, 201]);
    const shared = (json: object) => keysOf(json).filter(key => !/possible_causes|questions|interview/.test(key));
    expect(shared(told?.json)).toEqual(shared(decided?.json));
    expect(Object.keys(told?.json.result)).toEqual(Object.keys(decided?.json.result));
    expect(told?.json.result).toMatchObject({ possible_causes: [], questions: [], triage_level: 'routine' });
    expect(decided?.json.result.possible_causes).not.toEqual([]);
  });

  test('accounts as well, by REST and GraphQL, and what is stored is what was told', async () => {
    const [person] = await createAccounts(information, 1);
    const { status, json } = await send(
      information,
      'POST',
      '/assessments/',
      { symptoms: ['sneezing'] },
      person?.access,
    );
    expect(status).toBe(201);
    expect(json.result).toMatchObject({ possible_causes: [], triage_level: 'routine', seek_emergency_care: false });
    const stored = await send(information, 'GET', `/assessments/${json.id}/`, undefined, person?.access);
    expect(stored.json.result).toEqual(json.result);
    const { json: graph } = await information.graphql(
      'mutation { assessSymptomsAsGuest(input: { symptoms: ["sneezing"] }) { assessment { result { triageLevel possibleCauses { rank } generalAdvice } } } }',
    );
    expect(graph.data.assessSymptomsAsGuest.assessment.result).toEqual({
      triageLevel: 'ROUTINE',
      possibleCauses: [],
      generalAdvice: json.result.general_advice,
    });
  });

  test('articles about the symptoms are named by addresses that are served', async () => {
    const { json } = await guest(information, ['hay fever', 'itchy eyes']);
    const [, path] = /\/api\/v1(\/articles\/\d+\/)/.exec(json.result.general_advice) ?? [];
    const article = await send(information, 'GET', path ?? '/articles/0/');
    expect(article.status).toBe(200);
    expect(json.result.general_advice).toContain(`“${article.json.headline}”`);
  });

  test('an emergency and a crisis are alarms as ever, and no article stands beside them', async () => {
    const { json } = await guest(information, ['chest pain', 'sweating']);
    expect(json.result).toMatchObject({ triage_level: 'emergency', seek_emergency_care: true });
    expect(json.result.red_flags).not.toEqual([]);
    expect(json.result.general_advice).toMatch(/^Call your local emergency number now/);
    const crisis = await guest(information, ['I want to kill myself']);
    const { json: graph } = await information.graphql(
      'mutation { assessSymptomsAsGuest(input: { symptoms: ["I want to kill myself"] }) { safety { level text } } }',
    );
    expect(graph.data.assessSymptomsAsGuest.safety).toMatchObject({
      level: 'CRISIS',
      text: expect.stringContaining('findahelpline'),
    });
    expect(crisis.json.result).toMatchObject({ triage_level: 'emergency', seek_emergency_care: true });
    for (const answer of [json, crisis.json]) expect(answer.result.general_advice).not.toContain('/api/v1/articles/');
    const elsewhere = await guest(information, ['me duele mucho el pecho y no puedo respirar']);
    expect(elsewhere.json.result.triage_level).toBe('emergency');
  });
});

describe('the setting', () => {
  test('is information without the demo data, and triage with it', () => {
    expect(readConfig({ SEED: 'none' }).ASSESSMENTS).toBe('information');
    expect(readConfig({ BASE_URL: 'https://portico.example.org' }).ASSESSMENTS).toBe('information');
    expect(readConfig({}).ASSESSMENTS).toBe('triage');
    expect(readConfig({ SEED: 'demo', ASSESSMENTS: 'information' }).ASSESSMENTS).toBe('information');
    expect(readConfig({ SEED: 'none', ASSESSMENTS: 'triage' }).ASSESSMENTS).toBe('triage');
    expect(() => readConfig({ ASSESSMENTS: 'diagnosis' })).toThrow(/ASSESSMENTS must be one of information, triage/);
  });

  test('is named in the disclaimer: who chose triage is responsible, and demo data is for evaluation', async () => {
    const of = async (gateway: TestGateway): Promise<string> =>
      (await send(gateway, 'POST', '/assessments/guest/', { symptoms: ['headache'] })).json.result.disclaimer;
    for (const gateway of [information, triage, chosen]) expect(await of(gateway)).toMatch(/not a diagnosis/);
    expect(await of(information)).toMatch(/No level of urgency is worked out/);
    expect(await of(chosen)).toMatch(/whoever runs this service has chosen to show them, and is responsible/);
    expect(await of(chosen)).not.toMatch(/demo data/);
    expect(await of(triage)).toMatch(/responsible for them\. This service has demo data/);
  });
});
