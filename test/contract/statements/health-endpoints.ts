import { expect } from '@jest/globals';
import type { Answer } from '../../harness/gateway.ts';
import type { HealthServer } from './health-world.ts';
import type { Section, Statement } from './statement.ts';

type Judge = (answer: Answer) => unknown;

const envelope: Judge = ({ json }) => expect(Object.keys(json)).toEqual(['count', 'next', 'previous', 'results']);
const array: Judge = ({ json }) => expect(Array.isArray(json)).toBe(true);
const object: Judge = ({ json }) => expect(json).toEqual(expect.any(Object));
const empty: Judge = ({ text }) => expect(text).toBe('');
const has =
  (...keys: string[]): Judge =>
  ({ json }) => {
    for (const key of keys) expect(json).toHaveProperty(key);
  };

/** Endpoint, what it does, the operation whose example is sent, its status, and what its answer is judged by. */
const endpoints: readonly [line: string, does: string, operation: string, status: number, judge: Judge][] = [
  ['GET /ads/', 'returns one live advertisement', 'GetAd', 200, has('id', 'title', 'target_url')],
  ['POST /ads/{id}/click/', 'records a click', 'ClickAd', 201, object],
  ['GET /articles/', 'returns the feed', 'ListArticles', 200, envelope],
  ['GET /articles/bookmarks/', 'returns the saved articles', 'ListBookmarks', 200, envelope],
  ['GET /articles/recommended/', 'returns the personal feed', 'ListRecommendedArticles', 200, envelope],
  ['GET /articles/{id}/', 'returns the article', 'GetArticle', 200, has('id', 'headline', 'body')],
  ['POST /articles/{id}/bookmark/', 'toggles the bookmark', 'ToggleBookmark', 201, has('bookmarked')],
  ['GET /articles/{id}/comments/', 'returns the comments', 'ListComments', 200, envelope],
  [
    'POST /articles/{id}/comments/',
    'takes and returns a comment',
    'WriteComment',
    201,
    has('id', 'text', 'created_at'),
  ],
  ['POST /articles/{id}/like/', 'toggles the like', 'ToggleLike', 201, has('liked')],
  ['GET /assessments/', 'returns the list', 'ListAssessments', 200, array],
  ['POST /assessments/', 'creates one', 'CreateAssessment', 201, has('id', 'status', 'result')],
  ['POST /assessments/guest/', 'returns a result', 'AssessAsGuest', 201, has('result')],
  ['GET /assessments/{id}/', 'returns the assessment', 'GetAssessment', 200, has('id', 'symptoms', 'result')],
  ['POST /auth/register/', 'creates an account', 'Register', 201, has('id', 'email')],
  ['POST /auth/activate/', 'activates it', 'Activate', 201, has('access', 'refresh', 'user')],
  ['POST /auth/resend-activation/', 'is answered 201', 'ResendActivation', 201, has('detail')],
  ['POST /auth/login/', 'is answered 201', 'Login', 201, has('access', 'refresh', 'user')],
  ['POST /auth/logout/', 'is answered 201', 'Logout', 201, has('detail')],
  ['POST /auth/guest/', 'returns tokens of a guest', 'StartGuest', 201, has('access', 'refresh', 'user')],
  ['POST /auth/token/refresh/', 'takes and returns a TokenRefresh', 'RefreshToken', 201, has('access', 'refresh')],
  ['GET /auth/me/', 'returns the profile', 'GetMe', 200, has('id', 'email', 'first_name')],
  ['PATCH /auth/me/', 'changes the profile', 'UpdateMe', 200, has('id', 'height_cm')],
  ['DELETE /auth/me/delete/', 'deletes the account softly', 'DeleteMe', 204, empty],
  ['POST /auth/password/change/', 'is answered 201', 'ChangePassword', 201, has('detail')],
  ['POST /auth/password/reset/', 'is answered 201', 'RequestPasswordReset', 201, has('detail')],
  ['POST /auth/password/reset/confirm/', 'is answered 201', 'ConfirmPasswordReset', 201, has('detail')],
  ['POST /chat/ai/', 'answers a message', 'AskCompanion', 201, has('reply', 'user_message')],
  ['GET /chat/ai/history/', 'returns the history', 'ListCompanionHistory', 200, array],
  ['DELETE /chat/ai/history/', 'clears the history', 'ClearCompanionHistory', 204, empty],
  ['GET /chat/direct/{id}/messages/', 'returns messages', 'ListDirectMessages', 200, envelope],
  ['GET /chat/groups/', 'returns the groups', 'ListChatGroups', 200, array],
  ['POST /chat/groups/', 'creates a group', 'CreateChatGroup', 201, has('id', 'name')],
  ['GET /chat/groups/{id}/', 'returns messages', 'GetChatGroup', 200, envelope],
  ['POST /chat/groups/{id}/join/', 'joins', 'JoinChatGroup', 201, has('is_member')],
  ['POST /chat/groups/{id}/leave/', 'leaves', 'LeaveChatGroup', 201, has('is_member')],
  ['GET /chat/groups/{id}/messages/', 'returns messages', 'ListGroupMessages', 200, envelope],
  ['POST /chat/messages/', 'sends a message', 'SendMessage', 201, has('id', 'content')],
  ['GET /chat/private/', 'returns the private chats', 'ListPrivateChats', 200, array],
  ['POST /chat/private/', 'opens a private chat', 'StartPrivateChat', 201, has('id', 'participants')],
  ['GET /chat/private/{id}/messages/', 'returns messages', 'ListPrivateMessages', 200, envelope],
  ['GET /chat/users/', 'returns people to write to', 'ListChatUsers', 200, array],
  ['GET /community/groups/', 'returns the groups', 'ListCommunityGroups', 200, array],
  ['POST /community/groups/', 'creates a group', 'CreateCommunityGroup', 201, has('id', 'name')],
  ['GET /community/groups/{id}/', 'returns the group', 'GetCommunityGroup', 200, has('id', 'name')],
  ['POST /community/groups/{id}/join/', 'joins', 'JoinCommunityGroup', 201, has('is_member')],
  ['POST /community/groups/{id}/leave/', 'leaves', 'LeaveCommunityGroup', 201, has('is_member')],
  ['POST /community/peers/connect/', 'sends a request', 'ConnectPeer', 201, has('id', 'status')],
  ['GET /community/peers/connections/', 'returns connections', 'ListPeerConnections', 200, envelope],
  ['GET /community/peers/suggested/', 'returns suggestions', 'ListSuggestedPeers', 200, array],
  ['PATCH /community/peers/{id}/', 'answers a request', 'AnswerPeerConnection', 200, has('id', 'status')],
  ['GET /health/dashboard/', 'returns a summary', 'GetHealthDashboard', 200, has('last_7_days', 'last_30_days')],
  ['GET /health/goals/', 'returns the goals', 'ListHealthGoals', 200, envelope],
  ['POST /health/goals/', 'takes and returns a goal', 'CreateHealthGoal', 201, has('id', 'goal_type', 'target_value')],
  ['GET /health/goals/{id}/', 'returns the goal', 'GetHealthGoal', 200, has('id', 'goal_type')],
  ['PUT /health/goals/{id}/', 'replaces the goal', 'ReplaceHealthGoal', 200, has('id', 'target_value')],
  ['PATCH /health/goals/{id}/', 'changes the goal', 'UpdateHealthGoal', 200, has('id', 'current_value')],
  ['DELETE /health/goals/{id}/', 'deletes the goal', 'DeleteHealthGoal', 204, empty],
];

