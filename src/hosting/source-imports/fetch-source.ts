import { isIP } from 'node:net';
import { join } from 'node:path';
import { type FsckFindings, fsckSettings } from '../../git/fsck-messages.ts';
import { type GitLimits, GitProcessError, runLimitedGit } from '../../git/limited-git.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import { type ImportCredentials, redactSecrets } from './import-credentials.ts';
import { credentialsRefused, sourceImportError } from './source-import-error.ts';

export interface FetchOptions {
  /** As returned by `findGit`. */
  url: string;
  /** For the host of `url`. */
  credentials: ImportCredentials | undefined;
  /** Directory in which `repository.git` is created. */
  folder: string;
  signal: AbortSignal;
  limits: GitLimits;
  /** Seconds without data after which the transfer is aborted. */
  stallTimeoutSeconds: number;
  /** 0 to 100. */
  onProgress(percent: number): void;
  /** Takes the lines of git about objects. */
  findings: FsckFindings;
}

/**
 * Clones a source with all its refs. git connects only to the addresses that the guard has checked.
 * @throws SourceImportError with a message for the client
 */
export async function fetchSource(outbound: OutboundClient, options: FetchOptions): Promise<string> {
  const { url, credentials, folder, signal, limits, stallTimeoutSeconds } = options;
  const pinned = await curlResolveEntry(outbound, url);
  const config = [
    'http.followRedirects=false',
    // Ignores proxies, cookies, headers and programs in the configuration of this machine's account.
    'http.proxy=',
    ...(pinned === undefined ? [] : [`http.curloptResolve=${pinned}`]),
    'http.lowSpeedLimit=1',
    `http.lowSpeedTime=${stallTimeoutSeconds}`,
    'transfer.fsckObjects=true',
    'fetch.fsckObjects=true',
    ...fsckSettings('fetch.fsck'),
    'transfer.credentialsInUrl=die',
    'fetch.recurseSubmodules=false',
    'submodule.recurse=false',
    'init.defaultBranch=main',
    'pack.threads=2',
    'core.bigFileThreshold=16m',
    'core.packedGitWindowSize=32m',
    'core.packedGitLimit=256m',
    // An empty value resets the list.
    'credential.helper=',
    ...(credentials ? [`credential.helper=${credentialHelper}`] : []),
  ];
  const target = join(folder, 'repository.git');
  try {
    await runLimitedGit(['clone', '--mirror', '--template=', '--no-hardlinks', '--progress', '--', url, target], {
      folder,
      limits,
      config,
      signal,
      env: {
        GIT_ALLOW_PROTOCOL: 'http:https',
        GIT_PROTOCOL_FROM_USER: '0',
        ...(credentials ? { PORTICO_USERNAME: credentials.username, PORTICO_PASSWORD: credentials.password } : {}),
      },
      onLine(line) {
        options.findings.take(line);
        const percent = parseProgress(line);
        if (percent !== undefined) options.onProgress(percent);
      },
    });
  } catch (error) {
    if (!(error instanceof GitProcessError)) throw error;
    throw toImportError(error, credentials);
  }
  return target;
}

/** Passes the credentials to git through the environment: every user of the machine can see arguments. */
const credentialHelper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$PORTICO_USERNAME" "$PORTICO_PASSWORD"; }; f`;

/** An entry for http.curloptResolve: `host:port:address,address`; undefined when the host is an IP address. */
async function curlResolveEntry(outbound: OutboundClient, text: string): Promise<string | undefined> {
  const url = outbound.parseUrl(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await outbound.resolveAddresses(host);
  if (isIP(host) !== 0) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return `${host}:${port}:${addresses.map(one => (isIP(one) === 6 ? `[${one}]` : one)).join(',')}`;
}

/** Receiving and resolving are weighted 80 to 15; the progress of the server is ignored. */
function parseProgress(line: string): number | undefined {
  const found = /^(Receiving objects|Resolving deltas): +(\d{1,3})%/.exec(line);
  if (!found) return undefined;
  const share = Math.min(100, Number(found[2]));
  return found[1] === 'Receiving objects' ? Math.floor(share * 0.8) : 80 + Math.floor(share * 0.15);
}

function toImportError({ code, stderr }: GitProcessError, credentials: ImportCredentials | undefined): Error {
  if (code === 'start' || code === 127) return sourceImportError('The program git is not installed on this machine.');
  if (/Authentication failed|could not read (Username|Password)|HTTP Basic: Access denied|error: 40[13]/.test(stderr)) {
    return credentialsRefused();
  }
  if (/out of memory|mmap failed|Cannot allocate memory/i.test(stderr)) {
    return sourceImportError('The source holds an object that needs more memory than this installation gives it.');
  }
  const lines = stderr
    .split(/[\r\n]/)
    .map(line => line.trim())
    .filter(line => /^(fatal|error):/.test(line));
  // When the kernel ends index-pack because of the file size limit, it writes no message, and git reports only this
  // one.
  if (lines.length === 1 && lines[0] === 'fatal: fetch-pack: invalid index-pack output') {
    return sourceImportError('The source is larger than this installation takes.');
  }
  // The first message is the cause; the others are consequences.
  const shown = redactSecrets(lines[0] ?? '', credentials);
  return sourceImportError(`git could not fetch the source${shown === '' ? '.' : `: ${shown}`}`);
}
