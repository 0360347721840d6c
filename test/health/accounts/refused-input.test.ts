import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const [ada, ben] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
const call = (method: string, path: string, body: unknown, who = ada) => send(gateway, method, path, body, who.access);

describe('names', () => {
  const overridden = 'Ann\u202enimda';
  test.each([
    [{ first_name: '' }, 'first_name', /blank/],
    [{ first_name: ' \u200b\u3164 ' }, 'first_name', /blank/],
    [{ first_name: overridden }, 'first_name', /direction of text/],
    [{ last_name: 'x\u2067y' }, 'last_name', /direction of text/],
  ])('%j is refused in a profile', async (body, field, message) => {
    const { status, json } = await call('PATCH', '/auth/me/', body);
    expect(status).toBe(400);
    expect(json[field][0]).toMatch(message);
  });

  test('are refused at registration and of groups alike', async () => {
    const registration = {
      email: 'x@example.org',
      password: 'Tulip-orbit-4471',
      password2: 'Tulip-orbit-4471',
      last_name: 'B',
    };
    const { json } = await send(gateway, 'POST', '/auth/register/', { ...registration, first_name: overridden });
    expect(json).toEqual({ first_name: [expect.stringContaining('direction of text')] });
    for (const path of ['/chat/groups/', '/community/groups/']) {
      expect(await call('POST', path, { name: 'Nice\u200fgroup' })).toMatchObject({
        status: 400,
        json: { name: [expect.stringContaining('direction of text')] },
      });
    }
  });

  test('in scripts from right to left, and with joiners, are good', async () => {
    for (const first_name of ['محمد', 'می\u200cترا', 'דוד'])
      expect((await call('PATCH', '/auth/me/', { first_name })).json).toMatchObject({ first_name });
  });
});

describe('addresses', () => {
  test.each(['a@b', 'ann@localhost', 'ann@xn--bcher-kva', 'ann@bücher'])('%s does not register', async email => {
    const body = {
      email,
      password: 'Tulip-orbit-4471',
      password2: 'Tulip-orbit-4471',
      first_name: 'A',
      last_name: 'B',
    };
    expect(await send(gateway, 'POST', '/auth/register/', body)).toMatchObject({
      status: 400,
      json: { email: ['Enter a valid email address.'] },
    });
  });

  test('of international domains register', async () => {
    const body = {
      email: 'ann@bücher.example',
      password: 'Tulip-orbit-4471',
      password2: 'Tulip-orbit-4471',
      first_name: 'A',
      last_name: 'B',
    };
    expect((await send(gateway, 'POST', '/auth/register/', body)).status).toBe(201);
  });
});

describe('pictures', () => {
  const upload = async (bytes: Buffer) => {
    const form = new FormData();
    form.set('profile_picture', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'me.png');
    const request = new Request('http://localhost', { method: 'POST', body: form });
    return gateway.request('/api/v1/auth/me/', {
      method: 'PATCH',
      headers: { 'content-type': request.headers.get('content-type') ?? '', authorization: `Bearer ${ada.access}` },
      body: Buffer.from(await request.arrayBuffer()) as never,
    });
  };
  const flat = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#888' } })
      .png()
      .toBuffer();

  test.each([
    [9_000, 9_000],
    [60_000, 1_000],
  ])('of %d × %d pixels are too large, not corrupt', async (width, height) => {
    expect(await upload(await flat(width, height))).toMatchObject({
      status: 400,
      json: {
        profile_picture: [`Ensure this picture has no more than 50 megapixels: it has ${width} × ${height} pixels.`],
      },
    });
  });

  test('that are cut off are corrupt', async () => {
    const { json } = await upload((await flat(300, 300)).subarray(0, 60));
    expect(json.profile_picture[0]).toContain('corrupted');
  });
});

describe('a connection', () => {
  test('is not accepted and declined by one request', async () => {
    const id = await connect(gateway, ada, ben);
    const answer = (body: object) => call('PATCH', `/community/peers/${id}/`, body, ben);
    for (const body of [
      { status: 'accepted', action: 'decline' },
      { status: 'declined', action: 'block' },
    ])
      expect(await answer(body)).toMatchObject({ status: 400, json: { action: [expect.any(String)] } });
    expect(await answer({ status: 'accepted', action: 'accept' })).toMatchObject({
      status: 200,
      json: { status: 'accepted' },
    });
  });
});

describe('goals', () => {
  const goal = (body: object) => call('POST', '/health/goals/', body);
  test.each([
    [{ goal_type: 'steps', target_value: 100, unit: 'bananas' }, 'unit', /no unit of this type.*steps/],
    [{ goal_type: 'weight', target_value: 70, unit: 'mmHg' }, 'unit', /kg, kgs, g, lb/],
    [{ goal_type: 'sleep', target_value: 30 }, 'target_value', /between 0.25 and 24 hours/],
    [{ goal_type: 'weight', target_value: 2000, unit: 'lb' }, 'target_value', /between 2.2 and 1100 lb/],
    [{ goal_type: 'blood_sugar', target_value: 5 }, 'target_value', /between 20 and 800 mg\/dL/],
    [{ goal_type: 'weight', target_value: 70, current_value: 0 }, 'current_value', /between 1 and 500 kg/],
  ])('%j is refused', async (body, field, message) => {
    const { status, json } = await goal(body);
    expect(status).toBe(400);
    expect(json[field][0]).toMatch(message);
  });

  test.each([
    { goal_type: 'custom', target_value: 3, unit: 'bananas' },
    { goal_type: 'steps', target_value: 9000, unit: 'steps/day', current_value: 0 },
    { goal_type: 'blood_sugar', target_value: 5.5, unit: 'mmol/L' },
  ])('%j is good', async body => {
    expect((await goal(body)).status).toBe(201);
  });
});

test('an error names no internal type', async () => {
  for (const [path, body] of [
    ['/health/vitals/', { steps: 1, measured_at: 'yesterday' }],
    ['/health/symptoms/', { symptom_name: 'x', severity: 1, logged_at: 7 }],
    ['/chat/messages/', { content: 'x', chat_id: 'x', receiver_id: 1e300 }],
    ['/health/goals/', { goal_type: 'steps', target_value: 'many', target_date: 'soon' }],
  ] as const) {
    const { status, json } = await call('POST', path, body);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).not.toMatch(/Instant|DateTime|SafeInt|Decimal|UUID cannot|cannot represent/);
  }
});

test.each([
  ['/health/vitals/', { heart_rate: 60, measured_at: '2026-02-30T08:00:00Z' }, 'measured_at'],
  ['/health/symptoms/', { name: 'Cough', severity: 3, logged_at: '2026-02-30T08:00:00+01:00' }, 'logged_at'],
  ['/health/goals/', { title: 'Walk', target_date: '2027-02-30' }, 'target_date'],
])('a day that does not exist is refused by %s', async (path, body, field) => {
  const { status, json } = await call('POST', path, body);
  expect([status, json]).toEqual([400, expect.objectContaining({ [field]: [expect.stringMatching(/wrong format/)] })]);
});
