import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { contracts } from '../contract/contracts.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';

const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { RATE_LIMIT_FACTOR: '1000' },
});
const { users } = await demoOf(gateway);
const { wren, tomas, juniper } = users;
const { id: northgate } = (await call(gateway, 'GET', '/orgs/northgate')).json;

// Tomas stars and watches the vault, and causes an event in it, with a token of his that is authorized.
await sql`insert into star (account_id, repository_id, starred_at)
  select a.id, r.id, now() from account a, repository r where a.login = 'tomas' and r.name = 'vault'`.execute(
  gateway.database.sql,
);
await sql`insert into watch (account_id, repository_id, watched_at)
  select a.id, r.id, now() from account a, repository r where a.login = 'tomas' and r.name = 'vault'`.execute(
  gateway.database.sql,
);
await sql`update event set actor_id = (select id from account where login = 'tomas')
  where id = (select max(e.id) from event e join repository r on r.id = e.repository_id where r.name = 'vault')`.execute(
  gateway.database.sql,
);

await sql`update membership set is_public = false where organization_id = ${northgate}`.execute(gateway.database.sql);

const header = async (path: string, token: string) => {
  const { status, headers, json } = await call(gateway, 'GET', path, `Bearer ${token}`);
  expect({ path, status }).toEqual({ path, status: 200 });
  expect(JSON.stringify(json)).not.toContain('northgate/vault');
  return headers.get('x-host-sso');
};

// Each is a list of what is in repositories or of memberships, and the token of Tomas is not authorized for Northgate.
test.each([
  '/user/repos',
  '/orgs/northgate/repos',
  '/users/northgate/repos',
  '/users/tomas/events',
  '/users/tomas/events/orgs/northgate',
  '/users/tomas/received_events',
  '/search/repositories?q=user:northgate',
  '/user/orgs',
  '/users/tomas/orgs',
  '/orgs/northgate/members',
])('%s names the organization that is left out', async path => {
  expect(await header(path, tomas.classic_token)).toBe(`partial-results; organizations=${northgate}`);
});

test.each([
  '/users/tomas/events/public',
  '/users/tomas/received_events/public',
  '/orgs/northgate/events',
  '/users/tomas/events/orgs/harbor-lab',
  '/search/repositories?q=user:harbor-lab',
  '/orgs/northgate/public_members',
  '/orgs/harbor-lab/members',
])('%s leaves out nothing for single sign-on', async path => {
  expect(await header(path, tomas.classic_token)).toBeNull();
});

test('nobody else is told of it', async () => {
  const vault = await call(gateway, 'GET', '/orgs/northgate/repos', `Bearer ${wren.classic_token}`);
  expect(vault.headers.get('x-host-sso')).toBeNull();
  expect(await header('/orgs/northgate/repos', juniper.classic_token)).toBeNull();
});

/** Values of parameters that have lists of tomas or of Northgate; operations with others have no list of theirs. */
const values: Readonly<Record<string, string>> = {
  username: 'tomas',
  org: 'northgate',
  owner: 'harbor-lab',
  repo: 'compass',
  q: 'user:northgate',
};

/** Paths of the lists of the contract. */
const lists = contracts
  .filter(({ product }) => product.name === 'hosting')
  .flatMap(({ endpoints }) => endpoints)
  .filter(({ operation }) => operation.method === 'GET')
  .flatMap(({ operation: { path } }) => {
    const names = [...path.matchAll(/\{\+?(\w+)\}/g)].map(([, name = '']) => name);
    if (names.some(name => values[name] === undefined)) return [];
    const filled = path.replace(/\{\+?(\w+)\}/g, (_, name: string) => values[name] ?? '');
    return [filled.startsWith('/search') ? `${filled}?q=${values.q}` : filled];
  });

/** The items of a list, or undefined for another answer. */
async function itemsAt(path: string): Promise<{ items: string[]; header: string | null } | undefined> {
  const { status, json, headers } = await call(gateway, 'GET', path, `Bearer ${tomas.classic_token}`);
  if (status !== 200 || typeof json !== 'object' || json === null) return undefined;
  const found = Array.isArray(json) ? json : Object.values(json).find(Array.isArray);
  return found && { items: found.map((item: unknown) => JSON.stringify(item)), header: headers.get('x-host-sso') };
}

test('every list of the contract that has less for single sign-on says so, and no other one', async () => {
  const enforce = (isEnforced: boolean) =>
    sql`update account set enforces_sso = ${isEnforced} where id = ${northgate}`.execute(gateway.database.sql);
  await enforce(false);
  const before = new Map(await Promise.all(lists.map(async path => [path, await itemsAt(path)] as const)));
  await enforce(true);
  const wrong: string[] = [];
  let shorter = 0;
  for (const path of lists) {
    const now = await itemsAt(path);
    const then = before.get(path);
    if (!now || !then) continue;
    const isShorter = now.items.length < then.items.length;
    if (isShorter) shorter += 1;
    const says = now.header === `partial-results; organizations=${northgate}`;
    if (isShorter !== says) wrong.push(`${path}: ${then.items.length} to ${now.items.length}, header ${now.header}`);
  }
  expect(wrong).toEqual([]);
  expect(shorter).toBeGreaterThan(8);
});

/** They look up rows that the caller has named, and make lists of what is the caller's own. */
const lookUps = ['organizations/memberships.queries.ts', 'repository-invitations/repository-invitations.queries.ts'];

test('a list over a condition of visibility is made by the function that says what is withheld', () => {
  const folder = join(import.meta.dirname, '../../src/hosting');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.queries.ts'));
  const forgetful = files.filter(name => {
    const text = readFileSync(join(folder, name), 'utf8');
    const hasVisibility = /\b(?:visibleTo|isMembershipVisible)\(/.test(text);
    return hasVisibility && /\bbatchedTable|: ListSource</.test(text) && !text.includes('sayingWhatIsWithheld(');
  });
  expect(forgetful.toSorted()).toEqual(lookUps);
});
