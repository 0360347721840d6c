import { sql } from 'kysely';
import { type Answer, type TestGateway, testGateway } from '../../harness/gateway.ts';
import { type Mailbox, mailbox } from '../../harness/mailbox.ts';
import { type Person, person, registration, send } from '../../harness/people.ts';
import { type HealthWorld, healthCalls, healthWorld } from '../health-calls.ts';

interface Request {
  /** Access token. */
  as?: string | undefined;
  body?: unknown;
}

/** A running server with the demo data, and what statements about the health API ask of it. */
export interface HealthServer {
  gateway: TestGateway;
  mails: Mailbox;
  world: HealthWorld;
  /** Sends `GET /articles/`; a successful answer is compared with the published document. */
  ask(line: string, request?: Request): Promise<Answer>;
  /** Sends a request of the operation that succeeds. */
  call(operation: string): Promise<Answer>;
  person(): Promise<Person>;
  /** Two new people with an accepted connection. */
  connected(): Promise<[Person, Person]>;
  guest(): Promise<{ access: string; refresh: string }>;
  /** Whether an account is active, and when it was deleted. */
  account(id: number): Promise<{ isActive: boolean; deletedAt: Date | null }>;
  /** Rows of a table. */
  count(table: string): Promise<number>;
  register(): ReturnType<typeof registration>;
}

export async function healthServer(): Promise<HealthServer> {
  const mails = await mailbox();
  const settings = { SMTP_URL: mails.url };
  const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z', workers: true, settings });
  const world = await healthWorld(gateway, mails);
  const ask: HealthServer['ask'] = (line, { as, body } = {}) => {
    const [method = 'GET', path = '/'] = line.split(' ');
    return send(gateway, method, path, body, as);
  };
  const newPerson = (): Promise<Person> => person(gateway, mails);
  return {
    gateway,
    mails,
    world,
    ask,
    async call(operation) {
      const { json: document } = await gateway.request('/openapi/health.json');
      const found = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>)
        .flatMap(methods => Object.entries(methods))
        .find(([, { operationId }]) => operationId === operation);
      const made = await healthCalls[operation]?.(world);
      if (!found || !made) throw new Error(`There is no operation ${operation}.`);
      return ask(`${found[0].toUpperCase()} ${made.path}`, { as: made.access, body: made.body });
    },
    person: newPerson,
    async connected() {
      const [one, other] = [await newPerson(), await newPerson()];
      await world.ask('PATCH', '/auth/me/', { is_visible_in_community: true }, other.access);
      const { id } = await world.ask('POST', '/community/peers/connect/', { receiver_id: other.id }, one.access);
      await world.ask('PATCH', `/community/peers/${id}/`, { status: 'accepted' }, other.access);
      return [one, other];
    },
    guest: async () => (await ask('POST /auth/guest/')).json,
    async account(id) {
      const { rows } = await sql<{ isActive: boolean; deletedAt: Date | null }>`
        select is_active as "isActive", deleted_at as "deletedAt" from users where id = ${id}`.execute(
        gateway.database.sql,
      );
      return rows[0] ?? { isActive: false, deletedAt: null };
    },
    async count(table) {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(
        gateway.database.sql,
      );
      return rows[0]?.n ?? 0;
    },
    register: () => registration(),
  };
}
