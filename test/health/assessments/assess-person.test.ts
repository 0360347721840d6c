import { describe, expect, test } from '@jest/globals';
import { createAccounts } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo' });
const [he] = await createAccounts(gateway, 1);
const assess = (path: string, body: object, access?: string) => send(gateway, 'POST', path, body, access);

describe('facts about the person', () => {
  test('come from the profile for oneself, from the request first, and never from the profile for somebody else', async () => {
    const profile = { date_of_birth: '1956-03-01', gender: 'M', has_diabetes: 'Y' };
    expect((await send(gateway, 'PATCH', '/auth/me/', profile, he?.access)).status).toBe(200);
    const create = async (body: object) => (await assess('/assessments/', body, he?.access)).json.result;
    const symptoms = ['period pain', 'lower abdominal pain'];
    const own = await create({ symptoms });
    expect(own.person_facts).toEqual(expect.arrayContaining(['70 years old', 'male']));
    const names = own.possible_causes.map((one: { condition: string }) => one.condition);
    expect(names).not.toContain('Period pain');
    expect(names).not.toContain('Pregnancy outside of the womb');
    expect((await create({ symptoms: ['sore on my foot'] })).triage_level).toBe('urgent');
    expect((await create({ symptoms, age: 20, sex_at_birth: 'female' })).person_facts).toEqual(
      expect.arrayContaining(['20 years old', 'female']),
    );
    expect((await create({ symptoms: ['cough'], subject: 'someone_else' })).person_facts).toEqual([]);
    const other = await create({ symptoms: ['my daughter has a cough'] });
    expect(other.person_facts).toEqual([]);
    expect(other.general_advice).toMatch(/the person/);
  });

  test('of guests are answers of the interview, as the body has seven fields', async () => {
    const guest = async (symptoms: string[], more: object = {}) => {
      const { status, json } = await assess('/assessments/guest/', { symptoms, ...more });
      expect(status).toBe(201);
      return json.result;
    };
    const told = async (symptoms: string[], about: string) => {
      const { interview } = await guest(symptoms);
      const question = interview.find((one: { about: string }) => one.about === about);
      expect(question.answers).not.toEqual([]);
      for (const { symptom, triage_level } of question.answers) {
        const result = await guest([...symptoms, symptom]);
        expect([symptom, result.triage_level]).toEqual([symptom, triage_level]);
        expect(result.interview.map((one: { about: string }) => one.about)).not.toContain(about);
      }
    };
    await told(['fever'], 'age');
    const pains = ['headache', 'stomach pain'];
    expect((await guest([...pains, 'Pregnant: yes'])).triage_level).toBe('emergency');
    expect((await guest([...pains, 'Pregnant: no'])).triage_level).not.toBe('emergency');
    expect((await guest(['cough', 'Sex at birth: female'])).person_facts).toContain('female');
    expect((await guest(['FEVER', 'age: below 3 months'])).person_facts).toContain('1 month old');
    // Other keys are ignored, whatever they are.
    expect((await guest(['fever'], { age_months: 1, age: 'x' })).triage_level).toBe(
      (await guest(['fever'])).triage_level,
    );
    const { paths } = (await gateway.request('/openapi/health.json')).json;
    const { schema } = paths['/assessments/guest/'].post.requestBody.content['application/json'];
    expect(Object.keys(schema.properties)).toEqual([
      ...['subject', 'blood_type', 'allergies', 'symptoms', 'symptom_duration', 'has_other_symptoms', 'symptoms_trend'],
    ]);
  });

  test.each([
    [{ age: 200 }, { age: ['Enter a whole number from 0 to 120.'] }],
    [{ age_months: -1 }, { age_months: ['Enter a whole number from 0 to 35.'] }],
    [{ pregnancy_weeks: 60 }, { pregnancy_weeks: ['Enter a whole number from 1 to 44.'] }],
    [
      { sex_at_birth: 'male', is_pregnant: true },
      { is_pregnant: ['A person whose sex at birth is male cannot be pregnant.'] },
    ],
    [{ sex_at_birth: 'cat' }, { sex_at_birth: ['"cat" is not a valid choice.'] }],
  ])('out of range is refused by field: %j', async (facts, problems) => {
    expect(await assess('/assessments/', { symptoms: ['cough'], ...facts }, he?.access)).toMatchObject({
      status: 400,
      json: problems,
    });
  });
});
