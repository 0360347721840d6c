import type { IncomingMessage, ServerResponse } from 'node:http';

/** Changes of a commit as text, at the address of its page. */
const changes = /^(\/[^/?]+\/[^/?]+)\/commit\/([^/?]+)\.(diff|patch)(?:\?|$)/;

/**
 * Makes a read of `/{owner}/{repo}/commit/{sha}.patch` or `.diff` one of the API, by the media type that it stands for. Returns whether
 * it did.
 */
export function readChangesAsText(request: IncomingMessage & { originalUrl: string }): boolean {
  const [, repository, commit, form] = changes.exec(request.url ?? '') ?? [];
  if (repository === undefined || !isRead(request)) return false;
  request.url = `/repos${repository}/commits/${commit}`;
  request.originalUrl = request.url;
  request.headers.accept = `application/vnd.host.${form}`;
  return true;
}

const goGet = /^\/([^/?]+)\/([^/?]+?)(?:\.git)?(?:\/[^?]*)?\?(?:[^#]*&)?go-get=1(?:&|$)/;

/**
 * Tells `go get` where the repository of a module is. The answer follows from the address alone, and is the same whether the repository
 * exists or not: git asks for the credential. Returns whether it answered.
 */
export function tellGo(request: IncomingMessage, response: ServerResponse, origin: string): boolean {
  const [, owner, name] = goGet.exec(request.url ?? '') ?? [];
  if (owner === undefined || !isRead(request)) return false;
  const path = `${origin}/${owner}/${name}`;
  const attribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const module = attribute(path.replace(/^https?:\/\//, ''));
  const page = `<!doctype html><title>${module}</title><meta name="go-import" content="${module} git ${attribute(path)}.git">\n`;
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page),
    'Content-Security-Policy': "default-src 'none'",
    'Cache-Control': 'public, max-age=300',
  });
  response.end(request.method === 'HEAD' ? undefined : page);
  return true;
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';
