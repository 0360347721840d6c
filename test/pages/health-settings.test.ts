import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Browser, type BrowserAnswer } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { mailbox } from '../harness/mailbox.ts';
import { modelServer } from '../harness/model-server.ts';
import { type Person, person, send } from '../harness/people.ts';

const mails = await mailbox();
const model = await modelServer();
const gateway = await testGateway({
  data: 'empty',
  workers: true,
  settings: { SMTP_URL: mails.url, RATE_LIMIT_FACTOR: '100000', AI_BASE_URL: model.url, AI_MODEL: 'small-model' },
});
const provider = new URL(model.url).host;
const privacy = '/health/privacy';
const data = '/health/data';

let me: Person;
let browser: Browser;
beforeAll(async () => {
  me = await person(gateway, mails);
  browser = new Browser(gateway);
  await browser.signInToHealth(me.email, me.password);
});
const patch = (body: object) => send(gateway, 'PATCH', '/auth/me/', body, me.access);
const profile = async () => (await send(gateway, 'GET', '/auth/me/', undefined, me.access)).json;

/** The fields of the form of a page as a browser sends them. */
function fieldsOf({ text, formToken }: BrowserAnswer): Record<string, string> {
  const fields: Record<string, string> = { form_token: formToken, action: 'save' };
  for (const [tag] of text.matchAll(/<input[^>]*>/g)) {
    const [, name = ''] = / name="([^"]+)"/.exec(tag) ?? [];
    const isSent = !tag.includes('type="checkbox"') || tag.includes(' checked');
    if (name !== '' && isSent) fields[name] = / value="([^"]*)"/.exec(tag)?.[1] ?? '';
  }
  for (const [, name = '', options = ''] of text.matchAll(/<select[^>]* name="([^"]+)"[^>]*>(.*?)<\/select>/gs))
    fields[name] =
      /<option selected value="([^"]+)"|<option value="([^"]+)" selected/.exec(options)?.slice(1).find(Boolean) ?? '';
  return fields;
}

describe('privacy', () => {
  beforeEach(async () => {
    await patch({
      conditions: ['Asthma', '  HIV '],
      symptoms: ['Cough'],
      has_diabetes: 'Y',
      conditions_for_peers: [],
      conditions_for_suggestions: ['HIV'],
      display_name: '',
      is_visible_in_community: false,
    });
  });

  test('shows what applies, and a form that is sent as it is changes and records nothing', async () => {
    const page = await browser.open(privacy);
    expect(page.status).toBe(200);
    expect(page.text).toContain(provider);
    expect(page.text).toContain('Only adults can find you.');
    const fields = fieldsOf(page);
    const shown = Object.keys(fields).flatMap(name =>
      name.startsWith('condition.') ? [`${fields[name]}: ${fields[name.replace('condition', 'visibility')]}`] : [],
    );
    expect(shown).toEqual(['diabetes: private', 'asthma: private', 'hiv: suggestions', 'cough: private']);
    const before = (await send(gateway, 'GET', '/auth/me/consents/', undefined, me.access)).json;
    const answer = await browser.open(privacy, fields);
    expect([answer.status, answer.location]).toEqual([302, `${privacy}?saved=1`]);
    expect((await send(gateway, 'GET', '/auth/me/consents/', undefined, me.access)).json).toEqual(before);
    expect((await browser.open(answer.location)).text).toContain('Your settings are saved.');
  });

  test('saves the name, the visibility of each condition, and consents with their records', async () => {
    const fields = fieldsOf(await browser.open(privacy));
    await browser.open(privacy, {
      ...fields,
      displayName: 'Night Owl',
      isVisibleInCommunity: 'on',
      areMessagesSharedWithAi: 'on',
      'visibility.1': 'peers',
      'visibility.2': 'private',
    });
    expect(await profile()).toMatchObject({
      display_name: 'Night Owl',
      is_visible_in_community: true,
      share_messages_with_ai: true,
      share_profile_with_ai: false,
      conditions_for_peers: ['asthma'],
      conditions_for_suggestions: [],
    });
    const page = await browser.open(privacy);
    expect(page.text).toContain('messages to model');
    await browser.open(
      privacy,
      Object.fromEntries(Object.entries(fieldsOf(page)).filter(([name]) => !name.startsWith('are'))),
    );
    expect((await profile()).share_messages_with_ai).toBe(false);
    expect((await browser.open(privacy)).text).toMatch(/messages to model.*withdrawn/s);
  });

  test('names what is wrong beside its field, keeps what was typed, and saves nothing', async () => {
    const fields = fieldsOf(await browser.open(privacy));
    const typed = `Ann\u202enimda <b`;
    const answer = await browser.open(privacy, { ...fields, displayName: typed, isVisibleInCommunity: 'on' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('role="alert"');
    expect(answer.text).toMatch(
      /<input id="displayName"[^>]*aria-describedby="displayName-hint displayName-problem"[^>]*aria-invalid="true"/,
    );
    expect(answer.text).toMatch(/id="displayName-problem">[^<]*direction of text/);
    expect(answer.text).toContain('&lt;b');
    expect(await profile()).toMatchObject({ display_name: '', is_visible_in_community: false });
    // A condition of another person, or of nobody.
    const foreign = await browser.open(privacy, { ...fields, 'condition.0': 'gout', 'visibility.0': 'peers' });
    expect([foreign.status, foreign.text.includes('none of your conditions')]).toEqual([422, true]);
  });

  test.each([
    ['2009-05-04', 'You are below 18'],
    [null, 'Your date of birth is not known'],
  ])('says what the age means: %s', async (born, sentence) => {
    await sql`update users set date_of_birth = ${born} where id = ${me.id}`.execute(gateway.database.sql);
    expect((await browser.open(privacy)).text).toContain(sentence);
    await sql`update users set date_of_birth = '1990-05-04' where id = ${me.id}`.execute(gateway.database.sql);
  });

  test('has a label for each control, and no script', async () => {
    for (const path of [privacy, data]) {
      const { text } = await browser.open(path);
      expect(text).not.toContain('<script');
      for (const [tag] of text.matchAll(/<(?:input|select)[^>]*>/g)) {
        if (tag.includes('type="hidden"')) continue;
        const [, id] = / id="([^"]+)"/.exec(tag) ?? [];
        expect(text).toContain(`for="${id}"`);
      }
    }
  });
});

describe('data', () => {
  test('lists reads and sessions, and ends another session', async () => {
    await sql`insert into data_access (user_id, subject, read_on, read_count, last_read_at)
      values (${me.id}, 'export', '2026-10-30', 2, now())`.execute(gateway.database.sql);
    const page = await browser.open(data);
    expect(page.text).toMatch(/2026-10-30<\/time>: an operator has read all of your data, 2 times/);
    const rows = [...page.text.matchAll(/<li class="with-action">.*?<\/li>/gs)].map(([row]) => row);
    expect(rows.filter(row => row.includes('this browser'))).toHaveLength(1);
    const [other = ''] = rows.filter(row => !row.includes('this browser'));
    const [, session = ''] = /name="session" value="([^"]+)"/.exec(other) ?? [];
    const form = { form_token: page.formToken, action: 'end-session', session };
    expect((await browser.open(data, form)).location).toBe(`${data}?ended=1`);
    expect((await send(gateway, 'GET', '/auth/me/', undefined, me.access)).status).toBe(401);
    // Again, and one that is no session.
    expect((await browser.open(data, form)).status).toBe(302);
    expect((await browser.open(data, { ...form, session: 'x' })).status).toBe(302);
    expect((await browser.open(data)).text.match(/class="with-action"/g)).toHaveLength(1);
  });

  test.each([
    ['export-json', 'application/json; charset=utf-8', 'profile'],
    ['export-fhir', 'application/fhir+json; fhirversion=4.0; charset=utf-8', 'resourceType'],
  ])('%s is a download', async (action, type, key) => {
    const { formToken } = await browser.open(data);
    const { headers, text } = await browser.open(data, { form_token: formToken, action });
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename=health-data/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(Object.keys(JSON.parse(text))).toContain(key);
    expect(text).toContain(me.email);
  });

  test('deletes the account with the box ticked alone', async () => {
    const { formToken } = await browser.open(data);
    const form = { form_token: formToken, action: 'delete' };
    const asked = await browser.open(data, form);
    expect([asked.status, /id="confirm-problem"/.test(asked.text)]).toEqual([422, true]);
    const { rows } = await sql`select 1 from users where id = ${me.id} and deleted_at is null`.execute(
      gateway.database.sql,
    );
    expect(rows).toHaveLength(1);
    const deleted = await browser.open(data, { ...form, confirm: 'on' });
    expect([deleted.status, deleted.text.includes('Your account is deleted')]).toEqual([200, true]);
    expect((await browser.open(data)).location).toContain('/login/health');
  });
});

