import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { modelServer } from '../../harness/model-server.ts';
import { send } from '../../harness/people.ts';
import { graphRequests } from '../groups/graph-requests.ts';
import { problemsOf } from './r4-rules.ts';

const model = await modelServer();
const gateway = await testGateway({
  data: 'demo',
  settings: { AI_BASE_URL: model.url, AI_MODEL: 'small-model' },
});
const { ask } = graphRequests(gateway);

interface Entry {
  fullUrl: string;
  resource: Record<string, unknown> & { resourceType: string; code: { coding: { code: string }[]; text: string } };
}
const export_ = (who: TestAccount, headers: Record<string, string> = {}) =>
  gateway.request('/api/v1/auth/me/export/fhir/', { headers: { authorization: `Bearer ${who.access}`, ...headers } });
const bundleOf = async (who: TestAccount): Promise<{ entry: Entry[] }> => JSON.parse((await export_(who)).text);
const ofType = ({ entry }: { entry: Entry[] }, type: string) =>
  entry.map(({ resource }) => resource).filter(({ resourceType }) => resourceType === type);

let me: TestAccount;
let bundle: { entry: Entry[] };
beforeAll(async () => {
  [me] = (await createAccounts(gateway, [
    {
      first_name: 'Ann',
      last_name: 'Reed',
      mobile_no: '+4915112345678',
      gender: 'F',
      weight_kg: 70.5,
      height_cm: 168,
      blood_type: 'AB-',
      allergies: 'Penicillin',
      has_diabetes: 'Y',
      has_hypertension: 'N',
      is_smoker: 'DK',
      about_me: 'I row.',
      display_name: 'Rower',
      conditions: ['Asthma', 'Migraine'],
      symptoms: ['Cough'],
    },
  ])) as [TestAccount];
  const post = async (path: string, body: object, method = 'POST') => {
    const { status, json } = await send(gateway, method, path, body, me.access);
    expect({ path, isDone: status < 300, json }).toMatchObject({ path, isDone: true });
    return json;
  };
  await post('/health/vitals/', {
    systolic_bp: 128,
    diastolic_bp: 82,
    heart_rate: 64,
    temperature_c: '37.20',
    oxygen_saturation: 97,
    blood_glucose: '101.50',
    weight_kg: '70.40',
    steps: 4200,
    notes: 'After lunch',
    measured_at: '2026-10-30T07:15:30.123Z',
  });
  await post('/health/vitals/', { heart_rate: 70 });
  await post('/health/symptoms/', { symptom_name: 'Headache', severity: 4, body_location: 'forehead' });
  await post('/health/symptoms/', { symptom_name: 'Cough', severity: 2 });
  await post('/assessments/', { symptoms: ['sore throat', 'cough'], symptom_duration: '3 days', severity: 4 });
  const goal = await post('/health/goals/', { goal_type: 'weight', target_value: '65', target_date: '2027-02-01' });
  await post('/health/goals/', { goal_type: 'custom', target_value: '3', description: 'Swim', unit: 'times' });
  await send(gateway, 'DELETE', `/health/goals/${goal.id}/`, undefined, me.access);
  await post('/auth/me/', { share_messages_with_ai: true, conditions_for_peers: ['Asthma'] }, 'PATCH');
  await post('/auth/me/', { share_messages_with_ai: false }, 'PATCH');
  bundle = await bundleOf(me);
});

test('the answer is a Bundle of FHIR R4, also for clients that ask for nothing else', async () => {
  for (const accept of ['*/*', 'application/fhir+json', 'application/fhir+json; fhirVersion=4.0']) {
    const { status, headers } = await export_(me, { accept });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/fhir+json; fhirVersion=4.0']);
  }
  expect((await export_(me, { accept: 'text/html' })).status).toBe(406);
  expect((await gateway.request('/api/v1/auth/me/export/fhir/')).status).toBe(401);
});

test('every resource follows the rules of its type', () => {
  expect(problemsOf('Resource', bundle, 'Bundle')).toEqual([]);
  const found = new Set(bundle.entry.map(({ resource }) => resource.resourceType));
  expect([...found].sort()).toEqual(
    ['AllergyIntolerance', 'Condition', 'Consent', 'Goal', 'Observation', 'Patient', 'QuestionnaireResponse'].sort(),
  );
});

test('full URLs are unique, and every reference is to an entry', () => {
  const urls = bundle.entry.map(({ fullUrl }) => fullUrl);
  expect(new Set(urls).size).toBe(urls.length);
  for (const url of urls)
    expect(url).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  const references = [...JSON.stringify(bundle).matchAll(/"reference":"([^"]+)"/g)].map(([, one]) => one);
  expect(references.length).toBeGreaterThan(20);
  expect(references.filter(one => !urls.includes(one ?? ''))).toEqual([]);
});

test('two exports name the same things in the same way', async () => {
  expect(await bundleOf(me)).toEqual(bundle);
});

test('the Patient is the person', () => {
  expect(ofType(bundle, 'Patient')).toMatchObject([
    {
      name: [
        { family: 'Reed', given: ['Ann'], text: 'Ann Reed' },
        { use: 'nickname', text: 'Rower' },
      ],
      telecom: [
        { system: 'email', value: me.email },
        { system: 'phone', value: '+4915112345678' },
      ],
      gender: 'female',
      birthDate: '1990-05-04',
    },
  ]);
});

