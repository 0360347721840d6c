import { sql } from 'kysely';
import type { DerivedKeys } from '../../src/auth/derived-keys.ts';
import type { Database } from '../../src/db/database.ts';
import { app, type Login, organizations, repositories, users } from './demo-accounts.ts';
import { demoAppKey, demoClientId, demoClientSecret, demoToken } from './demo-secrets.ts';

export interface DemoHosting {
  organization: string;
  organizations: string[];
  users: Record<Login, { classic_token: string; fine_grained_token: string }>;
  repositories: string[];
  app: {
    id: number | null;
    client_id: string;
    client_secret: string;
    private_key: string;
    installation_id: number | null;
  };
  oauth_app: { client_id: string; client_secret: string };
  /** One token of each other kind. The installation token is valid for an hour, the workflow token for a day. */
  tokens: { oauth: string; user_to_server: string; installation: string; workflow: string; service: string };
}

const organization = 'harbor-lab';

/** The owner of the demo organization, who sees its API usage. */
export function demoOwner(keys: DerivedKeys): { login: Login; token: string; organization: string } {
  return { login: 'wren', token: demoToken(keys, 'classic', 'wren').text, organization };
}

/** The service credential of the demo data. */
export const demoServiceCredential = (keys: DerivedKeys): string => demoToken(keys, 'service', 'usage board').text;

/** Credentials of the hosting demo data. Ids are null for deleted objects. */
export async function loadDemoHosting({ read }: Pick<Database, 'read'>, keys: DerivedKeys): Promise<DemoHosting> {
  const [found] = await read(sql<{ id: number; installationId: number | null }>`
    select a.id, (select min(i.id) from installation i where i.app_id = a.id) as "installationId"
    from app a where a.client_id = ${demoClientId(keys, 'Iv')}`);
  const token = (kind: Parameters<typeof demoToken>[1], whose: string): string => demoToken(keys, kind, whose).text;
  const tokensOf = (login: string) => ({
    classic_token: token('classic', login),
    fine_grained_token: token('fine_grained', login),
  });
  return {
    organization,
    organizations: Object.keys(organizations),
    users: Object.fromEntries(Object.keys(users).map(login => [login, tokensOf(login)])) as DemoHosting['users'],
    repositories: repositories.map(({ owner, name }) => `${owner}/${name}`),
    app: {
      id: found?.id ?? null,
      client_id: demoClientId(keys, 'Iv'),
      client_secret: demoClientSecret(keys, 'Iv'),
      private_key: String(demoAppKey(keys).export({ type: 'pkcs1', format: 'pem' })),
      installation_id: found?.installationId ?? null,
    },
    oauth_app: { client_id: demoClientId(keys, 'Ov'), client_secret: demoClientSecret(keys, 'Ov') },
    tokens: {
      oauth: token('oauth', 'juniper'),
      user_to_server: token('user_to_server', 'juniper'),
      installation: token('installation', app.slug),
      workflow: token('workflow', 'compass'),
      service: demoServiceCredential(keys),
    },
  };
}
