import { expect } from '@jest/globals';
import type { HealthServer } from './health-world.ts';
import type { Section, Statement } from './statement.ts';

/** Sections 3, 5, 8 and 9 of the health document. */
export function healthAccounts({ gateway, mails, ask, ...server }: HealthServer): Section[] {
  const { person, guest, account, register, world } = server;
  const amira = { as: world.amira };
  const document = async () => (await gateway.request('/openapi/health.json')).json;
  const section = (title: string, statements: readonly Statement[]): Section => ({
    document: 'health',
    title,
    statements,
  });
  const bearer = (access: string, scheme = 'Bearer') =>
    gateway.request('/api/v1/auth/me/', { headers: { authorization: `${scheme} ${access}` } });
  const toggle =
    (verb: string, key: string): (() => Promise<void>) =>
    async () => {
      const { access: as } = await person();
      const [one, two] = [
        await ask(`POST /articles/25/${verb}/`, { as }),
        await ask(`POST /articles/25/${verb}/`, { as }),
      ];
      expect([one.status, one.json[key], two.status, two.json[key]]).toEqual([201, true, 201, false]);
    };
  return [
    section('3. States and transitions', [
      [
        'registering makes an inactive account',
        async () => {
          const { status, json } = await ask('POST /auth/register/', { body: register() });
          expect([status, (await account(json.id)).isActive]).toEqual([201, false]);
        },
      ],
      [
        'registering sends an activation mail',
        async () => {
          const form = register();
          await ask('POST /auth/register/', { body: form });
          expect(await mails.takeToken(form.email, /activate|finish/i)).toMatch(/^[0-9a-f-]{36}$/);
        },
      ],
      [
        'deletion puts the refresh token that comes with it on the black list',
        async () => {
          const { access: as, refresh } = await person();
          expect((await ask('DELETE /auth/me/delete/', { as, body: { refresh } })).status).toBe(204);
          expect((await ask('POST /auth/token/refresh/', { body: { refresh } })).status).toBe(401);
        },
      ],
      ['deletion needs a token', async () => expect((await ask('DELETE /auth/me/delete/')).status).toBe(401)],
      [
        'logging out needs a token',
        async () => expect((await ask('POST /auth/logout/', { body: { refresh: 'x' } })).status).toBe(401),
      ],
      [
        'logging out leaves the account active',
        async () => {
          const { id, access: as, refresh } = await person();
          expect((await ask('POST /auth/logout/', { as, body: { refresh } })).status).toBe(201);
          expect(await account(id)).toEqual({ isActive: true, deletedAt: null });
        },
      ],
      ['a bookmark is set if it is absent and removed if it is there', toggle('bookmark', 'bookmarked')],
      ['a like is set if it is absent and removed if it is there', toggle('like', 'liked')],
    ]),
    section('5. Authentication', [
      ['a token goes into Authorization as Bearer', async () => expect((await bearer(world.amira)).status).toBe(200)],
      ['another scheme is no credential', async () => expect((await bearer(world.amira, 'Token')).status).toBe(401)],
      [
        'every operation is described with the scheme, and all but public ones need it',
        async () => {
          const { paths } = await document();
          expect(paths['/health/goals/'].get.security).toEqual([{ token: [] }]);
          expect((await ask('GET /health/goals/')).status).toBe(401);
        },
      ],
      ['the list of articles is public', async () => expect((await ask('GET /articles/')).status).toBe(200)],
      ['an article is public', async () => expect((await ask('GET /articles/25/')).status).toBe(200)],
      [
        'guests read articles',
        async () => {
          const { access: as } = await guest();
          expect([
            (await ask('GET /articles/', { as })).status,
            (await ask('GET /articles/25/', { as })).status,
          ]).toEqual([200, 200]);
        },
      ],
      [
        'a guest account gets tokens that work',
        async () => {
          const { access: as, refresh } = await guest();
          expect((await ask('GET /auth/me/', { as })).json).toMatchObject({ is_guest: true, email: null });
          expect((await ask('POST /auth/token/refresh/', { body: { refresh } })).status).toBe(201);
        },
      ],
      [
        'what guests may not do is for verified accounts',
        async () => {
          const { access: as } = await guest();
          for (const line of ['GET /health/goals/', 'GET /chat/private/', 'POST /articles/25/like/']) {
            const { status, json } = await ask(line, { as });
            expect([line, status, json.code]).toEqual([line, 403, 'not_verified']);
          }
        },
      ],
      [
        'changing a password needs a token',
        async () => {
          const body = { old_password: 'a', new_password: 'b', new_password2: 'b' };
          expect((await ask('POST /auth/password/change/', { body })).status).toBe(401);
        },
      ],
      [
        'logging out puts the refresh token on the black list',
        async () => {
          const { access: as, refresh } = await person();
          await ask('POST /auth/logout/', { as, body: { refresh } });
          expect((await ask('POST /auth/token/refresh/', { body: { refresh } })).status).toBe(401);
        },
      ],
    ]),
    section('8. Limits', [
      [
        'recommendations are made while fewer than five are pending',
        async () => {
          const { access: as } = await person();
          const made = (await ask('GET /articles/recommended/', { as })).json;
          expect(made.count).toBeGreaterThanOrEqual(5);
          const dismiss = async (left: number): Promise<number> => {
            const { results } = (await ask('GET /articles/recommended/?page_size=100', { as })).json;
            for (const { recommendation_id: id } of results.slice(left))
              await ask(`POST /articles/recommended/${id}/dismiss/`, { as });
            return (await ask('GET /articles/recommended/', { as })).json.count;
          };
          expect(await dismiss(5)).toBe(5);
          expect(await dismiss(4)).toBeGreaterThan(4);
        },
      ],
      [
        'each call has one advertisement',
        async () => {
          const { status, json } = await ask('GET /ads/', amira);
          expect([status, Array.isArray(json), Number.isInteger(json.id)]).toEqual([200, false, true]);
        },
      ],
      [
        'page selects a page of a list',
        async () => {
          const [one, two] = [await ask('GET /articles/?page_size=1'), await ask('GET /articles/?page_size=1&page=2')];
          expect(one.json.results[0].id).not.toBe(two.json.results[0].id);
        },
      ],
    ]),
    section('9. Versioning', [
      ['the version is v1', async () => expect((await document()).info.version).toBe('v1')],
      ['the version is in the path', async () => expect((await document()).servers).toEqual([{ url: '/api/v1' }])],
      [
        'another version is not there',
        async () =>
          expect((await gateway.request('/api/v2/articles/', { headers: { 'user-agent': 'test' } })).status).toBe(404),
      ],
    ]),
  ];
}
