import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { registration, send } from '../../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({ data: 'empty', workers: true, settings: { SMTP_URL: mails.url } });
const post = (path: string, body?: unknown, access?: string) => send(gateway, 'POST', path, body, access);
const me = (access: string) => send(gateway, 'GET', '/auth/me/', undefined, access);

test('the life of an account from guest to deletion', async () => {
  const guest = await post('/auth/guest/');
  expect(guest.status).toBe(201);
  expect(guest.json.user).toMatchObject({
    is_guest: true,
    email: null,
    full_name: 'Guest',
    is_verified: false,
    is_active: true,
  });
  expect(Object.keys(guest.json)).toEqual(['access', 'refresh', 'user']);
  expect((await send(gateway, 'PATCH', '/auth/me/', { allergies: 'pollen' }, guest.json.access)).status).toBe(200);

  const form = registration('Robin.Vale@Example.org');
  const registered = await post('/auth/register/', form, guest.json.access);
  expect(registered).toMatchObject({
    status: 201,
    json: {
      id: guest.json.user.id,
      email: 'Robin.Vale@Example.org',
      first_name: 'Robin',
      last_name: 'Vale',
      is_active: false,
      detail: 'Activation e-mail sent.',
    },
  });
  expect(await post('/auth/login/', form)).toMatchObject({ status: 401, json: { code: 'no_active_account' } });

  const token = await mails.takeToken(form.email, /activate|finish/i);
  const activated = await post('/auth/activate/', { token, uid: 'ignored' });
  expect(activated.status).toBe(201);
  expect(activated.json.user).toMatchObject({
    id: guest.json.user.id,
    email: form.email,
    full_name: 'Robin Vale',
    allergies: 'pollen',
    is_guest: false,
    is_verified: true,
  });
  for (const again of [token, token.toUpperCase(), 'nonsense', '00000000-0000-0000-0000-000000000000']) {
    expect(await post('/auth/activate/', { token: again })).toMatchObject({
      status: 400,
      json: { token: ['Invalid or expired activation token.'] },
    });
  }

  const login = await post('/auth/login/', { email: ' robin.vale@example.ORG', password: form.password });
  expect(login.status).toBe(201);
  expect(login.json.user.last_login).toBe('2026-11-01T12:00:00.000000Z');
  const renewed = await post('/auth/token/refresh/', { refresh: login.json.refresh });
  expect(renewed.status).toBe(201);
  expect(Object.keys(renewed.json)).toEqual(['access', 'refresh']);
  expect((await me(renewed.json.access)).json.email).toBe(form.email);

  expect(await post('/auth/logout/', { refresh: renewed.json.refresh }, renewed.json.access)).toMatchObject({
    status: 201,
    json: { detail: 'Successfully logged out.' },
  });
  for (const access of [login.json.access, renewed.json.access]) {
    expect(await me(access)).toMatchObject({ status: 401, json: { code: 'token_not_valid' } });
  }
  expect(await post('/auth/token/refresh/', { refresh: renewed.json.refresh })).toMatchObject({
    status: 401,
    json: { detail: 'Token is blacklisted', code: 'token_not_valid' },
  });
  expect((await me(activated.json.access)).status).toBe(200);

  expect((await post('/auth/password/reset/', { email: form.email })).status).toBe(201);
  const reset = await mails.takeToken(form.email, /password/i);
  const fresh = 'an entirely different one 7';
  const confirmed = await post('/auth/password/reset/confirm/', {
    token: reset,
    new_password: fresh,
    new_password2: fresh,
  });
  expect(confirmed).toMatchObject({ status: 201, json: { detail: 'Password has been reset.' } });
  expect(confirmed.json.access).toBeUndefined();
  expect((await me(activated.json.access)).status).toBe(401);
  expect((await post('/auth/login/', form)).status).toBe(401);
  await mails.take(form.email, /password/i);

  const last = await post('/auth/login/', { email: form.email, password: fresh });
  const deleted = await send(gateway, 'DELETE', '/auth/me/delete/', { refresh: last.json.refresh }, last.json.access);
  expect(deleted).toMatchObject({ status: 204, text: '' });
  expect(await me(last.json.access)).toMatchObject({
    status: 401,
    json: { code: 'user_inactive', detail: 'User is inactive' },
  });
  expect(await post('/auth/token/refresh/', { refresh: last.json.refresh })).toMatchObject({
    status: 401,
    json: { code: 'no_active_account' },
  });
  expect((await post('/auth/login/', { email: form.email, password: fresh })).json.code).toBe('no_active_account');

  const again = await post('/auth/register/', form);
  expect(again.status).toBe(201);
  expect(again.json.id).not.toBe(guest.json.user.id);

  const { rows } = await sql<{
    kind: string;
  }>`select kind from audit_event where user_id = ${guest.json.user.id} order by id`.execute(gateway.database.sql);
  expect(rows.map(row => row.kind)).toEqual([
    'registered',
    'activated',
    'logged_in',
    'logged_out',
    'password_reset_requested',
    'password_reset',
    'logged_in',
    'deleted',
  ]);
});
