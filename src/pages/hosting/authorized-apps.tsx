import type { JSX } from 'preact';
import { Layout } from '../layout.tsx';

export function AuthorizedAppsPage({ login, resourcePath }: { login: string; resourcePath: string }): JSX.Element {
  return (
    <Layout title="Authorized apps">
      <h1>Authorized apps</h1>
      <p>
        Apps that <a href={resourcePath}>{login}</a> has authorized are ended by the app itself, or through the GraphQL
        API: <code>viewer {'{ tokens { nodes { id } } }'}</code> lists their tokens, and <code>revokeToken</code> ends
        one.
      </p>
    </Layout>
  );
}
