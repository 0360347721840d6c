import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoCredentials } from '../demo-access.ts';

/** A tab of the explorer. */
interface ExampleTab {
  query: string;
  variables?: string;
  headers?: string;
}

const folder = join(import.meta.dirname, '..', '..', '..', 'examples', 'operations');
const operation = (name: string): string => readFileSync(join(folder, `${name}.graphql`), 'utf8');
const articles = operation('articles').replace('String,', 'String = "sleep",');
const dashboard = operation('hosting-dashboard');
const apiUsage = operation('organization-api-usage');
const json = (value: object): string => JSON.stringify(value, null, 2);

/** Examples for a developer of a mobile app, an integrator and a person who makes dashboards, in this order. */
export function exampleTabs(demo: DemoCredentials | undefined): ExampleTab[] {
  const login = demo?.hosting.login ?? 'your-login';
  const organization = demo?.hosting.organization ?? 'your-organization';
  const headers = json({ Authorization: `Bearer ${demo?.hosting.token ?? 'your-token'}` });
  return [
    // Without variables: GraphiQL does not show those of the tab that it opens first.
    {
      query: `# Articles for an app. Public: no credential is needed.\n${articles}`,
    },
    {
      query: `# Opens a session of the health product. Send its accessToken in the header Authorization: Bearer …\n${openSession}`,
      variables: json({ input: demo?.health ?? { email: 'you@example.org', password: 'your password' } }),
    },
    {
      query: `# The caller's repositories and what happens in them, for ${login}.\n${dashboard}`,
      variables: json({ first: 5 }),
      headers,
    },
    {
      query: `# Who asks what of an organization, for a chart.\n${apiUsage}`,
      variables: json({ login: organization, from: daysAgo(7), step: '1d' }),
      headers,
    },
  ];
}

const openSession = `mutation OpenHealthSession($input: OpenHealthSessionInput!) {
  openHealthSession(input: $input) {
    accessToken
    refreshToken
  }
}
`;

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
