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
  commits: { sha: string; webUrl: string; commit: { message: string; author: { name: string; date: string } } }[];
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
        {commits.map(({ sha, webUrl, commit: { message, author } }) => (
          <li>
            <a href={webUrl}>{shownHeadline(message.split('\n', 1)[0] ?? '') || sha.slice(0, 7)}</a>{' '}
            <span class="muted">
              {author.name}, <Moment at={author.date} />
            </span>
          </li>
        ))}
      </ul>
      <FileChanges files={files} />
    </Layout>
  );
}