const needBodies = [
  'POST /articles/25/comments/',
  'POST /auth/token/refresh/',
  'POST /health/goals/',
  'PUT /health/goals/{goal}/',
  'PATCH /health/goals/{goal}/',
];

/** Section 4 of the health document. */
export function healthEndpoints({ gateway, ask, call, ...server }: HealthServer): Section {
  const { account, connected, person, guest, world } = server;
  const amira = { as: world.amira };
  const goal = { goal_type: 'steps', target_value: '8000' };
  const sees = async (line: string, as?: string): Promise<number> => (await ask(line, { as })).status;
  const rows = endpoints.map(
    ([line, does, operation, status, judge]): Statement => [
      `${line} ${does} with ${status}`,
      async () => {
        const { json } = await gateway.request('/openapi/health.json');
        const [method = '', path = ''] = line.split(' ');
        expect(json.paths[path][method.toLowerCase()].operationId).toBe(operation);
        const answer = await call(operation);
        expect({ status: answer.status, body: answer.status === status ? '' : answer.text }).toEqual({
          status,
          body: '',
        });
        await judge(answer);
      },
    ],
  );
  const bodies = needBodies.map(
    (line): Statement => [
      `${line.replace('25', '{id}').replace('{goal}', '{id}')} needs a body`,
      async () => {
        const { id } = (await ask('POST /health/goals/', { ...amira, body: goal })).json;
        expect((await ask(line.replace('{goal}', id), amira)).status).toBe(400);
      },
    ],
  );
  const listPaths = ['articles', 'articles/bookmarks', 'articles/recommended', 'articles/25/comments', 'health/goals'];
  const lists = [...listPaths, 'community/peers/connections'].map(
    (path): Statement => [
      `GET /${path.replace('25', '{id}')}/ takes search, ordering and page`,
      async () => {
        const { status } = await ask(`GET /${path}/?search=e&ordering=-id&page=1`, amira);
        expect([status, await sees(`GET /${path}/?page=9999`, world.amira)]).toEqual([200, 404]);
      },
    ],
  );
  const isPublic = ['/articles/', '/articles/25/'].map(
    (path): Statement => [
      `GET ${path.replace('25', '{id}')} is public, for guests too`,
      async () =>
        expect([await sees(`GET ${path}`), await sees(`GET ${path}`, (await guest()).access)]).toEqual([200, 200]),
    ],
  );
  const statements: Statement[] = [
    ...rows,
    ...bodies,
    ...lists,
    ...isPublic,
    [
      'the parameter id is a text in every path',
      async () => {
        const { paths } = (await gateway.request('/openapi/health.json')).json;
        const found = Object.values(paths as Record<string, Record<string, { parameters?: Described[] }>>)
          .flatMap(methods => Object.values(methods).flatMap(({ parameters = [] }) => parameters))
          .filter(one => one.in === 'path' && one.name === 'id');
        expect([...new Set(found.map(one => one.schema.type))]).toEqual(['string']);
      },
    ],
    [
      'search is for texts that an article has',
      async () => {
        const { results } = (await ask('GET /articles/?search=sleep')).json;
        expect([results.length > 0, (await ask('GET /articles/?search=qzxqzx')).json.count]).toEqual([true, 0]);
      },
    ],
    [
      'ordering is a field to order by',
      async () => {
        const ids = async (by: string): Promise<number[]> =>
          (await ask(`GET /articles/?ordering=${by}`)).json.results.map((one: { id: number }) => one.id);
        const [up, down] = [await ids('id'), await ids('-id')];
        expect(up).toEqual(up.toSorted((a, b) => a - b));
        expect(down).toEqual(down.toSorted((a, b) => b - a));
      },
    ],
    [
      'categories__slug selects a category of articles',
      async () => {
        const { results } = (await ask('GET /articles/')).json;
        const { slug } = results.flatMap((one: { categories: { slug: string }[] }) => one.categories)[0];
        const { json } = await ask(`GET /articles/?categories__slug=${slug}`);
        expect(json.count).toBeGreaterThan(0);
        for (const one of json.results as { categories: { slug: string }[] }[])
          expect(one.categories.map(category => category.slug)).toContain(slug);
      },
    ],
    [
      'source selects articles of a publisher',
      async () => {
        const [{ source }] = (await ask('GET /articles/')).json.results;
        const { results } = (await ask(`GET /articles/?source=${source}`)).json;
        expect(new Set(results.map((one: { source: string }) => one.source))).toEqual(new Set([source]));
      },
    ],
    [
      'bookmarks are those of the caller',
      async () => expect((await ask('GET /articles/bookmarks/', { as: (await person()).access })).json.count).toBe(0),
    ],
    [
      'POST /auth/guest/ needs no body',
      async () => expect((await ask('POST /auth/guest/')).json.user).toMatchObject({ is_guest: true }),
    ],
    [
      'the guest assessment takes a body of seven fields',
      async () => {
        const body = {
          ...{ subject: 'myself', blood_type: 'A', allergies: 'none', symptoms: ['cough'] },
          ...{ symptom_duration: 'Less than a week', has_other_symptoms: false, symptoms_trend: 'no change' },
        };
        expect((await ask('POST /assessments/guest/', { body })).status).toBe(201);
      },
    ],
    [
      'people to write to are those with an accepted connection',
      async () => {
        const [one, other] = await connected();
        const users = (await ask('GET /chat/users/', { as: one.access })).json;
        expect(users.map((user: { id: number }) => user.id)).toEqual([other.id]);
      },
    ],
    [
      'connections are the accepted ones',
      async () => {
        const { results } = (await ask('GET /community/peers/connections/', amira)).json;
        expect(new Set(results.map((one: { status: string }) => one.status))).toEqual(new Set(['accepted']));
      },
    ],
    [
      'POST /auth/activate/ makes the account active',
      async () => {
        const { email, token } = await world.registered();
        const { user } = (await ask('POST /auth/activate/', { body: { token } })).json;
        expect([user.email, (await account(user.id)).isActive]).toEqual([email, true]);
      },
    ],
    [
      'the dashboard has seven and thirty days',
      async () => {
        const { last_7_days: week, last_30_days: month } = (await ask('GET /health/dashboard/', amira)).json;
        const days = ({ from, to }: { from: string; to: string }): number =>
          (Date.parse(to) - Date.parse(from)) / 86_400_000;
        expect([Math.round(days(week)), Math.round(days(month))]).toEqual([7, 30]);
      },
    ],
    [
      'a goal that is deleted is gone',
      async () => {
        const { id } = (await ask('POST /health/goals/', { ...amira, body: goal })).json;
        await ask(`DELETE /health/goals/${id}/`, amira);
        expect(await sees(`GET /health/goals/${id}/`, world.amira)).toBe(404);
      },
    ],
    [
      'a history that is cleared is empty',
      async () => {
        const { access: as } = await person();
        await ask('POST /chat/ai/', { as, body: { message: 'How much water is enough?' } });
        await ask('DELETE /chat/ai/history/', { as });
        expect((await ask('GET /chat/ai/history/', { as })).json).toEqual([]);
      },
    ],
  ];
  return { document: 'health', title: '4. Endpoints', statements };
}

interface Described {
  name: string;
  in: string;
  schema: { type: string };
}