describe('lists that are longer than a page', () => {
  const linked = (text: string, name: string): string | undefined =>
    new RegExp(`<a href="([?]${name}=[^"]+)" rel="next">`).exec(text)?.[1]?.replaceAll('&amp;', '&');
  /** The texts that `item` finds on all pages of a list. */
  async function walk(path: string, name: string, item: RegExp): Promise<string[][]> {
    const found: string[][] = [];
    for (let query: string | undefined = ''; query !== undefined && found.length < 9; ) {
      const { status, text } = await browser.open(`${path}${query}`);
      expect(status).toBe(200);
      found.push([...text.matchAll(item)].map(([, key = '']) => key));
      query = linked(text, name);
    }
    return found;
  }
  const sizes = (found: string[][]) => found.map(page => page.length);

  beforeAll(async () => {
    me = await person(gateway, mails);
    browser = new Browser(gateway);
    await browser.signInToHealth(me.email, me.password);
    const db = gateway.database.sql;
    await sql`insert into data_access (user_id, subject, read_on, read_count, last_read_at)
      select ${me.id}, 'export', '2026-10-30'::date - n, n, now() from generate_series(1, 120) n`.execute(db);
    await sql`insert into session (id, user_id, device, created_at, last_used_at, expires_at)
      select gen_random_uuid(), ${me.id}, 'device ' || n, now(), now(), '2030-01-01' from generate_series(1, 118) n`.execute(
      db,
    );
    await sql`insert into refresh_token (id, session_id, issued_at, expires_at)
      select gen_random_uuid(), id, now(), '2030-01-01' from session where device like 'device %'`.execute(db);
    await sql`insert into consent (user_id, purpose, subject, text_version, given_at, withdrawn_at)
      select ${me.id}, 'condition_for_peers', 'ailment ' || n, '2026-11', now(), now() from generate_series(1, 230) n`.execute(
      db,
    );
  });

  test.each([
    [data, 'reads', /all of your data, (\d+) times/g, 119, [50, 50, 19]],
    [data, 'sessions', /<strong>(?:device (\d+))/g, 118, undefined],
    [privacy, 'after', /for peers<\/strong>: ailment (\d+)/g, 230, [50, 50, 50, 50, 30]],
  ])('on %s lead from page to page by %s', async (path, name, item, count, pages) => {
    const found = await walk(path, name, item);
    if (pages) expect(sizes(found)).toEqual(pages);
    expect(new Set(found.flat()).size).toBe(count);
    expect(found.flat()).toHaveLength(count);
  });

  test.each([
    `${data}?reads=x`,
    `${data}?sessions=%00`,
    `${privacy}?after=x`,
    `${privacy}?after=-1`,
    `${privacy}?after=99999999999999999999`,
  ])('of %s refuse a cursor that is none', async url => {
    expect((await browser.open(url)).status).toBe(400);
  });
});

