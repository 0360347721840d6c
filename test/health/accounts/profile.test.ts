import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { testGateway } from '../../harness/gateway.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { person, send } from '../../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({ data: 'empty', workers: true, settings: { SMTP_URL: mails.url } });
const someone = await person(gateway, mails);
const patch = (body: unknown) => send(gateway, 'PATCH', '/auth/me/', body, someone.access);
const me = async () => (await send(gateway, 'GET', '/auth/me/', undefined, someone.access)).json;

const keys =
  'id email first_name last_name full_name mobile_no gender date_of_birth age weight_kg height_cm bmi blood_type allergies has_hypertension has_diabetes has_chronic_condition is_smoker had_recent_surgery conditions symptoms about_me display_name conditions_for_peers conditions_for_suggestions is_visible_in_community share_profile_with_ai share_messages_with_ai profile_picture is_guest is_verified is_active deleted_at date_joined last_login time_zone'.split(
    ' ',
  );

describe('PATCH /auth/me/', () => {
  test('changes the fields sent, computes others; an empty object changes nothing', async () => {
    const changed = await patch({
      first_name: '  Ada ',
      gender: 'F',
      date_of_birth: '1990-11-02',
      weight_kg: 56,
      height_cm: '140.00',
      blood_type: 'A+',
      has_diabetes: 'DK',
      conditions: ['asthma', 'asthma', ' hay fever '],
      is_visible_in_community: true,
      id: 999,
      nonsense: true,
    });
    expect(changed.status).toBe(200);
    expect(Object.keys(changed.json)).toEqual(keys);
    expect(changed.json).toMatchObject({
      id: someone.id,
      first_name: 'Ada',
      full_name: 'Ada Vale',
      gender: 'F',
      age: 35,
      weight_kg: '56.00',
      height_cm: '140.00',
      bmi: '28.6',
      has_diabetes: 'DK',
      conditions: ['asthma', 'hay fever'],
      is_visible_in_community: true,
    });
    expect((await patch({})).json).toEqual(await me());
    expect((await patch({ gender: null, weight_kg: null })).json).toMatchObject({
      gender: null,
      weight_kg: null,
      bmi: null,
      first_name: 'Ada',
    });
  });

  test.each([
    [{ gender: 'x' }, { gender: ['"x" is not a valid choice.'] }],
    [{ gender: 'f' }, { gender: ['"f" is not a valid choice.'] }],
    [
      { date_of_birth: '2030-01-01' },
      { date_of_birth: ['Ensure this date is in the past and not before 1900-01-01.'] },
    ],
    [
      { date_of_birth: '2001-02-30' },
      { date_of_birth: ['Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'] },
    ],
    [{ weight_kg: '0.5' }, { weight_kg: ['Ensure this value is between 1 and 500 kg.'] }],
    [{ weight_kg: '501' }, { weight_kg: ['Ensure this value is between 1 and 500 kg.'] }],
    [{ weight_kg: '1234567' }, { weight_kg: ['Ensure that there are no more than 5 digits in total.'] }],
    [{ weight_kg: '1.234' }, { weight_kg: ['Ensure that there are no more than 2 decimal places.'] }],
    [{ weight_kg: 'NaN' }, { weight_kg: ['A valid number is required.'] }],
    [{ blood_type: 'C' }, { blood_type: ['"C" is not a valid choice.'] }],
    [
      { mobile_no: '12' },
      { mobile_no: ['Enter a telephone number in the international form, such as +4915112345678.'] },
    ],
    [{ about_me: 'x'.repeat(501) }, { about_me: ['Ensure this field has no more than 500 characters.'] }],
    [{ first_name: null }, { first_name: ['This field may not be null.'] }],
    [{ email: 'other@example.org' }, { email: ['The e-mail address cannot be changed here.'] }],
    [{ is_visible_in_community: 'perhaps' }, { is_visible_in_community: ['Must be a valid boolean.'] }],
    [{ time_zone: 'Mars/Olympus' }, { time_zone: ['"Mars/Olympus" is not a valid choice.'] }],
    [{ time_zone: '+02:00' }, { time_zone: ['"+02:00" is not a valid choice.'] }],
    [{ time_zone: 'posix/Europe/Berlin' }, { time_zone: ['"posix/Europe/Berlin" is not a valid choice.'] }],
    [{ time_zone: "UTC'; drop table users" }, { time_zone: ['"UTC\'; drop table users" is not a valid choice.'] }],
    [{ conditions: 'asthma' }, { conditions: ['Expected a list of items but got type "str".'] }],
  ])('%j is 400 and changes nothing', async (change, problems) => {
    const before = await me();
    expect(await patch({ allergies: 'not to be kept', ...change })).toMatchObject({ status: 400, json: problems });
    expect(await me()).toEqual(before);
  });

  test("a time zone is stored in canonical spelling, and cleared by null or ''", async () => {
    expect((await patch({ time_zone: ' europe/berlin ' })).json.time_zone).toBe('Europe/Berlin');
    expect((await patch({ time_zone: 'Asia/Kolkata' })).json.time_zone).toBe('Asia/Kolkata');
    expect((await patch({ about_me: 'still there' })).json.time_zone).toBe('Asia/Kolkata');
    expect((await patch({ time_zone: null })).json.time_zone).toBeNull();
    expect((await patch({ time_zone: '' })).json.time_zone).toBeNull();
  });

  test('repeating the address in another case is no change', async () => {
    expect((await patch({ email: someone.email.toUpperCase() })).status).toBe(200);
  });

  test('a body other than an object is 400, another media type 415', async () => {
    expect(await patch('[]')).toMatchObject({
      status: 400,
      json: { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] },
    });
    const plain = await gateway.request('/api/v1/auth/me/', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${someone.access}`, 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(plain.status).toBe(415);
  });
});

describe('a picture in a form', () => {
  const upload = (bytes: Uint8Array, type: string, more: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(more)) form.append(name, value);
    form.append('profile_picture', new Blob([new Uint8Array(bytes)], { type }), 'me.png');
    return gateway.request('/api/v1/auth/me/', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${someone.access}` },
      body: form,
    });
  };
  const draw = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#0b6b57' } });

  test('is re-encoded, served at its own URL, and replaced by the next one', async () => {
    const first = await upload(await draw(800, 600).png().toBuffer(), 'image/png', {
      about_me: 'in a form',
      has_diabetes: 'N',
    });
    expect(first.status).toBe(200);
    expect(first.json).toMatchObject({ about_me: 'in a form', has_diabetes: 'N' });
    const address = first.json.profile_picture;
    expect(address).toMatch(new RegExp(`^${gateway.url}/media/[0-9a-f-]{36}$`));
    const picture = await fetch(address);
    expect(picture.headers.get('content-type')).toBe('image/webp');
    expect(await sharp(await picture.arrayBuffer()).metadata()).toMatchObject({
      format: 'webp',
      width: 512,
      height: 512,
    });
    const second = await upload(await draw(20, 20).jpeg().toBuffer(), 'image/jpeg');
    expect(second.json.profile_picture).not.toBe(address);
    expect((await fetch(address)).status).toBe(404);
    expect((await patch({ profile_picture: null })).json.profile_picture).toBeNull();
  });

  test('that is no image, empty, too large or has too many pixels is 400', async () => {
    const bad = [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      Buffer.from('not a picture'),
      Buffer.alloc(0),
      Buffer.alloc(5 * 1024 * 1024 + 1),
      await draw(9000, 9000).png({ compressionLevel: 9 }).toBuffer(),
    ];
    for (const bytes of bad) {
      const answer = await upload(bytes, 'image/png');
      expect(answer.status).toBe(400);
      expect(answer.json.profile_picture).toHaveLength(1);
    }
    expect((await upload(Buffer.alloc(8 * 1024 * 1024), 'image/png')).status).toBe(413);
  });
});

test('the export has profile, sessions and audit events', async () => {
  const { status, json } = await send(gateway, 'GET', '/auth/me/export/', undefined, someone.access);
  expect(status).toBe(200);
  expect(json.profile).toEqual(await me());
  expect(json.sessions).toHaveLength(1);
  expect(json.events.map((one: { kind: string }) => one.kind)).toEqual(['activated', 'registered']);
});
