/** What a request of the git protocol asks for. */
export interface GitRoute {
  owner: string;
  /** Without `.git`. */
  name: string;
  target: 'info/refs' | 'git-upload-pack' | 'git-receive-pack' | 'dumb';
  /** From `.git` or the service on, to append to the address of a renamed repository. */
  tail: string;
  query: URLSearchParams;
}

const services =
  /^\/([^/]+)\/([^/]+?)(\.git)?\/(info\/refs|git-upload-pack|git-receive-pack|HEAD|objects\/(?:info\/[\w-]+|pack\/[^/]+|[0-9a-f]{2}\/[0-9a-f]{38}))$/;

/**
 * Whether a URL belongs to the git protocol. Without `.git` only below first segments that no documented path uses: an account may
 * have such a login, and its repositories are then reached with `.git`, in which no documented path ends there.
 */
export function parseGitRoute(url: string, isDocumented: (firstSegment: string) => boolean): GitRoute | undefined {
  const mark = url.indexOf('?');
  const found = services.exec(mark < 0 ? url : url.slice(0, mark));
  if (!found) return undefined;
  const [, owner = '', name = '', suffix = '', service = ''] = found;
  const isSmart = service === 'info/refs' || service.startsWith('git-');
  // `/{owner}/{repo}/HEAD` and `/objects/` without `.git` may be pages.
  if (suffix === '' && (!isSmart || isDocumented(owner))) return undefined;
  const query = mark < 0 ? '' : url.slice(mark);
  return {
    owner,
    name,
    target: isSmart ? (service as GitRoute['target']) : 'dumb',
    tail: `.git/${service}${query}`,
    query: new URLSearchParams(query),
  };
}
