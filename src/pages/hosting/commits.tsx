import type { JSX } from 'preact';
import { Layout } from '../layout.tsx';
import { CommitSummary, type PageHistory } from './commit-summary.tsx';
import { NextPage, type PageInfo } from './next-page.tsx';
import { Breadcrumbs, type PageRepository, RepositoryHeader } from './repository-header.tsx';

interface Body {
  ref: string;
  path: string;
  repository: PageRepository;
  history: (PageHistory & { pageInfo: PageInfo }) | null;
}

export function CommitsPage({ repository, ref, path, history }: Body): JSX.Element {
  return (
    <Layout title={`Commits of ${repository.nameWithOwner}`}>
      <RepositoryHeader repository={repository} current="commits" />
      <Breadcrumbs repository={repository} refName={ref} path={path} />
      {history && history.nodes.length > 0 ? (
        <ul class="plain">
          {history.nodes.map(commit => (
            <li>
              <CommitSummary commit={commit} />
            </li>
          ))}
        </ul>
      ) : (
        <p>There are no commits here.</p>
      )}
      {history && <NextPage pageInfo={history.pageInfo} />}
    </Layout>
  );
}
