import type { JSX } from 'preact';
import { Layout } from '../layout.tsx';
import { LastCommit, type PageHistory } from './commit-summary.tsx';
import { Directory, type EntryCommits, type PageDirectory, type PageReadme } from './directory.tsx';
import { commitsPathOf, type PageRepository, RepositoryHeader } from './repository-header.tsx';

interface Body {
  ref: string;
  repository: PageRepository;
  content: PageDirectory | null;
  readme: PageReadme | null;
  entryCommits: EntryCommits;
  history: PageHistory | null;
}

export function RepositoryPage({ repository, ref, content, readme, entryCommits, history }: Body): JSX.Element {
  return (
    <Layout title={repository.nameWithOwner}>
      <RepositoryHeader repository={repository} current="files" />
      <p class="muted">
        {counted(repository.stargazerCount, 'star')} · {counted(repository.forkCount, 'fork')}
      </p>
      <pre>git clone {repository.cloneUrl}</pre>
      {content ? (
        <>
          <p>
            <span class="badge">{ref}</span>
          </p>
          <LastCommit history={history} href={`${repository.resourcePath}/commits`} />
          <Directory
            directory={content}
            readme={readme}
            entryCommits={entryCommits}
            commitsPath={commitsPathOf({ repository, refName: ref, path: '' })}
          />
        </>
      ) : (
        <p>The repository is empty. Push a branch to fill it.</p>
      )}
    </Layout>
  );
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
