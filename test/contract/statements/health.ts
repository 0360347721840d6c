import { expect } from '@jest/globals';
import type { HealthServer } from './health-world.ts';
import type { Section, Statement } from './statement.ts';

const areas = ['ads', 'articles', 'assessments', 'auth', 'chat', 'community', 'health'];

/** Sections 1 and 2 of the health document. */
export function healthSections({ gateway, ask, ...server }: HealthServer): Section[] {
  const { person, account, connected, count, register, world } = server;
  const amira = { as: world.amira };
  const document = async () => (await gateway.request('/openapi/health.json')).json;
  const hasPaths =
    (...lines: string[]): (() => Promise<void>) =>
    async () => {
      const { paths } = await document();
      for (const line of lines) {
        const [method = '', path = ''] = line.split(' ');
        expect(paths[path]).toHaveProperty(method.toLowerCase());
      }
    };
  const record = (name: string): Statement => [
    `there is a record ${name}`,
    async () => expect((await document()).components.schemas).toHaveProperty(name),
  ];
  const list = (name: string, line: () => Promise<string> | string): Statement => [
    `${name} has an envelope of count, next, previous and results`,
    async () => {
      const { status, json } = await ask(await line(), amira);
      expect(status).toBe(200);
      expect(Object.keys(json)).toEqual(['count', 'next', 'previous', 'results']);
      expect(Number.isInteger(json.count)).toBe(true);
      expect(Array.isArray(json.results)).toBe(true);
      for (const link of [json.next, json.previous]) if (link !== null) expect(URL.canParse(link)).toBe(true);
    },
  ];
  const first = async (path: string): Promise<{ id: string; peer: { id: number } }> =>
    (await ask(`GET ${path}`, amira)).json[0];
  const section = (title: string, statements: readonly Statement[]): Section => ({
    document: 'health',
    title,
    statements,
  });
  return [
    section('1. What the service does', [
      ['paths are below /api/v1', async () => expect((await ask('GET /articles/')).status).toBe(200)],
      [
        'nothing of it is served without that prefix',
        async () =>
          expect((await gateway.request('/articles/', { headers: { 'user-agent': 'test' } })).status).toBe(404),
      ],
      [
        'answers are JSON',
        async () => expect((await ask('GET /articles/')).headers.get('content-type')).toBe('application/json'),
      ],
      [
        'errors are JSON',
        async () => expect((await ask('GET /health/goals/')).headers.get('content-type')).toBe('application/json'),
      ],
      [
        'requests are JSON',
        async () => expect((await ask('POST /auth/register/', { body: register() })).status).toBe(201),
      ],
      [
        'there are seven areas with one tag each',
        async () => {
          const { tags, paths } = await document();
          expect(tags.map((one: { name: string }) => one.name).toSorted()).toEqual(areas);
          for (const methods of Object.values(paths as Record<string, Record<string, { tags: string[] }>>))
            for (const operation of Object.values(methods)) expect(operation.tags).toHaveLength(1);
        },
      ],
      ['ads gives an advertisement and records clicks', hasPaths('GET /ads/', 'POST /ads/{id}/click/')],
      ['articles has a public feed', async () => expect((await ask('GET /articles/')).status).toBe(200)],
      [
        'articles has bookmarks, likes, comments and recommendations',
        hasPaths(
          'GET /articles/bookmarks/',
          'POST /articles/{id}/like/',
          'GET /articles/{id}/comments/',
          'GET /articles/recommended/',
        ),
      ],
      ['assessments are made for accounts', hasPaths('POST /assessments/', 'GET /assessments/')],
      [
        'an assessment of a guest is answered and never stored',
        async () => {
          const before = await count('assessment');
          const { status, json } = await ask('POST /assessments/guest/', { body: { symptoms: ['cough'] } });
          expect([status, json.status, await count('assessment')]).toEqual([201, 'completed', before]);
        },
      ],
      [
        'auth registers, activates, logs in and out, and makes guests',
        hasPaths(
          'POST /auth/register/',
          'POST /auth/activate/',
          'POST /auth/login/',
          'POST /auth/logout/',
          'POST /auth/guest/',
        ),
      ],
      ['auth changes and resets passwords', hasPaths('POST /auth/password/change/', 'POST /auth/password/reset/')],
      [
        'auth reads, changes and deletes the profile',
        hasPaths('GET /auth/me/', 'PATCH /auth/me/', 'DELETE /auth/me/delete/'),
      ],
      ['chat has the companion with a history', hasPaths('POST /chat/ai/', 'GET /chat/ai/history/')],
      [
        'chat has direct, private and group chats',
        hasPaths('GET /chat/direct/{id}/messages/', 'GET /chat/private/', 'GET /chat/groups/'),
      ],
      [
        'community has groups, connections and suggestions',
        hasPaths('GET /community/groups/', 'GET /community/peers/suggested/'),
      ],
      ['health has a dashboard and goals', hasPaths('GET /health/dashboard/', 'GET /health/goals/')],
    ]),
    section('2. Resources and their fields', [
      list('the list of articles', () => 'GET /articles/'),
      list('the list of bookmarks', () => 'GET /articles/bookmarks/'),
      list('the list of recommendations', () => 'GET /articles/recommended/'),
      list('a list of comments', () => 'GET /articles/25/comments/'),
      list(
        'a list of direct messages',
        async () => `GET /chat/direct/${(await first('/chat/private/')).peer.id}/messages/`,
      ),
      list('a chat group', async () => `GET /chat/groups/${(await first('/chat/groups/')).id}/`),
      list('a list of group messages', async () => `GET /chat/groups/${(await first('/chat/groups/')).id}/messages/`),
      list(
        'a list of private messages',
        async () => `GET /chat/private/${(await first('/chat/private/')).id}/messages/`,
      ),
      list('the list of connections', () => 'GET /community/peers/connections/'),
      list('the list of goals', () => 'GET /health/goals/'),
      [
        'next is null on the last page, and previous on the first',
        async () => {
          const one = (await ask('GET /articles/?page_size=1')).json;
          const last = (await ask('GET /articles/?page_size=1&page=last')).json;
          expect([one.previous, last.next, typeof one.next, typeof last.previous]).toEqual([
            null,
            null,
            'string',
            'string',
          ]);
        },
      ],
      [
        'count is the number of all items',
        async () => {
          const { count: total } = (await ask('GET /articles/?page_size=1')).json;
          const last = await ask(`GET /articles/?page_size=1&page=${total}`);
          expect([last.status, (await ask(`GET /articles/?page_size=1&page=${total + 1}`)).status]).toEqual([200, 404]);
        },
      ],
      ...['ArticleList', 'ArticleDetail', 'RecommendedArticle', 'Comment', 'Assessment', 'TokenRefresh'].map(record),
      ...['Message', 'PeerConnection', 'HealthGoal'].map(record),
      [
        'source is one of seven values: six lower-case codes and other',
        async () => {
          const { parameters } = (await document()).paths['/articles/'].get;
          const source = parameters.find((one: { name: string }) => one.name === 'source');
          const { enum: values } = (await document()).components.schemas[source.schema.$ref.split('/').at(-1)];
          expect(values).toHaveLength(7);
          expect(values.at(-1)).toBe('other');
          for (const value of values) {
            expect(value).toBe(value.toLowerCase());
            expect((await ask(`GET /articles/?source=${value}`)).status).toBe(200);
          }
        },
      ],
      ['another source is refused', async () => expect((await ask('GET /articles/?source=nobody')).status).toBe(400)],
      [
        'an account is active until it is deleted, and has a time of deletion from then on',
        async () => {
          const { id, access } = await person();
          expect(await account(id)).toEqual({ isActive: true, deletedAt: null });
          await ask('DELETE /auth/me/delete/', { as: access });
          expect(await account(id)).toEqual({ isActive: false, deletedAt: expect.anything() });
        },
      ],
      [
        'a connection is between two people',
        async () => {
          const [one, other] = await connected();
          const [{ requester, receiver }] = (await ask('GET /community/peers/connections/', { as: one.access })).json
            .results;
          expect([requester.id, receiver.id]).toEqual([one.id, other.id]);
        },
      ],
      ...(['accepted', 'declined', 'blocked'] as const).map(
        (status): Statement => [
          `a connection can be ${status}`,
          async () => {
            const [one, other] = [await person(), await person()];
            await ask('PATCH /auth/me/', { as: other.access, body: { is_visible_in_community: true } });
            const { json } = await ask('POST /community/peers/connect/', {
              as: one.access,
              body: { receiver_id: other.id },
            });
            const answer = await ask(`PATCH /community/peers/${json.id}/`, { as: other.access, body: { status } });
            expect([answer.status, answer.json.status]).toEqual([200, status]);
          },
        ],
      ),
    ]),
  ];
}
