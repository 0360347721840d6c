import type { JSX } from 'preact';
import { encodePath } from '../../hosting/contents/content-location.ts';
import { Layout } from '../layout.tsx';
import { CommitSummary, type PageCommit } from './commit-summary.tsx';
import { NextPage, type PageInfo } from './next-page.tsx';
import { type PageRepository, RepositoryHeader } from './repository-header.tsx';

type Body = PageRepository & {
  refs: {
    totalCount: number;
    pageInfo: PageInfo;
    nodes: { name: string; target: ({ __typename: string } & Partial<PageCommit>) | null }[];
  } | null;
};

export const BranchesPage = (body: Body): JSX.Element => <Refs {...body} kind="branches" />;
export const TagsPage = (body: Body): JSX.Element => <Refs {...body} kind="tags" />;

function Refs({ kind, refs, ...repository }: Body & { kind: 'branches' | 'tags' }): JSX.Element {
  const title = kind === 'branches' ? 'Branches' : 'Tags';
  return (
    <Layout title={`${title} of ${repository.nameWithOwner}`}>
      <RepositoryHeader repository={repository} current={kind} />
      <h2>
        {title} <span class="badge">{refs?.totalCount ?? 0}</span>
      </h2>
      <ul class="plain">
        {refs?.nodes.map(({ name, target }) => (
          <li>
            <a href={`${repository.resourcePath}/tree/${encodePath(name)}`}>{name}</a>{' '}
            {kind === 'branches' && name === repository.defaultBranch && <span class="badge">default</span>}
            {isCommit(target) && <CommitSummary commit={target} />}
          </li>
        ))}
      </ul>
      {refs && <NextPage pageInfo={refs.pageInfo} />}
    </Layout>
  );
}

const isCommit = (
  target: ({ __typename: string } & Partial<PageCommit>) | null,
): target is PageCommit & { __typename: string } => target?.__typename === 'Commit';