describe('a browser that is not signed in', () => {
  test.each([privacy, data])('is led from %s to the sign-in, and back', async path => {
    const stranger = new Browser(gateway);
    const { status, location } = await stranger.open(path);
    expect([status, location]).toEqual([302, `/login/health?return_to=${encodeURIComponent(path)}`]);
    const refused = await stranger.open(path, { action: 'delete', confirm: 'on', form_token: 'x' });
    expect(refused.status).toBe(401);
  });

  test('cannot send a form of another session, or from another site', async () => {
    const [one, two] = [await person(gateway, mails), await person(gateway, mails)];
    const browsers = [new Browser(gateway), new Browser(gateway)] as const;
    await browsers[0].signInToHealth(one.email, one.password);
    await browsers[1].signInToHealth(two.email, two.password);
    const { formToken } = await browsers[0].open(data);
    const form = { form_token: formToken, action: 'delete', confirm: 'on' };
    expect((await browsers[1].open(data, form)).status).toBe(403);
    expect((await browsers[0].open(data, form, { origin: 'https://other.example' })).status).toBe(403);
    const { rows } = await sql`select 1 from users where id in (${one.id}, ${two.id}) and deleted_at is null`.execute(
      gateway.database.sql,
    );
    expect(rows).toHaveLength(2);
  });
});
