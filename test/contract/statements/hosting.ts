import { expect } from '@jest/globals';
import { call } from '../../harness/hosting.ts';
import { hostingEndpoints } from './hosting-endpoints.ts';
import { hostingEvents } from './hosting-events.ts';
import { hostingLimits } from './hosting-limits.ts';
import { hostingQueries } from './hosting-queries.ts';
import { hostingRequests, tip } from './hosting-requests.ts';
import { hostingResources } from './hosting-resources.ts';
import type { HostingServer } from './hosting-world.ts';
import type { Section, Statement } from './statement.ts';

const compass = '/repos/harbor-lab/compass';

/** Every section of the hosting document. */
export function hostingSections(server: HostingServer): Section[] {
  return [
    conventions(server),
    hostingResources(server),
    hostingEndpoints(server),
    hostingRequests(server),
    hostingQueries(server),
    authentication(server),
    ...hostingEvents(server),
    errors(server),
    ...hostingLimits(server),
  ];
}

const section = (title: string, statements: readonly Statement[]): Section => ({
  document: 'hosting',
  title,
  statements,
});

function conventions({ ask, put, world }: HostingServer): Section {
  return section('1. What the service does', [
    ['paths are at the root', async () => expect((await ask('GET /events')).status).toBe(200)],
    ['the same paths are below /api/v3', async () => expect((await ask('GET /api/v3/events')).status).toBe(200)],
    [
      'both give the same answer',
      async () => {
        const [one, two] = [
          await ask(`GET ${compass}/git/commits/${await tip(ask)}`),
          await ask(`GET /api/v3${compass}/git/commits/${await tip(ask)}`),
        ];
        expect([two.status, two.json.sha]).toEqual([200, one.json.sha]);
      },
    ],
    [
      'answers are JSON',
      async () =>
        expect((await ask('GET /events')).headers.get('content-type')).toBe('application/json; charset=utf-8'),
    ],
    ['GET retrieves', async () => expect((await ask(`GET ${compass}/contents/README.md`)).json.name).toBe('README.md')],
    [
      'POST creates',
      async () => {
        const repository = await world.repository();
        const ref = {
          ref: 'refs/heads/topic',
          sha: (await ask(`GET ${repository}/git/ref/heads/main`)).json.object.sha,
        };
        expect((await ask(`POST ${repository}/git/refs`, { body: ref })).status).toBe(201);
      },
    ],
    [
      'PUT replaces',
      async () => {
        const repository = await world.repository();
        const { json } = await put(repository, 'a.txt', 'one');
        await put(repository, 'a.txt', 'two', { sha: json.content.sha });
        const { content } = (await ask(`GET ${repository}/contents/a.txt`)).json;
        expect(Buffer.from(content, 'base64').toString()).toBe('two');
      },
    ],
    [
      'DELETE deletes',
      async () => {
        const repository = await world.repository();
        const { json } = await put(repository, 'a.txt', 'one');
        await ask(`DELETE ${repository}/contents/a.txt`, { body: { message: 'Remove', sha: json.content.sha } });
        expect((await ask(`GET ${repository}/contents/a.txt`)).status).toBe(404);
      },
    ],
  ]);
}

