import type { JSX } from 'preact';
import { Layout, Moment } from '../layout.tsx';
import { type PermissionGrant, Permissions } from './permissions.tsx';

interface Body {
  name: string;
  description: string | null;
  url: string;
  permissions: PermissionGrant[];
  events: string[];
  createdAt: string;
  owner: { login: string; resourcePath: string };
}

export function AppPage({ name, description, url, permissions, events, createdAt, owner }: Body): JSX.Element {
  return (
    <Layout title={name}>
      <h1>{name}</h1>
      {description && <p>{description}</p>}
      <dl class="facts">
        <dt>Owner</dt>
        <dd>
          <a href={owner.resourcePath}>{owner.login}</a>
        </dd>
        <dt>Site</dt>
        <dd>{/^https?:/.test(url) ? <a href={url}>{url}</a> : url}</dd>
        <dt>Since</dt>
        <dd>
          <Moment at={createdAt} />
        </dd>
        <dt>Permissions</dt>
        <dd>
          <Permissions permissions={permissions} />
        </dd>
        <dt>Events</dt>
        <dd>{events.join(', ') || 'none'}</dd>
      </dl>
    </Layout>
  );
}
