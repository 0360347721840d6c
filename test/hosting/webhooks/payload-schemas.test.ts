import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { sql } from 'kysely';
import { recordImportEvent } from '../../../src/hosting/source-imports/import-event.ts';
import { type Answer, testGateway } from '../../harness/gateway.ts';
import { acceptInvitations, appJwt, call, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { until } from '../../jobs/job-harness.ts';
import { openReceiver, payloadOf, type Received } from './receiver.ts';

const settings = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', DATABASE_POOL: '10', BASE_URL: 'https://code.example.org' };
// Without workers: no payload is built before the last change.
const gateway = await testGateway({ data: 'demo', settings });
const demo = await demoOf(gateway);
const receiver = await openReceiver();
afterAll(() => receiver.close());
const db = gateway.database.sql;
const wren = demo.users.wren.classic_token;
const juniper = demo.users.juniper.classic_token;

const schemas: { definitions: Record<string, object> } = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@octokit/webhooks-schemas'), 'utf8'),
);
const ajv = new Ajv({ allErrors: true, strict: false });
addFormats.default(ajv);
ajv.addSchema(schemas, 'payloads');

/** Published schema of an event: of its action, or of the event where it has no actions. */
function schemaOf(event: string, action: string | undefined): string | undefined {
  return [`${event}$${action}`, `${event}$event`, `${event}_event`].find(name => name in schemas.definitions);
}

/**
 * What the published schemas are too narrow for, because they are older than the description of the API: permissions of today, reading
 * collaborators, transfers from organizations. The webhook of an app has no address of its own there.
 */
const narrow = [
  /^installation\w*\$\w+ \/installation\/permissions must NOT have additional properties/,
  /^member\$added \/changes\/permission\/to must be equal/,
  /^member\$edited \/changes must NOT have additional properties \{"additionalProperty":"permission"\}/,
  /^repository\$transferred \/changes\/owner\/from must NOT have additional .*"organization"/,
  /^ping\$event \/hook must have required property '(ping_)?url' .*of an app$/,
  // An invitation by mail is to nobody that has an account yet.
  /^organization\$member_invited {2}must have required property 'user'/,
  /^organization\$member_invited \/invitation\/login must be string/,
];

/** Objects of every payload, by the name of their schema. */
const sharedObjects = { repository: 'repository', organization: 'organization', user: 'sender' };

function problemsBy(name: string, value: unknown): string[] {
  const validate = ajv.getSchema(`payloads#/definitions/${name}`);
  if (!validate) throw new Error(`No schema ${name}.`);
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${name} ${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Differences between a delivery and the published schema of its event, or those of its objects where the event has none. */
function problemsOf(got: Received): string[] {
  const payload = payloadOf(got);
  const name = schemaOf(String(got.headers['x-host-event']), payload.action);
  const problems =
    name === undefined
      ? Object.entries(sharedObjects).flatMap(([object, key]) =>
          payload[key] === undefined ? [] : problemsBy(object, payload[key]),
        )
      : problemsBy(name, payload);
  const about = payload.hook?.type === 'App' ? ' of an app' : '';
  return problems.map(one => `${one}${about}`).filter(one => !narrow.some(known => known.test(one)));
}

async function ask(method: string, path: string, body?: unknown, token = wren): Promise<Answer['json']> {
  const answer = await call(gateway, method, path, `Bearer ${token}`, body);
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text]);
  return answer.json;
}

async function mutate(mutation: string): Promise<Answer['json']> {
  const answer = await graphql(gateway, `mutation { ${mutation} }`, wren);
  expect([mutation, answer.errors]).toEqual([mutation, undefined]);
  return answer.data;
}

/** Waits until no delivery is pending. */
const settled = (): Promise<unknown> =>
  until('every delivery is made', async () => {
    const { rows } = await sql`select 1 from webhook_delivery where delivered_at is null limit 1`.execute(db);
    return rows.length === 0;
  });