function authentication({ gateway, world, ask }: HostingServer): Section {
  const token = world.demo.users.wren.classic_token;
  const viewer = (as: string | null) => ask('GET /user', { as });
  const hook = (as: string) => ask('GET /app/hook/config', { as });
  const { tokens } = world.demo;
  return section('5. Authentication', [
    [
      'a token goes into Authorization as Bearer',
      async () => expect((await viewer(`Bearer ${token}`)).status).toBe(200),
    ],
    ['token works in the place of Bearer', async () => expect((await viewer(`token ${token}`)).status).toBe(200)],
    ['a JWT works as Bearer', async () => expect((await hook(await world.asApp())).status).toBe(200)],
    [
      'a JWT does not work as token',
      async () => expect((await hook((await world.asApp()).replace('Bearer', 'token'))).status).toBe(401),
    ],
    ['there are classic tokens', async () => expect((await viewer(`Bearer ${token}`)).json.login).toBe('wren')],
    [
      'there are fine-grained tokens',
      async () => expect((await viewer(`Bearer ${world.demo.users.wren.fine_grained_token}`)).status).toBe(200),
    ],
    ['there are OAuth tokens', async () => expect((await viewer(`Bearer ${tokens.oauth}`)).status).toBe(200)],
    [
      'there are user tokens of apps',
      async () => expect((await viewer(`Bearer ${tokens.user_to_server}`)).status).toBe(200),
    ],
    [
      'there are installation tokens',
      async () =>
        expect((await ask('GET /installation/repositories', { as: `Bearer ${tokens.installation}` })).status).toBe(200),
    ],
    [
      'there are tokens of workflows',
      async () =>
        expect((await ask(`GET ${compass}/contents/README.md`, { as: `Bearer ${tokens.workflow}` })).status).toBe(200),
    ],
    [
      'an installation token lives for an hour',
      async () => {
        const path = `/app/installations/${world.demo.app.installation_id}/access_tokens`;
        const { json } = await call(gateway, 'POST', path, await world.asApp());
        expect(Math.round((Date.parse(json.expires_at) - gateway.clock.now.getTime()) / 60_000)).toBe(60);
      },
    ],
    [
      'some endpoints of apps take the client ID and the secret',
      async () => {
        const path = `/applications/${world.demo.oauth_app.client_id}/token`;
        const body = { access_token: tokens.oauth };
        expect((await call(gateway, 'POST', path, world.oauthApp, body)).status).toBe(200);
      },
    ],
    ...(['user_to_server', 'installation'] as const).map(
      (kind): Statement => [
        `the webhook of an app takes no ${kind.replaceAll('_', '-')} token`,
        async () => expect((await hook(`Bearer ${tokens[kind]}`)).status).toBe(401),
      ],
    ),
    [
      'the webhook of an app takes no fine-grained token',
      async () => expect((await hook(`Bearer ${world.demo.users.wren.fine_grained_token}`)).status).toBe(401),
    ],
    [
      'a password is refused with 4xx',
      async () => {
        const { status } = await viewer(`Basic ${Buffer.from('wren:correct horse').toString('base64')}`);
        expect([400, 401, 403]).toContain(status);
      },
    ],
    [
      'public data need no token',
      async () => expect((await ask(`GET ${compass}/contents/README.md`, { as: null })).status).toBe(200),
    ],
    [
      'private data without a token are 404',
      async () => expect((await ask('GET /repos/harbor-lab/ledger/contents/', { as: null })).status).toBe(404),
    ],
    ['an invalid credential is 401', async () => expect((await viewer('Bearer nonsense')).status).toBe(401)],
    [
      'answers name the permissions that the endpoint needs',
      async () => {
        const { headers } = await ask(`GET ${compass}/contents/README.md`);
        expect(headers.get('x-accepted-host-permissions')).toBe('contents=read');
      },
    ],
    [
      'insights need the permission of the organization',
      async () => {
        const { headers } = await ask(
          'GET /orgs/harbor-lab/insights/api/summary-stats?min_timestamp=2026-09-30T00:00:00Z',
        );
        expect(headers.get('x-accepted-host-permissions')).toContain('read');
      },
    ],
    [
      'rule suites need the administration of the organization',
      async () => {
        const { headers } = await ask('GET /orgs/harbor-lab/rulesets/rule-suites');
        expect(headers.get('x-accepted-host-permissions')).toBe('organization_administration=write');
      },
    ],
  ]);
}

function errors({ gateway, ask }: HostingServer): Section {
  return section('7. Errors', [
    [
      'a request without User-Agent is refused with 403',
      async () => expect((await gateway.request('/events', { headers: { 'user-agent': ' ' } })).status).toBe(403),
    ],
    [
      'what does not exist is 404',
      async () => expect((await ask('GET /repos/harbor-lab/nothing/events')).status).toBe(404),
    ],
    [
      'a malformed body is 400',
      async () => expect((await ask(`PUT ${compass}/contents/x`, { body: '{' })).status).toBe(400),
    ],
    ...[`GET ${compass}/contents/none`, 'GET /orgs/none/events', 'GET /users/none/events/public'].map(
      (line): Statement => [
        `${line.replace(/^GET /, '')} is 404 with a message`,
        async () => {
          const { status, json } = await ask(line);
          expect([status, typeof json.message]).toEqual([404, 'string']);
        },
      ],
    ),
    [
      'a 422 has a message',
      async () => expect(typeof (await ask(`PUT ${compass}/contents/x`, { body: {} })).json.message).toBe('string'),
    ],
    [
      'a 401 has a message',
      async () => expect((await ask('GET /user', { as: 'Bearer x' })).json.message).toBe('Bad credentials'),
    ],
  ]);
}
