import type { JSX } from 'preact';
import { Layout, Moment } from '../layout.tsx';
import { FileChanges, type PageFileChange } from './file-changes.tsx';
import { type PageRepository, RepositoryHeader } from './repository-header.tsx';

interface Person {
  name: string;
  date: string;
}

interface Body {
  sha: string;
  repository: PageRepository;
  commit: {
    message: string;
    author: Person;
    committer: Person;
    verification: { verified: boolean; reason: string };
  };
  parents: { sha: string; webUrl: string }[];
  stats: { additions: number; deletions: number };
  files: PageFileChange[];
}

export function CommitPage({ sha, repository, commit, parents, stats, files }: Body): JSX.Element {
  const { message, author, committer, verification } = commit;
  return (
    <Layout title={`${sha.slice(0, 7)} · ${repository.nameWithOwner}`}>
      <RepositoryHeader repository={repository} current="commits" />
      <pre>{message}</pre>
      <dl class="facts">
        <dt>Commit</dt>
        <dd>
          <code>{sha}</code> (<a href={`${repository.resourcePath}/tree/${sha}`}>files</a>)
        </dd>
        <dt>Author</dt>
        <dd>
          {author.name}, <Moment at={author.date} />
        </dd>
        <dt>Committer</dt>
        <dd>
          {committer.name}, <Moment at={committer.date} />
        </dd>
        {verification.reason !== 'unsigned' && (
          <>
            <dt>Signature</dt>
            <dd>{verification.verified ? 'verified' : `not verified: ${verification.reason}`}</dd>
          </>
        )}
        <dt>Parents</dt>
        <dd>
          {parents.length === 0 && 'none'}
          {parents.map(parent => (
            <>
              <a href={parent.webUrl}>
                <code>{parent.sha.slice(0, 7)}</code>
              </a>{' '}
            </>
          ))}
        </dd>
        <dt>Lines</dt>
        <dd>
          {stats.additions} added, {stats.deletions} removed
        </dd>
      </dl>
      <FileChanges files={files} />
    </Layout>
  );
}
