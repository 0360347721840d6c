import type { Context } from '../../context/context.ts';
import { type ContentLocation, encodePath } from './content-location.ts';
import { rawUrl } from './download-links.ts';

export type UrlContext = Pick<Context, 'apiBaseUrl' | 'origin' | 'keys' | 'now'>;

interface UrlSubject {
  kind: 'file' | 'directory' | 'symlink' | 'submodule';
  path: string;
  /** Id of the git object, which the download URL serves if it is a blob. */
  sha: string;
  /** URL of a submodule, if known. */
  source?: string | null;
}

/**
 * The URLs of an item. `git_url` and `html_url` of a submodule point to its repository when it is on this installation.
 */
export function contentUrls(context: UrlContext, location: ContentLocation, { kind, path, sha, source }: UrlSubject) {
  const { apiBaseUrl, origin } = context;
  const repository = `${location.owner}/${location.name}`;
  const self = `${apiBaseUrl}/repos/${repository}/contents/${encodePath(path)}?ref=${encodeURIComponent(location.ref)}`;
  const page = (word: string): string =>
    `${origin}/${repository}/${word}/${encodePath(location.ref)}${path === '' ? '' : `/${encodePath(path)}`}`;
  let git: string | null;
  let html: string | null;
  if (kind === 'submodule') {
    const other = source ? localRepository(source, context, repository) : undefined;
    git = other === undefined ? null : `${apiBaseUrl}/repos/${other}/git/trees/${sha}`;
    html = other === undefined ? null : `${origin}/${other}/tree/${sha}`;
  } else {
    git = `${apiBaseUrl}/repos/${repository}/git/${kind === 'directory' ? 'trees' : 'blobs'}/${sha}`;
    html = page(kind === 'directory' ? 'tree' : 'blob');
  }
  const hasBytes = kind === 'file' || kind === 'symlink';
  return {
    url: self,
    gitUrl: git,
    htmlUrl: html,
    downloadUrl: hasBytes ? rawUrl(context, location, { path, sha }) : null,
    links: { git, self, html },
  };
}

/** `owner/name` of the repository of a submodule URL; undefined when it is on another host. */
function localRepository(source: string, { origin }: UrlContext, repository: string): string | undefined {
  // `../other.git` is relative to the URL of this repository.
  const url = /^\.\.?\//.test(source) ? URL.parse(source, `${origin}/${repository}/`) : URL.parse(source);
  if (!url || url.host !== new URL(origin).host) return undefined;
  return /^\/([\w-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(url.pathname)?.[1];
}