const everyKind = [
  ...['create', 'delete', 'fork', 'installation created', 'installation deleted', 'installation suspend'],
  ...['installation unsuspend', 'installation_repositories added', 'installation_repositories removed', 'member added'],
  ...['member edited', 'member removed', 'organization member_added', 'organization member_invited'],
  ...['organization member_removed', 'ping', 'public', 'push', 'repository archived', 'repository created'],
  ...['repository edited', 'repository privatized', 'repository publicized', 'repository renamed'],
  ...['repository transferred', 'repository unarchived', 'repository_import', 'repository_ruleset created'],
  ...['repository_ruleset deleted', 'repository_ruleset edited', 'star created', 'star deleted', 'watch started'],
];

const hook = { name: 'web', events: ['*'], config: { url: `${receiver.url}/hook`, content_type: 'json' } };

/** Changes that cause each kind of event of a repository. */
async function changeRepository(path: string): Promise<void> {
  const id = await globalIdOf(gateway, path);
  const content = Buffer.from('note').toString('base64');
  for (const [method, end, body] of [
    ['POST', '/hooks', hook],
    ['PUT', '/contents/note.txt', { message: 'Note', content }],
    ['PUT', '/collaborators/tomas', { permission: 'pull' }],
    ['PATCH', '', { description: 'Another', homepage: 'https://example.org', default_branch: 'main' }],
  ] as const) {
    await ask(method, `/repos/${path}${end}`, body);
  }
  const ruleset = { name: 'One', enforcement: 'active', target: 'branch', rules: [] };
  const { id: rulesetId } = await ask('POST', `/repos/${path}/rulesets`, ruleset);
  await ask('PUT', `/repos/${path}/rulesets/${rulesetId}`, { ...ruleset, name: 'Two' });
  await ask('DELETE', `/repos/${path}/rulesets/${rulesetId}`);
  await acceptInvitations(gateway, demo.users.tomas.classic_token);
  const { object } = await ask('GET', `/repos/${path}/git/ref/heads/main`);
  const pair = `repository: { id: "${id}" }, userId: "${await globalIdOf(gateway, 'tomas')}"`;
  await ask('POST', `/repos/${path}/git/refs`, { ref: 'refs/heads/side', sha: object.sha });
  await ask('POST', `/repos/${path}/git/refs`, { ref: 'refs/tags/v9', sha: object.sha });
  await ask('DELETE', `/repos/${path}/git/refs/heads/side`);
  await ask('DELETE', `/repos/${path}/git/refs/tags/v9`);
  await mutate(`setCollaborator(input: { ${pair}, permission: WRITE }) { permission }`);
  await mutate(`removeCollaborator(input: { ${pair} }) { user { id } }`);
  await mutate(`archiveRepository(input: { repositoryId: "${id}" }) { repository { id } }`);
  await mutate(`unarchiveRepository(input: { repositoryId: "${id}" }) { repository { id } }`);
  await ask('PATCH', `/repos/${path}`, { private: true });
  await ask('PATCH', `/repos/${path}`, { private: false });
  await ask('PUT', `/user/starred/${path}`, undefined);
  await ask('DELETE', `/user/starred/${path}`, undefined);
  await ask('POST', `/repos/${path}/forks`, {}, juniper);
}

