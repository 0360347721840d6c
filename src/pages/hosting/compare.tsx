import type { JSX } from 'preact';
import { Layout, Moment } from '../layout.tsx';
import { shownHeadline } from './commit-summary.tsx';
import { FileChanges, type PageFileChange } from './file-changes.tsx';
import { type PageRepository, RepositoryHeader } from './repository-header.tsx';

interface Body {
  status: string;
  aheadBy: number;
  behindBy: number;
  diffUrl: string;
  baseCommit: { repository: PageRepository };
  commits: { oid: string; url: string; messageHeadline: string; author: { name: string; dateInUtc: string } }[];
  files: PageFileChange[];
}

export function ComparePage({ status, aheadBy, behindBy, diffUrl, baseCommit, commits, files }: Body): JSX.Element {
  const { repository } = baseCommit;
  return (
    <Layout title={`Comparison in ${repository.nameWithOwner}`}>
      <RepositoryHeader repository={repository} />
      <p>
        The head is {status}: {aheadBy} commits ahead, {behindBy} behind. <a href={diffUrl}>As text</a>
      </p>
      <ul class="plain">
        {commits.map(({ oid, url, messageHeadline, author }) => (
          <li>
            <a href={url}>{shownHeadline(messageHeadline) || oid.slice(0, 7)}</a>{' '}
            <span class="muted">
              {author.name}, <Moment at={author.dateInUtc} />
            </span>
          </li>
        ))}
      </ul>
      <FileChanges files={files} />
    </Layout>
  );
}
