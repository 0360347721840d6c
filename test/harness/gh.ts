import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import type { TestGateway } from './gateway.ts';

/** Whether the GitHub CLI and openssl are installed. */
export const hasGh = ['gh --version', 'openssl version'].every(command => {
  const [program = '', ...args] = command.split(' ');
  return spawnSync(program, args).status === 0;
});

/** Version of the installed GitHub CLI. */
export const ghVersion = (): string => /\d[\d.]*/.exec(spawnSync('gh', ['--version']).stdout.toString())?.[0] ?? '';

/** The host that `gh` talks to: a name without a port, as `gh auth login` requires. */
export const ghHost = 'portico.example';

export interface GhAnswer {
  code: number;
  stdout: string;
  stderr: string;
}

export interface GhRequest {
  method: string;
  path: string;
  status: number;
}

export interface Gh {
  /** HOME of `gh` and of git, in which `gh auth setup-git` writes the configuration of git. */
  folder: string;
  /** Runs git where `gh` runs, with its proxy and certificate. */
  git(args: string[], options?: { token?: string; cwd?: string }): Promise<GhAnswer>;
  run(args: string[], options?: { token?: string; input?: string }): Promise<GhAnswer>;
  /** Requests since the last call. */
  takeRequests(): GhRequest[];
}

/**
 * `gh` in front of a gateway, over TLS with a certificate made for the run. `gh` resolves no name: it connects through a proxy
 * (HTTPS_PROXY), which leads every CONNECT to the TLS server. The gateway must accept `ghHost` and trust one proxy.
 */
export async function ghInFrontOf(gateway: Pick<TestGateway, 'url'>): Promise<Gh> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-gh-'));
  const key = join(folder, 'key.pem');
  const certificate = join(folder, 'certificate.pem');
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate],
    ...['-subj', `/CN=${ghHost}`, '-addext', `subjectAltName=DNS:${ghHost}`],
  ]);
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
  const requests: GhRequest[] = [];
  const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const headers = { ...incoming.headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
    const forwarded = httpRequest(`${gateway.url}${url}`, { method, headers }, response => {
      requests.push({ method, path: url, status: response.statusCode ?? 0 });
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    });
    forwarded.once('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  const tlsPort = await listen(tls);
  const proxy = createServer(client => {
    client.on('error', () => client.destroy());
    client.once('data', () => {
      const server = connect(tlsPort, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(server).pipe(client);
      });
      server.on('error', () => client.destroy());
    });
  });
  const proxyPort = await listen(proxy);
  afterAll(async () => {
    tls.closeAllConnections();
    await Promise.all([tls, proxy].map(one => new Promise(resolve => one.close(resolve))));
    rmSync(folder, { recursive: true, force: true });
  });
  const env = {
    // biome-ignore lint/style/noProcessEnv: `gh` is found by PATH.
    PATH: process.env.PATH ?? '',
    HOME: folder,
    // `gh` caches the fields of the graph there for a day.
    TMPDIR: folder,
    GH_HOST: ghHost,
    GH_CONFIG_DIR: join(folder, 'config'),
    GH_NO_UPDATE_NOTIFIER: '1',
    GH_PROMPT_DISABLED: '1',
    NO_COLOR: '1',
    SSL_CERT_FILE: certificate,
    GIT_SSL_CAINFO: certificate,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`,
  };
  const run = (
    program: string,
    args: string[],
    { token, input = '', cwd = folder }: { token?: string; input?: string; cwd?: string } = {},
  ): Promise<GhAnswer> =>
    new Promise(resolve => {
      const options = { cwd, timeout: 30_000, env: token ? { ...env, GH_ENTERPRISE_TOKEN: token } : env };
      const child = execFile(program, args, options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
      // A program that ends before it reads its input.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
  return {
    folder,
    run: (args, options) => run('gh', args, options),
    git: (args, options) => run('git', args, options),
    takeRequests: () => requests.splice(0),
  };
}

function listen(server: Server): Promise<number> {
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}
