import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface GitServerOptions {
  /** Repository folders by the first path segment. */
  repositories: Record<string, string>;
  /** Required credentials. */
  basic?: { username: string; password: string };
  /** Pause in milliseconds between chunks of a pack, and bytes per chunk. */
  slow?: { pause: number; piece: number };
  /** Handles a request itself and returns true; false passes it to git. */
  before?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface GitServer {
  url: string;
  /** Paths with queries of all requests. */
  asked: string[];
  /** Authorization headers received. */
  credentials: Set<string>;
  close(): Promise<void>;
}

/** Serves real repositories over smart HTTP with `git http-backend` on a loopback port. */
export async function serveGit(options: GitServerOptions): Promise<GitServer> {
  const asked: string[] = [];
  const credentials = new Set<string>();
  const required =
    options.basic && `Basic ${Buffer.from(`${options.basic.username}:${options.basic.password}`).toString('base64')}`;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { authorization } = request.headers;
    if (authorization !== undefined) credentials.add(authorization);
    if (options.before?.(request, response)) return;
    if (required !== undefined && authorization !== required) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
      return;
    }
    backend(request, response, options);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise(resolve => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, credentials, close };
}

// biome-ignore lint/style/noProcessEnv: where git is installed. Read once, because one test removes it temporarily.
const searchPath = process.env.PATH;

function backend(request: IncomingMessage, response: ServerResponse, { repositories, slow }: GitServerOptions): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://x');
  const [, name = '', rest = ''] = /^\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
  const folder = repositories[name];
  if (folder === undefined) {
    response.writeHead(404).end();
    return;
  }
  const child = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
    env: {
      PATH: searchPath,
      HOME: '/nonexistent',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: rest,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? '',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => {});
  response.on('close', () => child.kill());
  relay(child.stdout, response, slow).catch(() => response.destroy());
}

/** CGI output: headers, a blank line, the body. */
async function relay(
  output: AsyncIterable<Buffer>,
  response: ServerResponse,
  slow: GitServerOptions['slow'],
): Promise<void> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of output) {
    let body = chunk;
    if (head) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) continue;
      let status = 200;
      for (const line of head.toString('latin1', 0, end).split('\r\n')) {
        const [name = '', value = ''] = line.split(/: ?(.*)/s);
        if (name === 'Status') status = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.writeHead(status);
      body = head.subarray(end + 4);
      head = undefined;
    }
    const size = slow?.piece ?? body.length;
    for (let at = 0; at < body.length; at += size) {
      response.write(body.subarray(at, at + size));
      if (slow) await delay(slow.pause);
    }
  }
  response.end();
}
