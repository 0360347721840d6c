import type { JSX } from 'preact';
import { Layout, Moment } from '../layout.tsx';
import { type PermissionGrant, Permissions } from './permissions.tsx';

interface Body {
  appSlug: string;
  createdAt: string;
  suspendedAt: string | null;
  repositorySelection: string;
  permissions: PermissionGrant[];
  account: { login: string; resourcePath: string };
}

export function InstallationPage(installation: Body): JSX.Element {
  const { appSlug, account, createdAt, suspendedAt, repositorySelection, permissions } = installation;
  return (
    <Layout title={`Installation of ${appSlug}`}>
      <h1>
        Installation of <a href={`/apps/${appSlug}`}>{appSlug}</a>
      </h1>
      <dl class="facts">
        <dt>Account</dt>
        <dd>
          <a href={account.resourcePath}>{account.login}</a>
        </dd>
        <dt>Since</dt>
        <dd>
          <Moment at={createdAt} />
        </dd>
        {suspendedAt && (
          <>
            <dt>Suspended</dt>
            <dd>
              <Moment at={suspendedAt} />
            </dd>
          </>
        )}
        <dt>Repositories</dt>
        <dd>{repositorySelection}</dd>
        <dt>Permissions</dt>
        <dd>
          <Permissions permissions={permissions} />
        </dd>
      </dl>
    </Layout>
  );
}