/** Changes of an organization and of an app, and those of one of its repositories. */
async function causeEvents(): Promise<void> {
  await sql`update app set events = array['push', 'create', 'delete', 'repository', 'star', 'watch', 'member', 'fork', 'public',
    'organization'] where id = ${demo.app.id}`.execute(db);
  await sql`update installation set repository_selection = 'all', permissions =
    '{"contents":"write","metadata":"read","members":"read","administration":"read"}' where id = ${demo.app.installation_id}`.execute(
    db,
  );
  const app = await call(gateway, 'PATCH', '/app/hook/config', `Bearer ${await appJwt(gateway, demo)}`, {
    url: `${receiver.url}/app`,
    content_type: 'json',
  });
  expect(app.status).toBe(200);
  await ask('POST', '/orgs/harbor-lab/hooks', { ...hook, config: { ...hook.config, url: `${receiver.url}/org` } });
  await ask('POST', '/orgs/harbor-lab/repos', { name: 'pictured', auto_init: true });
  await changeRepository('harbor-lab/pictured');
  await ask('PATCH', '/repos/harbor-lab/pictured', { name: 'renamed' });
  await ask('POST', '/repos/harbor-lab/renamed/transfer', { new_owner: 'wren' });
  await ask('POST', '/repos/wren/renamed/transfer', { new_owner: 'harbor-lab' });
  await ask('DELETE', '/orgs/harbor-lab/memberships/tomas');
  await ask('PUT', '/orgs/harbor-lab/memberships/tomas', { role: 'member' });
  await ask('PATCH', '/user/memberships/orgs/harbor-lab', { state: 'active' }, demo.users.tomas.classic_token);
  await ask('POST', '/orgs/harbor-lab/invitations', { email: 'somebody@example.org' });
  const northgate = await globalIdOf(gateway, 'northgate');
  const install = (more: string): Promise<Answer['json']> =>
    mutate(
      `installApp(input: { slug: "harbor-pilot", accountId: "${northgate}"${more} }) { installation { id databaseId } }`,
    );
  const handbook = await globalIdOf(gateway, 'northgate/handbook');
  const { installApp } = await install(`, repositoryIds: ["${handbook}"]`);
  const { id } = installApp.installation;
  await install('');
  await install(`, repositoryIds: ["${handbook}"]`);
  for (const change of ['suspendInstallation', 'unsuspendInstallation', 'uninstallApp']) {
    await mutate(`${change}(input: { installationId: "${id}" }) { clientMutationId }`);
  }
  const repositoryId = (await ask('GET', '/repos/harbor-lab/renamed')).id;
  await recordImportEvent(db, { repositoryId, accountId: null }, 'success', gateway.clock.now);
}

await causeEvents();
await testGateway({ beside: gateway, workers: true, settings });
await settled();

test('every payload has what the published schema of its event asks for', () => {
  const kinds = receiver.received.map(got => [got.headers['x-host-event'], payloadOf(got).action].join(' ').trim());
  expect([...new Set(kinds)].sort()).toEqual(everyKind);
  const problems = new Set(receiver.received.flatMap(problemsOf));
  expect([...problems].sort()).toEqual([]);
});

test('every payload shows the moment of its event, though all are built after the last', () => {
  const pictures = (event: string, action?: string) =>
    receiver
      .of(event, action)
      .filter(({ path }) => path === '/hook')
      .map(payloadOf);
  const repositories = (event: string, action?: string) => pictures(event, action).map(({ repository }) => repository);
  const pictured = { full_name: 'harbor-lab/pictured', name: 'pictured', owner: { login: 'harbor-lab' } };
  expect(repositories('repository', 'archived')).toMatchObject([{ ...pictured, archived: true }]);
  expect(repositories('repository', 'unarchived')).toMatchObject([{ ...pictured, archived: false }]);
  expect(repositories('repository', 'privatized')).toMatchObject([{ ...pictured, private: true }]);
  expect(repositories('star', 'created')).toMatchObject([{ ...pictured, stargazers_count: 1 }]);
  expect(repositories('star', 'deleted')).toMatchObject([{ ...pictured, stargazers_count: 0 }]);
  expect(repositories('repository', 'renamed')).toMatchObject([{ full_name: 'harbor-lab/renamed' }]);
  const owners = pictures('repository', 'transferred').map(({ repository, organization }) => [
    repository.full_name,
    repository.owner.type,
    organization?.login,
  ]);
  expect(owners.sort()).toEqual([
    ['harbor-lab/renamed', 'Organization', 'harbor-lab'],
    ['wren/renamed', 'User', undefined],
  ]);
  const compared = new Set(pictures('push').map(({ compare }) => compare.split('/compare/')[0]));
  expect([...compared]).toEqual([`${settings.BASE_URL}/harbor-lab/pictured`]);
});
