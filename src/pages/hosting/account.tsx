import type { JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { Layout, Moment, VisitorContext } from '../layout.tsx';
import { NextPage, type PageInfo } from './next-page.tsx';

interface Body {
  login: string;
  typeName: string;
  name: string | null;
  avatarUrl: string;
  bio: string | null;
  location: string | null;
  websiteUrl: string | null;
  repositories: {
    totalCount: number;
    pageInfo: PageInfo;
    nodes: {
      name: string;
      description: string | null;
      isPrivate: boolean;
      isFork: boolean;
      isArchived: boolean;
      pushedAt: string | null;
      resourcePath: string;
    }[];
  };
}

export function AccountPage({
  login,
  typeName,
  name,
  avatarUrl,
  bio,
  location,
  websiteUrl,
  repositories,
}: Body): JSX.Element {
  return (
    <Layout title={login}>
      <div class="account">
        <img src={avatarUrl} alt="" />
        <div>
          <h1>{name ?? login}</h1>
          <p class="muted">{login}</p>
        </div>
      </div>
      {bio && <p>{bio}</p>}
      {location && <p class="muted">{location}</p>}
      {websiteUrl && /^https?:/.test(websiteUrl) && (
        <p>
          <a href={websiteUrl} rel="nofollow noopener">
            {websiteUrl}
          </a>
        </p>
      )}
      {typeName === 'Organization' && <Dashboards login={login} />}
      <h2>Repositories ({repositories.totalCount})</h2>
      <ul class="plain">
        {repositories.nodes.map(one => (
          <li>
            <a href={one.resourcePath}>{one.name}</a> {one.isPrivate && <span class="badge">private</span>}{' '}
            {one.isFork && <span class="badge">fork</span>} {one.isArchived && <span class="badge">archived</span>}
            {one.description && <div>{one.description}</div>}
            {one.pushedAt && (
              <div class="muted">
                Pushed <Moment at={one.pushedAt} />
              </div>
            )}
          </li>
        ))}
      </ul>
      <NextPage pageInfo={repositories.pageInfo} />
    </Layout>
  );
}

/** For those who are signed in: the dashboards are of administrators, and missing to everybody else. */
function Dashboards({ login }: { login: string }): JSX.Element | null {
  const visitor = useContext(VisitorContext);
  if (visitor.login === undefined) return null;
  return (
    <p>
      Dashboards for administrators: <a href={`/orgs/${login}/dashboards/api-usage`}>API usage</a>,{' '}
      <a href={`/orgs/${login}/dashboards/rule-suites`}>rule suites</a>,{' '}
      <a href={`/orgs/${login}/dashboards/deliveries`}>webhook deliveries</a>,{' '}
      <a href={`/orgs/${login}/dashboards/imports`}>source imports</a>
    </p>
  );
}
