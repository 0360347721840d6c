import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { tokenScopeNames } from '../../src/auth/token-scopes.ts';
import { inTransaction } from '../../src/db/database.ts';
import { insertCredential, type NewCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { createUsagePartitions } from '../../src/hosting/insights/usage-partitions.ts';
import { createAccounts } from '../harness/accounts.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { createRef, inRepository } from '../harness/git-mutations.ts';
import { appJwt, call } from '../harness/hosting.ts';
import { privatePerson } from './private-person.ts';

/** Begins every marker: a text that exists in private rows alone. */
export const markerPrefix = 'zqx';

/** Rows of one owner in both products, with a marker in every private text. */
export interface PrivateWorld {
  /** Global id of a row of each kind; all but those of public kinds are private. */
  ids: Map<string, string>;
  numbers: { ruleset: number; organizationRuleset: number; ruleSuite: number; article: number };
  /** Authorization headers. */
  owners: Record<'person' | 'user' | 'app', string>;
  others: Record<string, string | undefined>;
}

const marked = (noun: string): string => `${markerPrefix}-${noun}`;

/** Fills an empty database. */
export async function makePrivateWorld(gateway: TestGateway): Promise<PrivateWorld> {
  const db = gateway.database.sql;
  const now = gateway.clock.now;
  const at = sql`${now.toISOString()}::timestamptz`;
  const insert = async (statement: ReturnType<typeof sql<{ id: number | string }>>): Promise<number> =>
    Number((await statement.execute(db)).rows[0]?.id);
  const account = (kind: string, login: string): Promise<number> =>
    insert(sql`insert into account (kind, login, base_permission, created_at, updated_at)
      values (${kind}, ${login}, 'read', ${at}, ${at}) returning id`);
  const repository = (owner: number, name: string, isPrivate: boolean, parent: number | null = null): Promise<number> =>
    insert(sql`insert into repository (owner_id, name, description, is_private, topics, parent_id, network_root_id, created_at, updated_at)
      values (${owner}, ${name}, ${isPrivate ? marked(`about-${name}`) : 'Public'}, ${isPrivate}, '{}', ${parent}, ${parent}, ${at}, ${at}) returning id`);

  const [heron, stray, member] = [
    await account('user', 'heron'),
    await account('user', 'stray'),
    await account('user', marked('member')),
  ];
  const nest = await account('organization', 'heron-nest');
  await sql`insert into account_email (account_id, email, is_primary, verified_at, created_at) values
    (${heron}, ${marked('email@example.org')}, true, ${at}, ${at}), (${stray}, 'stray@example.org', true, ${at}, ${at}),
    (${member}, ${marked('member-mail@example.org')}, true, ${at}, ${at})`.execute(db);
  await sql`insert into membership (organization_id, account_id, role, since) values
    (${nest}, ${heron}, 'admin', ${at}), (${nest}, ${member}, 'member', ${at})`.execute(db);
  const vault = await repository(nest, 'vault', true);
  const cellar = await repository(heron, marked('cellar'), true);
  // A public fork of a private repository.
  await repository(heron, 'shore', false, vault);
  for (const table of ['star', 'watch'])
    await sql`insert into ${sql.table(table)} select ${heron}, id, ${at} from repository`.execute(db);
  await sql`insert into follow values (${stray}, ${heron}, ${at})`.execute(db);
  await sql`insert into collaborator values (${vault}, ${member}, 'write', ${at})`.execute(db);

  const mint = async (one: NewCredential): Promise<string> =>
    `Bearer ${(await inTransaction(gateway.database, tx => insertCredential(tx, one, now))).token}`;
  const user = await mint({ kind: 'classic', accountId: heron, scopes: tokenScopeNames, note: marked('token-note') });
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const app = async (owner: number, slug: string, pair: typeof key): Promise<number> => {
    const id =
      await insert(sql`insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url, permissions, webhook_url, created_at, updated_at)
      values (${owner}, ${slug}, ${slug}, ${`Iv-${slug}`}, '\\x00', 'https://app.example.org/', '{"contents":"write","metadata":"read"}',
        ${`https://${owner === heron ? marked('hook') : 'hook'}.example.org/`}, ${at}, ${at}) returning id`);
    await sql`insert into app_key (app_id, public_key, fingerprint, created_at)
      values (${id}, ${pair.publicKey.export({ type: 'spki', format: 'pem' })}, ${`SHA256:${slug}`}, ${at})`.execute(
      db,
    );
    return id;
  };
  const heronApp = await app(heron, 'heron-app', key);
  const strayApp = await app(stray, 'stray-app', otherKey);
  const installation = (appId: number, accountId: number): Promise<number> =>
    insert(sql`insert into installation (app_id, account_id, repository_selection, permissions, created_at, updated_at)
      values (${appId}, ${accountId}, 'all', '{"contents":"write","metadata":"read"}', ${at}, ${at}) returning id`);
  const inNest = await installation(heronApp, nest);
  const inStray = await installation(strayApp, stray);
  const jwt = async (id: number, pair: typeof key): Promise<string> => {
    const of = { app: { id, private_key: String(pair.privateKey.export({ type: 'pkcs1', format: 'pem' })) } };
    return `Bearer ${await appJwt(gateway, of as Parameters<typeof appJwt>[1])}`;
  };

  const rest = async (method: string, path: string, body: object): Promise<Record<string, never>> => {
    const answer = await call(gateway, method, path, user, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  const mutate = async (text: string) => {
    const { json } = await call(gateway, 'POST', '/graphql', user, { query: `mutation { ${text} }` });
    if (json.errors) throw new Error(`${text}: ${JSON.stringify(json.errors)}`);
    return json.data;
  };
  const rule = { type: 'commit_message_pattern', parameters: { operator: 'contains', pattern: marked('pattern') } };
  const condition = { ref_name: { include: ['~ALL'], exclude: [] } };
  const ruleset = (name: string, conditions: object): object => ({
    name: marked(name),
    target: 'branch',
    enforcement: 'evaluate',
    conditions,
    rules: [rule],
    bypass_actors: [{ actor_id: heronApp, actor_type: 'Integration', bypass_mode: 'always' }],
  });
  const ofVault: { id?: number } = await rest('POST', '/repos/heron-nest/vault/rulesets', ruleset('rules', condition));
  const ofNest: { id?: number } = await rest(
    'POST',
    '/orgs/heron-nest/rulesets',
    ruleset('nest-rules', { ...condition, repository_name: { include: ['~ALL'], exclude: [] } }),
  );
  const file = {
    message: marked('commit'),
    content: Buffer.from(marked('content')).toString('base64'),
    author: { name: marked('author'), email: 'author@example.org' },
  };
  const pushed: { commit?: { sha: string; tree: { sha: string } }; content?: { sha: string } } = await rest(
    'PUT',
    `/repos/heron-nest/vault/contents/${marked('file.md')}`,
    file,
  );
  const head = pushed.commit?.sha ?? '';
  const tagged = await mutate(`createTag(input: { ${inRepository('heron-nest', 'vault')}, name: "${marked('tag')}",
    message: "${marked('tag-message')}", targetOid: "${head}" }) { tag { oid } }`);
  const tagOid: string = tagged.createTag.tag.oid;
  await mutate(createRef({ id: vault }, `refs/heads/${marked('branch')}`, head));
  await mutate(createRef({ id: vault }, `refs/tags/${marked('tag')}`, tagOid));

  const delivery =
    await insert(sql`insert into webhook_delivery (app_id, guid, event, installation_id, repository_id, payload, created_at, delivered_at,
      status, status_code, url, request_headers, response_headers, response_payload)
    values (${heronApp}, gen_random_uuid(), 'push', ${inNest}, ${vault}, ${JSON.stringify({ text: marked('delivery') })}, ${at}, ${at}, 'OK', 200,
      'https://receiver.example.org/', ${JSON.stringify({ a: marked('request-header') })}, ${JSON.stringify({ a: marked('response-header') })},
      ${marked('response')}) returning id`);
  const imported =
    await insert(sql`insert into source_import (repository_id, account_id, vcs, vcs_url, status, may_change_workflows, large_files_count, created_at, updated_at)
    values (${cellar}, ${heron}, 'git', ${`https://${marked('source')}.example.org/`}, 'complete', false, 1, ${at}, ${at}) returning id`);
  const author =
    await insert(sql`insert into source_import_author (import_id, remote_id, remote_name, remote_email, name, email)
    values (${imported}, ${marked('remote')}, 'Name', 'a@example.org', ${marked('import-author')}, 'a@example.org') returning id`);
  await sql`insert into source_import_large_file values (${imported}, decode(repeat('ab', 20), 'hex'), 'refs/heads/main', ${marked('large')}, 5)`.execute(
    db,
  );
  await inTransaction(gateway.database, tx => createUsagePartitions(tx, [now.toISOString().slice(0, 10)]));
  await sql`insert into api_usage select ${nest}, date_trunc('day', ${at}), 1, 'classic_pat', 1, ${heron}, null, 'GET',
    ${`/${marked('route')}`}, 3, 0, ${at}, null`.execute(db);

  const one = async (statement: ReturnType<typeof sql<{ id: number | string }>>): Promise<number | string> =>
    (await statement.execute(db)).rows[0]?.id ?? 0;
  const suite = await one(sql`select max(id) as id from rule_suite where repository_id = ${vault}`);
  const keys = new Map<string, number | string>([
    ['User', heron],
    ['Organization', nest],
    ['Repository', vault],
    ['Ref', `${vault}:refs/heads/${marked('branch')}`],
    ['Commit', `${vault}:${head}`],
    ['Tree', `${vault}:${pushed.commit?.tree.sha}`],
    ['Blob', `${vault}:${pushed.content?.sha}`],
    ['Tag', `${vault}:${tagOid}`],
    ['AccountEmail', await one(sql`select id from account_email where account_id = ${heron}`)],
    ['Token', await one(sql`select min(id) as id from host_credential where account_id = ${heron}`)],
    ['App', heronApp],
    ['AppKey', await one(sql`select id from app_key where app_id = ${heronApp}`)],
    ['Installation', inNest],
    ['RepositoryRuleset', Number(ofVault.id)],
    ['RuleSuite', suite],
    ['Event', await one(sql`select max(id) as id from event where repository_id = ${vault}`)],
    ['SourceImportAuthor', author],
    ['WebhookDelivery', delivery],
  ]);
  const { person, other, friend, keys: healthKeys, article } = await privatePerson(gateway, marked);
  for (const [type, of] of healthKeys) keys.set(type, of);
  return {
    ids: new Map([...keys].map(([type, of]) => [type, encodeGlobalId(type, of)])),
    numbers: { ruleset: Number(ofVault.id), organizationRuleset: Number(ofNest.id), ruleSuite: Number(suite), article },
    owners: { person, user, app: await jwt(heronApp, key) },
    others: {
      anonymous: undefined,
      'other person': other,
      guest: `Bearer ${(await createAccounts(gateway, [{ is_guest: true, is_verified: false, email: null }]))[0]?.access}`,
      friend,
      'other user': await mint({ kind: 'classic', accountId: stray, scopes: tokenScopeNames }),
      'other fine-grained': await mint({ kind: 'fine_grained', accountId: stray, resourceOwnerId: stray }),
      'other app': await jwt(strayApp, otherKey),
      'installation elsewhere': await mint({ kind: 'installation', appId: strayApp, installationId: inStray }),
      'installation without permissions': await mint({
        kind: 'installation',
        appId: heronApp,
        installationId: inNest,
      }),
      'metadata only': await mint({
        kind: 'fine_grained',
        accountId: heron,
        resourceOwnerId: nest,
        permissions: { metadata: 'read' },
      }),
    },
  };
}
