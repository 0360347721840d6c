import type { Context } from '../../context/context.ts';
import { addressOfRaw } from './download-links.ts';
import { encoded, type Place } from './place.ts';

export type AddressContext = Pick<Context, 'base' | 'origin' | 'keys' | 'now'>;

interface Addressed {
  kind: 'file' | 'directory' | 'symlink' | 'submodule';
  path: string;
  /** Of what is downloaded. */
  sha: string;
  /** The git object, where it is another: that of a link, while what it leads to is downloaded. */
  object?: string;
  /** Address of a submodule, where it is known. */
  source?: string | null;
}

/** The addresses of an item. `git_url` and `html_url` of a submodule lead into the other repository, if it is here. */
export function urlsOf(context: AddressContext, place: Place, { kind, path, sha, object = sha, source }: Addressed) {
  const { base, origin } = context;
  const repository = `${place.owner}/${place.name}`;
  const self = `${base}/repos/${repository}/contents/${encoded(path)}?ref=${encodeURIComponent(place.ref)}`;
  const page = (word: string): string =>
    `${origin}/${repository}/${word}/${encoded(place.ref)}${path === '' ? '' : `/${encoded(path)}`}`;
  let git: string | null;
  let html: string | null;
  if (kind === 'submodule') {
    const other = source ? repositoryHere(source, context, repository) : undefined;
    git = other === undefined ? null : `${base}/repos/${other}/git/trees/${sha}`;
    html = other === undefined ? null : `${origin}/${other}/tree/${sha}`;
  } else {
    git = `${base}/repos/${repository}/git/${kind === 'directory' ? 'trees' : 'blobs'}/${object}`;
    html = page(kind === 'directory' ? 'tree' : 'blob');
  }
  const hasBytes = kind === 'file' || kind === 'symlink';
  return {
    url: self,
    gitUrl: git,
    htmlUrl: html,
    downloadUrl: hasBytes ? addressOfRaw(context, place, { path, sha }) : null,
    links: { git, self, html },
  };
}

/** `owner/name` of a repository of this installation, out of what .gitmodules says; undefined for one elsewhere. */
function repositoryHere(source: string, { origin }: AddressContext, repository: string): string | undefined {
  // `../other.git` is meant from the address of this repository on.
  const url = /^\.\.?\//.test(source) ? URL.parse(source, `${origin}/${repository}/`) : URL.parse(source);
  if (!url || url.host !== new URL(origin).host) return undefined;
  return /^\/([\w-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(url.pathname)?.[1];
}
