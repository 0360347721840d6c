import { createHmac } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhooks } from '@octokit/webhooks';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { type Answer, testGateway } from '../../harness/gateway.ts';
import { createRef, deleteRef, repositoryNamed, updateRef } from '../../harness/git-mutations.ts';
import { appJwt, call, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { until } from '../../jobs/job-harness.ts';
import { type Behaviour, openReceiver, payloadOf, type Received } from './receiver.ts';
import { selfSigned } from './self-signed.ts';

const gateway = await testGateway({
  data: 'demo',
  workers: true,
  logLevel: 'info',
  settings: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', DATABASE_POOL: '10' },
});
const demo = await demoOf(gateway);
let behave: Behaviour | undefined;
const receiver = await openReceiver((request, response, nth) => {
  if (behave) behave(request, response, nth);
  else response.end('ok');
});
const tls = await openReceiver(undefined, selfSigned);
afterAll(async () => {
  await receiver.close();
  await tls.close();
});

const db = gateway.database.sql;
const secret = 'It is a secret to everybody: ü';
const wren = demo.users.wren.classic_token;
const asApp = async (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(gateway, method, path, `Bearer ${await appJwt(gateway, demo)}`, body);
const asWren = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(gateway, method, path, `Bearer ${wren}`, body);
const hosting = (query: string, variables: Record<string, unknown> = {}) => graphql(gateway, query, wren, variables);

async function configure(settings: object): Promise<void> {
  const answer = await asApp('PATCH', '/app/hook/config', settings);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

/** Each test starts with a webhook for all events, no pending deliveries and no received ones. */
beforeEach(async () => {
  behave = undefined;
  await sql`update app set events = array['push', 'create', 'delete', 'repository', 'star', 'watch', 'member'],
    webhook_url = ${`${receiver.url}/hooks`}, webhook_content_type = 'json', webhook_insecure_ssl = false,
    webhook_retries = false, webhook_disabled_at = null where id = ${demo.app.id}`.execute(db);
  await sql`update installation set suspended_at = null, repository_selection = 'all',
    permissions = '{"contents":"write","metadata":"read"}' where id = ${demo.app.installation_id}`.execute(db);
  await configure({ secret });
  await settled();
  receiver.received.length = 0;
});

/** Waits until no delivery is pending. */
const settled = (): Promise<unknown> =>
  until('every delivery is made', async () => {
    const { rows } = await sql`select 1 from webhook_delivery where delivered_at is null limit 1`.execute(db);
    return rows.length === 0;
  });
const arrived = (event: string, action?: string): Promise<Received> =>
  until(`${event} ${action ?? ''}`, () => receiver.of(event, action)[0]);

let files = 0;
const write = (repository = 'harbor-lab/compass', more: object = {}): Promise<Answer> =>
  asWren('PUT', `/repos/${repository}/contents/notes/${++files}.txt`, {
    message: `Note ${files}\n\nWith a second line.`,
    content: Buffer.from(`note ${files}`).toString('base64'),
    ...more,
  });
const list = async (query = ''): Promise<Answer> => asApp('GET', `/app/hook/deliveries${query}`);
const one = async (id: number): Promise<Answer> => asApp('GET', `/app/hook/deliveries/${id}`);
/** The newest delivery, once all are sent. */
async function newest(): Promise<Answer['json']> {
  await settled();
  return (await list('?per_page=1')).json[0];
}

describe('payloads', () => {
  const webhooks = new Webhooks({ secret });

  test.each(['json', 'form'])('a push as %s, signed', async contentType => {
    await configure({ content_type: contentType });
    const answer = await write();
    expect(answer.status).toBe(201);
    const got = await arrived('push');
    const payload = payloadOf(got);
    const { sha } = answer.json.commit;
    expect(payload.after).toBe(sha);
    const { headers, body } = got;
    expect(headers).toMatchObject({
      accept: '*/*',
      'content-type': contentType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      'user-agent': expect.stringMatching(/^Host-Hookshot\/[0-9a-f]{7}$/),
      'x-host-event': 'push',
      'x-host-hook-id': String(demo.app.id),
      'x-host-hook-installation-target-id': String(demo.app.id),
      'x-host-hook-installation-target-type': 'integration',
      'webhook-id': headers['x-host-delivery'],
    });
    expect(await webhooks.verify(body.toString(), String(headers['x-hub-signature-256']))).toBe(true);
    expect(await webhooks.verify(`${body} `, String(headers['x-hub-signature-256']))).toBe(false);
    expect(headers['x-hub-signature']).toBe(`sha1=${createHmac('sha1', secret).update(body).digest('hex')}`);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
  });

  test('the payload of a push', async () => {
    const before = (await asWren('GET', '/repos/harbor-lab/compass/git/commits/main')).json?.sha;
    const { commit } = (await write()).json;
    const payload = payloadOf(await arrived('push'));
    const web = `${gateway.url}/harbor-lab/compass`;
    const person = { ...commit.author, date: '2026-11-01T12:00:00Z' };
    const pushed = {
      id: commit.sha,
      tree_id: commit.tree.sha,
      distinct: true,
      message: `Note ${files}\n\nWith a second line.`,
      timestamp: '2026-11-01T12:00:00Z',
      url: `${web}/commit/${commit.sha}`,
      author: person,
      committer: person,
      added: [`notes/${files}.txt`],
      removed: [],
      modified: [],
    };
    const {
      repository: { custom_properties: customProperties, ...repository },
      organization,
      sender,
      ...own
    } = payload;
    expect(customProperties).toEqual({});
    const parent = commit.parents[0].sha;
    expect(before === undefined || before === parent).toBe(true);
    expect(own).toEqual({
      ref: 'refs/heads/main',
      before: parent,
      after: commit.sha,
      base_ref: null,
      created: false,
      deleted: false,
      forced: false,
      compare: `${web}/compare/${parent.slice(0, 12)}...${commit.sha.slice(0, 12)}`,
      commits: [pushed],
      head_commit: pushed,
      pusher: { name: 'wren', email: null },
      installation: { id: demo.app.installation_id, node_id: expect.any(String) },
    });
    // The same objects from the REST API, read by the same installation.
    const bearer = `Bearer ${(await asApp('POST', `/app/installations/${demo.app.installation_id}/access_tokens`)).json.token}`;
    const rest = async (path: string): Promise<object> => (await call(gateway, 'GET', `/api/v3${path}`, bearer)).json;
    const now = { updated_at: expect.any(String), pushed_at: expect.any(String), size: expect.any(Number) };
    expect(await rest('/repos/harbor-lab/compass')).toMatchObject({ ...repository, ...now });
    expect(await rest('/orgs/harbor-lab')).toMatchObject(organization);
    expect(await rest('/users/wren')).toMatchObject(sender);
    expect(Object.keys(repository).length).toBeGreaterThan(60);
  });

  test('created, force-pushed and deleted refs', async () => {
    const { commit } = (await write()).json;
    const parent: string = commit.parents[0].sha;
    const compass = await repositoryNamed(gateway, 'harbor-lab/compass');
    const change = async (mutation: string): Promise<void> => expect((await hosting(mutation)).errors).toBeUndefined();
    await change(`mutation { ${createRef(compass, 'refs/heads/side', commit.sha)} }`);
    await change(`mutation { ${createRef(compass, 'refs/tags/v9', commit.sha)} }`);
    const { sha } = (await write('harbor-lab/compass', { branch: 'side' })).json.commit;
    await change(`mutation { ${updateRef(compass, 'refs/heads/side', parent, { force: true })} }`);
    await change(`mutation { ${deleteRef(compass, 'refs/heads/side')} }`);
    await settled();
    const none = '0'.repeat(40);
    const pushes = receiver.of('push').map(payloadOf);
    const told = ({
      ref,
      before,
      after,
      created,
      deleted,
      forced,
      base_ref,
      commits,
      head_commit,
    }: (typeof pushes)[0]) => [
      [ref, before, after],
      [created, deleted, forced],
      base_ref,
      commits.map((one: { id: string; distinct: boolean }) => [one.id, one.distinct]),
      head_commit?.id ?? null,
    ];
    const expected = [
      [['refs/heads/main', parent, commit.sha], [false, false, false], null, [[commit.sha, true]], commit.sha],
      [['refs/heads/side', none, commit.sha], [true, false, false], 'refs/heads/main', [], commit.sha],
      [['refs/tags/v9', none, commit.sha], [true, false, false], null, [], commit.sha],
      [['refs/heads/side', commit.sha, sha], [false, false, false], null, [[sha, true]], sha],
      [['refs/heads/side', sha, parent], [false, false, true], null, [], parent],
      [['refs/heads/side', parent, none], [false, true, false], null, [], null],
    ];
    const sorted = (some: unknown[]): string[] => some.map(one => JSON.stringify(one)).sort();
    expect(sorted(pushes.map(told))).toEqual(sorted(expected));
    const about = (event: string) =>
      receiver
        .of(event)
        .map(payloadOf)
        .map(({ ref, ref_type, master_branch, description, pusher_type }) => ({
          ref,
          ref_type,
          master_branch,
          description,
          pusher_type,
        }));
    const repository = { master_branch: 'main', description: 'Which way is north, as a library.', pusher_type: 'user' };
    expect(about('create').sort((a, b) => (a.ref < b.ref ? -1 : 1))).toEqual([
      { ref: 'side', ref_type: 'branch', ...repository },
      { ref: 'v9', ref_type: 'tag', ...repository },
    ]);
    expect(about('delete')).toEqual([{ ref: 'side', ref_type: 'branch', pusher_type: 'user' }]);
  });

  test('stars, collaborators and repository changes', async () => {
    const [id, userId] = [await globalIdOf(gateway, 'harbor-lab/tides'), await globalIdOf(gateway, 'tomas')];
    const star = `Star(input: { starrableId: "${id}" }) { starrable { id } }`;
    const pair = `repository: { id: "${id}" }, userId: "${userId}"`;
    const archive = `rchiveRepository(input: { repositoryId: "${id}" }) { repository { id } }`;
    const changes = [
      `add${star}`,
      `add${star}`,
      `remove${star}`,
      `setCollaborator(input: { ${pair}, permission: READ }) { permission }`,
      `setCollaborator(input: { ${pair}, permission: WRITE }) { permission }`,
      `removeCollaborator(input: { ${pair} }) { user { id } }`,
      `a${archive}`,
      `una${archive}`,
      `updateRepository(input: { repositoryId: "${id}", name: "Tides" }) { repository { id } }`,
    ];
    await sql`delete from star`.execute(db);
    for (const one of changes) expect((await hosting(`mutation { ${one} }`)).errors).toBeUndefined();
    await settled();
    const told = receiver.received
      .map(got => ({ event: got.headers['x-host-event'], ...payloadOf(got) }))
      .map(({ event, action, starred_at, member, changes: changed }) =>
        JSON.stringify([event, action, starred_at, member?.login, changed]),
      )
      .sort();
    const expected = [
      ['member', 'added', undefined, 'tomas', { permission: { to: 'read' } }],
      [
        'member',
        'edited',
        undefined,
        'tomas',
        { permission: { to: 'write', from: 'read' }, old_permission: { from: 'read' } },
      ],
      ['member', 'removed', undefined, 'tomas', undefined],
      ['repository', 'archived'],
      ['repository', 'renamed', undefined, undefined, { repository: { name: { from: 'tides' } } }],
      ['repository', 'unarchived'],
      ['star', 'created', '2026-11-01T12:00:00Z'],
      ['star', 'deleted', null],
      ['watch', 'started'],
    ].map(one => JSON.stringify([...one, ...Array(5 - one.length).fill(undefined)]));
    expect(told).toEqual(expected.sort());
    // Both were built after the second change.
    const states = receiver.received
      .filter(got => got.headers['x-host-event'] === 'repository')
      .map(got => payloadOf(got))
      .map(({ action, repository }) => [action, repository.archived, repository.url]);
    const url = expect.stringMatching(/^https?:\/\/[^/]+\/api\/v3\/repos\/harbor-lab\/tides$/i);
    expect(states).toEqual(
      expect.arrayContaining([
        ['archived', true, url],
        ['unarchived', false, url],
      ]),
    );
  });

  test('installation events go to the app without a subscription', async () => {
    await sql`update app set events = '{}' where id = ${demo.app.id}`.execute(db);
    const accountId = await globalIdOf(gateway, 'northgate');
    const install = (some: string) =>
      hosting(
        `mutation { installApp(input: { slug: "harbor-pilot", accountId: "${accountId}"${some} }) { installation { id databaseId } } }`,
      );
    const handbook = await globalIdOf(gateway, 'northgate/handbook');
    const first = await install(`, repositoryIds: ["${handbook}"]`);
    const { id: installationId, databaseId: id } = first.data.installApp.installation;
    const change = (mutation: string) =>
      hosting(`mutation { ${mutation}(input: { installationId: "${installationId}" }) { clientMutationId } }`);
    const rest = (await asApp('GET', `/api/v3/app/installations/${id}`)).json;
    await install('');
    await change('suspendInstallation');
    await change('unsuspendInstallation');
    await change('uninstallApp');
    await settled();
    const names = (some: { full_name: string }[] | undefined) => some?.map(({ full_name }) => full_name);
    const told = receiver.received.map(got => {
      const { action, repositories, repositories_added } = payloadOf(got);
      return [got.headers['x-host-event'], action, names(repositories), names(repositories_added)];
    });
    const both = ['northgate/handbook', 'northgate/vault'];
    const sorted = (some: unknown[]): string[] => some.map(one => JSON.stringify(one)).sort();
    expect(sorted(told)).toEqual(
      sorted([
        ['installation', 'created', ['northgate/handbook'], undefined],
        ['installation_repositories', 'added', undefined, ['northgate/vault']],
        ['installation', 'suspend', [], undefined],
        ['installation', 'unsuspend', [], undefined],
        ['installation', 'deleted', both, undefined],
      ]),
    );
    const [created] = receiver.of('installation', 'created').map(payloadOf);
    expect(created.installation).toEqual(rest);
    expect(created.sender.login).toBe('wren');
  });
});

describe('recipients', () => {
  const nobodyIsTold = async (): Promise<void> => {
    const before = (await sql`select id from webhook_delivery`.execute(db)).rows.length;
    expect((await write()).status).toBe(201);
    expect((await sql`select id from webhook_delivery`.execute(db)).rows.length).toBe(before);
  };

  test('exclude apps without a subscription', async () => {
    await sql`update app set events = array['star'] where id = ${demo.app.id}`.execute(db);
    await nobodyIsTold();
  });

  test('exclude suspended installations', async () => {
    await sql`update installation set suspended_at = now()`.execute(db);
    await nobodyIsTold();
  });

  test('exclude apps without the permission', async () => {
    await sql`update installation set permissions = '{"metadata":"read"}'`.execute(db);
    await nobodyIsTold();
  });

  test('exclude apps installed on other repositories', async () => {
    await sql`update installation set repository_selection = 'selected'`.execute(db);
    await nobodyIsTold();
  });

  test('exclude apps without a URL; a push then executes one statement for all webhooks', async () => {
    await sql`update app set webhook_url = null`.execute(db);
    const sent = await gateway.statements(() => write());
    expect(sent.filter(text => text.includes('webhook_url'))).toHaveLength(1);
    await nobodyIsTold();
  });

  test('receive concurrent pushes once each', async () => {
    const repositories = ['harbor-lab/compass', 'harbor-lab/Tides', 'harbor-lab/ledger'];
    const made = await Promise.all(Array.from({ length: 30 }, (_, at) => write(repositories[at % 3])));
    const shas = made.filter(({ status }) => status === 201).map(({ json }) => json.commit.sha);
    expect(shas.length).toBeGreaterThan(3);
    await settled();
    const told = receiver.of('push').map(got => payloadOf(got).after);
    expect(told.sort()).toEqual(shas.sort());
  });
});

describe('failing receivers', () => {
  const send = async (url: string, how?: Behaviour, more: object = {}): Promise<Answer['json']> => {
    behave = how;
    await sql`update app set webhook_url = ${url}, updated_at = now() where id = ${demo.app.id}`.execute(db);
    if (Object.keys(more).length > 0) await configure(more);
    await write();
    return (await one((await newest()).id)).json;
  };

  test.each<[string, Behaviour, string, number, string | null]>([
    ['refuses', (_, response) => response.writeHead(403).end('no'), 'Invalid HTTP Response: 403', 403, 'no'],
    ['accepts with another word', (_, response) => response.writeHead(202).end(), 'OK', 202, ''],
    ['breaks off', ({ socket }) => socket.destroy(), 'failed to connect to host', 502, null],
    ['sends NUL', (_, response) => response.end('a\0b'), 'OK', 200, 'a\ufffdb'],
  ])('a receiver that %s', async (_name, how, status, statusCode, payload) => {
    const made = await send(`${receiver.url}/odd`, how);
    expect([made.status, made.status_code, made.response.payload]).toEqual([status, statusCode, payload]);
    expect(made.url).toBe(`${receiver.url}/odd`);
    expect(made.response.headers === null).toBe(payload === null);
  });

  test('one that redirects to this machine', async () => {
    const made = await send(`${receiver.url}/moved`, (_, response) =>
      response.writeHead(302, { location: `${receiver.url}/inside` }).end(),
    );
    expect([made.status, made.status_code]).toEqual(['Invalid HTTP Response: 302', 302]);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/moved']);
  });

  test('one that answers with ten megabytes', async () => {
    const made = await send(`${receiver.url}/large`, (_, response) => response.end(Buffer.alloc(10_000_000, 'x')));
    expect([made.status, made.response.payload.length]).toEqual(['OK', 64 * 1024]);
  });

  test('one with an untrusted certificate, until that is allowed', async () => {
    const made = await send(`${tls.url}/tls`);
    expect([made.status, made.status_code]).toEqual([
      'Peer certificate cannot be authenticated with given CA certificates',
      502,
    ]);
    expect((await send(`${tls.url}/tls`, undefined, { insecure_ssl: 1 })).status).toBe('OK');
  });

  test('one whose address is no longer public', async () => {
    const made = await send('http://10.1.2.3/');
    expect([made.status, made.status_code, made.duration]).toEqual(['failed to connect to network', 502, 0]);
  });

  test('ones that hang or drip time out after ten seconds', async () => {
    behave = (request, response) => {
      if (request.headers['x-host-event'] === 'star') return;
      const drip = setInterval(() => response.write('.'), 100);
      response.on('close', () => clearInterval(drip));
    };
    const star = `Star(input: { starrableId: "${await globalIdOf(gateway, 'harbor-lab/compass')}" }) { starrable { id } }`;
    await hosting(`mutation { remove${star} }`);
    await hosting(`mutation { add${star} }`);
    await settled();
    const made = (await list('?per_page=2&status=failure')).json;
    expect(made.map((one: Answer['json']) => [one.status, one.status_code])).toEqual([
      ['timed out', 504],
      ['timed out', 504],
    ]);
    for (const { duration } of made) expect(Math.abs(duration - 10)).toBeLessThan(1);
  }, 40_000);

  test('a slow one is limited, and its deliveries are postponed', async () => {
    let atOnce = 0;
    let most = 0;
    behave = (_, response) => {
      most = Math.max(most, ++atOnce);
      setTimeout(() => {
        atOnce--;
        response.end();
      }, 400);
    };
    for (let at = 0; at < 12; at++) await write();
    await settled();
    const made = (await list('?per_page=12')).json as { status: string; throttled_at: string | null }[];
    expect(made.map(({ status }) => status)).toEqual(Array(12).fill('OK'));
    expect(most).toBeLessThanOrEqual(4);
  }, 40_000);
});

describe('retries', () => {
  const appId = encodeGlobalId('App', Number(demo.app.id));

  test('of failed deliveries are new deliveries with the same GUID', async () => {
    const set = await hosting(
      `mutation { updateAppWebhook(input: { appId: "${appId}", isRetried: true }) { webhook { isRetried url hasSecret } } }`,
    );
    expect(set.data.updateAppWebhook.webhook).toEqual({
      isRetried: true,
      url: `${receiver.url}/hooks`,
      hasSecret: true,
    });
    behave = (_, response, nth) => response.writeHead(nth === 1 ? 500 : 200).end();
    await write();
    await until('two attempts', () => receiver.received.length === 2);
    await settled();
    const [second, first] = (await list('?per_page=2')).json;
    expect([first.status_code, first.redelivery, second.status_code, second.redelivery]).toEqual([
      500,
      false,
      200,
      true,
    ]);
    expect(second.guid).toBe(first.guid);
    const [one, other] = receiver.received;
    expect(other?.body).toEqual(one?.body);
  }, 30_000);

  test('stop when the receiver answers 410, until the webhook is configured again', async () => {
    await hosting(
      `mutation { updateAppWebhook(input: { appId: "${appId}", isRetried: true }) { webhook { isRetried } } }`,
    );
    behave = (_, response) => response.writeHead(410).end();
    await write();
    await settled();
    await write();
    await settled();
    expect(receiver.received).toHaveLength(1);
    const disabled = await hosting(`{ node(id: "${appId}") { ... on App { webhook { disabledAt } } } }`);
    expect(disabled.data.node.webhook.disabledAt).toBe('2026-11-01T12:00:00.000000Z');
    behave = undefined;
    await configure({});
    await write();
    await until('told again', () => receiver.received.length === 2);
  });

  test('do not happen unless enabled', async () => {
    behave = (_, response) => response.writeHead(500).end();
    await write();
    await settled();
    expect(receiver.received).toHaveLength(1);
  });
});

test('no secret is in a log or record', async () => {
  await write();
  await settled();
  const { rows } = await sql<{ text: string }>`select webhook_delivery::text as text from webhook_delivery`.execute(db);
  const everything = [...gateway.lines, ...rows.map(({ text }) => text)].join('\n');
  expect(everything).not.toContain('secret to everybody');
  expect(gateway.lines.length).toBeGreaterThan(0);
  const kept = await sql<{
    sealed: string;
  }>`select webhook_secret_sealed as sealed from app where id = ${demo.app.id}`.execute(db);
  expect(kept.rows[0]?.sealed).toMatch(/^v1\./);
});
