import type { JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { encodePath } from '../../hosting/contents/content-location.ts';
import { VisitorContext } from '../layout.tsx';
import { LastCommit, type PageHistory } from './commit-summary.tsx';

export interface PageRepository {
  name: string;
  nameWithOwner: string;
  resourcePath: string;
  description: string | null;
  isPrivate: boolean;
  isArchived: boolean;
  defaultBranch: string;
  stargazerCount: number;
  forkCount: number;
  cloneUrl: string;
  parent: { nameWithOwner: string; resourcePath: string } | null;
}

const sections = { files: '', commits: '/commits', branches: '/branches', tags: '/tags' } as const;
const titles = { files: 'Files', commits: 'Commits', branches: 'Branches', tags: 'Tags' } as const;

/** Name and state of a repository, above everything that belongs to it, and links to its pages. */
export function RepositoryHeader({
  repository,
  current,
}: {
  repository: PageRepository;
  current?: keyof typeof sections;
}): JSX.Element {
  const { nameWithOwner, resourcePath, description, isPrivate, isArchived, parent } = repository;
  const [owner = '', name = ''] = nameWithOwner.split('/');
  // These pages are of administrators, and missing to everybody else.
  const isSignedIn = useContext(VisitorContext).login !== undefined;
  return (
    <>
      <h1>
        <a href={`/${owner}`}>{owner}</a> / <a href={resourcePath}>{name}</a>{' '}
        <span class="badge">{isPrivate ? 'private' : 'public'}</span>{' '}
        {isArchived && <span class="badge">archived</span>}
      </h1>
      {parent && (
        <p class="muted">
          Fork of <a href={parent.resourcePath}>{parent.nameWithOwner}</a>
        </p>
      )}
      {description && <p>{description}</p>}
      <nav class="sections" aria-label="Repository">
        {Object.entries(sections).map(([name, path]) => (
          <a href={`${resourcePath}${path}`} {...(name === current ? { 'aria-current': 'page' as const } : {})}>
            {titles[name as keyof typeof sections]}
          </a>
        ))}
        {isSignedIn && <a href={`${resourcePath}/rules/suites`}>Rule suites</a>}
        {isSignedIn && <a href={`${resourcePath}/dashboards/deliveries`}>Webhook deliveries</a>}
      </nav>
    </>
  );
}

interface LocationProps {
  repository: PageRepository;
  refName: string;
  path: string;
}

/** The page of the commits of a place. */
export const commitsPathOf = ({ repository, refName, path }: LocationProps): string =>
  `${repository.resourcePath}/commits/${encodePath(path === '' ? refName : `${refName}/${path}`)}`;

/** Above a file or a folder: its repository, its path, and the last commit that changed it. */
export function LocationHeader({ history, ...location }: LocationProps & { history: PageHistory | null }): JSX.Element {
  const { repository } = location;
  const commits = commitsPathOf(location);
  return (
    <>
      <RepositoryHeader repository={repository} current="files" />
      <Breadcrumbs {...location} />
      <LastCommit history={history} href={commits} />
    </>
  );
}

/** Parts of a path that are shown, the last ones: links to all 2,048 parts of the longest would be 8 MB. */
const maxParts = 50;

/** The ref and the path of a page, each folder a link. */
export function Breadcrumbs({ repository, refName, path }: LocationProps): JSX.Element {
  const segments = path.split('/').filter(Boolean);
  const first = Math.max(0, segments.length - maxParts);
  const root = `${repository.resourcePath}/tree/${encodePath(refName)}`;
  return (
    <nav aria-label="Path">
      <p>
        <span class="badge">{refName}</span> <a href={root}>{repository.name}</a>
        {first > 0 && ' / …'}
        {segments.slice(first).map((segment, index) => {
          const at = first + index;
          const isLast = at === segments.length - 1;
          const href = `${root}/${encodePath(segments.slice(0, at + 1).join('/'))}`;
          return (
            <>
              {' / '}
              {isLast ? <strong>{segment}</strong> : <a href={href}>{segment}</a>}
            </>
          );
        })}
      </p>
    </nav>
  );
}
