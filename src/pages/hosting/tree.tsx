import type { JSX } from 'preact';
import { Layout } from '../layout.tsx';
import type { PageHistory } from './commit-summary.tsx';
import { Directory, type EntryCommits, type PageDirectory, type PageReadme } from './directory.tsx';
import { commitsPathOf, LocationHeader, type PageRepository } from './repository-header.tsx';

interface Body {
  ref: string;
  path: string;
  repository: PageRepository;
  content: PageDirectory | null;
  readme: PageReadme | null;
  entryCommits: EntryCommits;
  history: PageHistory | null;
}

export function TreePage({ repository, ref, path, content, readme, entryCommits, history }: Body): JSX.Element {
  return (
    <Layout title={`${repository.nameWithOwner} at ${ref}`}>
      <LocationHeader repository={repository} refName={ref} path={path} history={history} />
      {content?.entries ? (
        <Directory
          directory={content}
          readme={readme}
          entryCommits={entryCommits}
          commitsPath={commitsPathOf({ repository, refName: ref, path })}
        />
      ) : (
        <p>This is no folder.</p>
      )}
    </Layout>
  );
}