describe('readings', () => {
  const measured = () =>
    ofType(bundle, 'Observation').filter(one => one.effectiveDateTime === '2026-10-30T07:15:30.123Z');
  test.each([
    ['8867-4', 64, '/min'],
    ['8310-5', 37.2, 'Cel'],
    ['59408-5', 97, '%'],
    ['29463-7', 70.4, 'kg'],
    ['2339-0', 101.5, 'mg/dL'],
    ['55423-8', 4200, '{steps}'],
  ])('have the code %s with %d %s', (code, value, unit) => {
    const [one] = measured().filter(({ code: { coding } }) => coding.some(each => each.code === code));
    expect(one?.valueQuantity).toEqual({ value, unit, system: 'http://unitsofmeasure.org', code: unit });
  });

  test('of blood pressure are one with two components, and carry the notes', () => {
    const [one] = measured().filter(({ component }) => component);
    expect(one).toMatchObject({
      code: { coding: [{ system: 'http://loinc.org', code: '85354-9' }] },
      component: [
        { code: { coding: [{ code: '8480-6' }] }, valueQuantity: { value: 128, code: 'mm[Hg]' } },
        { code: { coding: [{ code: '8462-4' }] }, valueQuantity: { value: 82, code: 'mm[Hg]' } },
      ],
      note: [{ text: 'After lunch' }],
    });
    expect(measured()).toHaveLength(7);
  });
});

test('conditions, symptoms, assessments, goals and consents have what the person gave', () => {
  expect(ofType(bundle, 'Condition').map(({ code }) => code.text)).toEqual(['Asthma', 'Migraine', 'Diabetes']);
  expect(ofType(bundle, 'AllergyIntolerance')).toMatchObject([{ code: { text: 'Penicillin' } }]);
  expect(ofType(bundle, 'Observation')).toContainEqual(
    expect.objectContaining({
      valueCodeableConcept: { text: 'Headache' },
      bodySite: { text: 'forehead' },
      component: [{ code: { text: 'Severity, 1 to 10' }, valueInteger: 4 }],
    }),
  );
  expect(ofType(bundle, 'QuestionnaireResponse')).toMatchObject([
    {
      item: [
        { linkId: 'hypertension', answer: [{ valueBoolean: false }] },
        { linkId: 'diabetes', answer: [{ valueBoolean: true }] },
        { linkId: 'smoker', answer: [{ valueString: 'Not known' }] },
        { linkId: 'about-me', answer: [{ valueString: 'I row.' }] },
      ],
    },
    {
      status: 'completed',
      item: expect.arrayContaining([
        { linkId: 'symptoms', text: 'Symptoms', answer: [{ valueString: 'sore throat' }, { valueString: 'cough' }] },
      ]),
    },
  ]);
  expect(ofType(bundle, 'Goal')).toMatchObject([
    {
      lifecycleStatus: 'active',
      description: { text: 'Swim' },
      target: [{ detailQuantity: { value: 3, unit: 'times' } }],
    },
    { lifecycleStatus: 'cancelled', target: [{ detailQuantity: { value: 65, unit: 'kg' }, dueDate: '2027-02-01' }] },
  ]);
  expect(ofType(bundle, 'Consent')).toMatchObject([
    { status: 'active', provision: { type: 'permit', code: [{ text: 'asthma' }] } },
    { status: 'inactive', provision: { actor: [{ reference: { display: new URL(model.url).host } }] } },
  ]);
});

test('an account without data is a Bundle with a Patient', async () => {
  const guest = (await send(gateway, 'POST', '/auth/guest/')).json;
  const found = await bundleOf(guest);
  expect(problemsOf('Resource', found, 'Bundle')).toEqual([]);
  expect(found.entry).toHaveLength(1);
});

test('odd texts of people stay text', async () => {
  const [odd] = (await createAccounts(gateway, [
    {
      first_name: '',
      last_name: '"}],"x":',
      conditions: ['   ', '</script>', '__proto__', 'a\u2028b'],
      allergies: '\n',
    },
  ])) as [TestAccount];
  const found = await bundleOf(odd);
  expect(problemsOf('Resource', found, 'Bundle')).toEqual([]);
  expect(JSON.stringify(found)).toContain('__proto__');
});

test('the graph has the same, of the caller alone', async () => {
  const { data } = await ask(me, '{ healthViewer { fhirExport { text mediaType } } }');
  expect(JSON.parse(data.healthViewer.fhirExport.text)).toEqual(bundle);
  const [other] = (await createAccounts(gateway, 1)) as [TestAccount];
  expect(JSON.stringify(await bundleOf(other))).not.toContain('Asthma');
});

test('ten thousand readings are all in it', async () => {
  const [many] = (await createAccounts(gateway, 1)) as [TestAccount];
  await sql`insert into vital_reading (user_id, systolic_bp, diastolic_bp, heart_rate, notes, measured_at, created_at)
    select ${many.id}, 120, 80, 60, 'note', now(), now() from generate_series(1, 10000)`.execute(gateway.database.sql);
  const found = await bundleOf(many);
  expect(found.entry).toHaveLength(20_001);
});
