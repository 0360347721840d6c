import type { JSX } from 'preact';
import { Layout, Moment } from '../layout.tsx';
import { FileChanges, type PageFileChange } from './file-changes.tsx';
import { type PageRepository, RepositoryHeader } from './repository-header.tsx';

interface Person {
  name: string;
  dateInUtc: string;
}

interface Body {
  oid: string;
  repository: PageRepository;
  message: string;
  author: Person;
  committer: Person;
  verification: { isValid: boolean; state: string };
  parents: { oid: string; url: string }[];
  additions: number;
  deletions: number;
  files: PageFileChange[];
}

export function CommitPage({ oid, repository, message, author, committer, ...rest }: Body): JSX.Element {
  const { verification, parents, additions, deletions, files } = rest;
  return (
    <Layout title={`${oid.slice(0, 7)} · ${repository.nameWithOwner}`}>
      <RepositoryHeader repository={repository} current="commits" />
      <pre>{message}</pre>
      <dl class="facts">
        <dt>Commit</dt>
        <dd>
          <code>{oid}</code> (<a href={`${repository.resourcePath}/tree/${oid}`}>files</a>)
        </dd>
        <dt>Author</dt>
        <dd>
          {author.name}, <Moment at={author.dateInUtc} />
        </dd>
        <dt>Committer</dt>
        <dd>
          {committer.name}, <Moment at={committer.dateInUtc} />
        </dd>
        {verification.state !== 'unsigned' && (
          <>
            <dt>Signature</dt>
            <dd>{verification.isValid ? 'verified' : `not verified: ${verification.state}`}</dd>
          </>
        )}
        <dt>Parents</dt>
        <dd>
          {parents.length === 0 && 'none'}
          {parents.map(parent => (
            <>
              <a href={parent.url}>
                <code>{parent.oid.slice(0, 7)}</code>
              </a>{' '}
            </>
          ))}
        </dd>
        <dt>Lines</dt>
        <dd>
          {additions} added, {deletions} removed
        </dd>
      </dl>
      <FileChanges files={files} />
    </Layout>
  );
}
