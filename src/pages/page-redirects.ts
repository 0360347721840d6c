import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Addresses that are not those of the pages: what git clones from, the changes of a comparison as text, and those that people expect of
 * a code host: archives, files, and the installation of an app.
 */
const redirects: readonly [RegExp, (repository: string, range: string) => string][] = [
  [/^(\/[^/?]+\/[^/?]+)\.git\/?(?:\?|$)/, repository => repository],
  [
    /^(\/[^/?]+\/[^/?]+)\/compare\/([^?]+)\.(?:diff|patch)(?:\?|$)/,
    (repository, range) => `${repository}/diff/${range}`,
  ],
  [
    /^(\/[^/?]+\/[^/?]+)\/archive\/([^?]+\.(?:tar\.gz|zip))(?:\?|$)/,
    (repository, file) => {
      const format = file.endsWith('.zip') ? 'zip' : 'tar.gz';
      return `/codeload${repository}/legacy.${format}/${file.slice(0, -format.length - 1)}`;
    },
  ],
  [/^(\/[^/?]+\/[^/?]+)\/raw\/(?:refs\/(?:heads|tags)\/)?(.+)$/, (repository, file) => `/raw${repository}/${file}`],
  [/^(\/apps\/[^/?]+)\/installations\/new(?:\?|$)/, app => app],
];

/** Redirects a read of such an address to its page. Returns whether it did. */
export function redirectToPage({ method, url = '' }: IncomingMessage, response: ServerResponse): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  for (const [pattern, pageOf] of redirects) {
    const [, repository, range = ''] = pattern.exec(url) ?? [];
    if (repository === undefined) continue;
    const mark = url.indexOf('?');
    const query = mark < 0 ? '' : url.slice(mark);
    response.writeHead(302, { Location: `${pageOf(repository, range)}${query}`, 'Content-Length': 0 }).end();
    return true;
  }
  return false;
}
