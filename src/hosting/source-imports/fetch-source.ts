import { isIP } from 'node:net';
import { join } from 'node:path';
import { type GitLimits, GitProcessError, runLimitedGit } from '../../git/limited-git.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import { type ImportCredentials, redactSecrets } from './import-credentials.ts';
import { SourceImportError, sourceImportError } from './source-import-error.ts';

export interface FetchOptions {
  /** As `gitAt` found it. */
  url: string;
  /** For the host of `url`. */
  credentials: ImportCredentials | undefined;
  /** Where the repository is made: `repository.git` in here. */
  folder: string;
  signal: AbortSignal;
  limits: GitLimits;
  /** Seconds without any byte after which the server counts as gone. */
  stallTimeoutSeconds: number;
  /** 0 to 100. */
  onProgress(percent: number): void;
}

/**
 * Fetches a source with all its refs by the system's git, which connects to an address that was checked and to no other one.
 * Throws ImportFailed in words for the caller.
 */
export async function fetchSource(outbound: OutboundClient, options: FetchOptions): Promise<string> {
  const { url, credentials, folder, signal, limits, stallTimeoutSeconds } = options;
  const pinned = await curlResolveEntry(outbound, url);
  const config = [
    'http.followRedirects=false',
    // Neither a proxy nor a cookie, a header or a program that this machine's account may have set up.
    'http.proxy=',
    ...(pinned === undefined ? [] : [`http.curloptResolve=${pinned}`]),
    'http.lowSpeedLimit=1',
    `http.lowSpeedTime=${stallTimeoutSeconds}`,
    'transfer.fsckObjects=true',
    'fetch.fsckObjects=true',
    'transfer.credentialsInUrl=die',
    'fetch.recurseSubmodules=false',
    'submodule.recurse=false',
    'init.defaultBranch=main',
    'pack.threads=2',
    'core.bigFileThreshold=16m',
    'core.packedGitWindowSize=32m',
    'core.packedGitLimit=256m',
    // The first one empties the list.
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

/** Answers git once, out of the environment: an argument would be seen by everybody on this machine. */
const credentialHelper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$PORTICO_USERNAME" "$PORTICO_PASSWORD"; }; f`;

/** `host:port:address,address` as curl wants it; undefined where the host is an address already, which needs no look-up. */
async function curlResolveEntry(outbound: OutboundClient, text: string): Promise<string | undefined> {
  const url = outbound.parseUrl(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await outbound.resolveAddresses(host);
  if (isIP(host) !== 0) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return `${host}:${port}:${addresses.map(one => (isIP(one) === 6 ? `[${one}]` : one)).join(',')}`;
}

/** Receiving is most of the work; counting on the other side is told by git as well, and is none of ours. */
function parseProgress(line: string): number | undefined {
  const found = /^(Receiving objects|Resolving deltas): +(\d{1,3})%/.exec(line);
  if (!found) return undefined;
  const share = Math.min(100, Number(found[2]));
  return found[1] === 'Receiving objects' ? Math.floor(share * 0.8) : 80 + Math.floor(share * 0.15);
}

function toImportError({ code, stderr }: GitProcessError, credentials: ImportCredentials | undefined): Error {
  if (code === 'start' || code === 127) return sourceImportError('The program git is not installed on this machine.');
  if (/Authentication failed|could not read (Username|Password)|HTTP Basic: Access denied|error: 40[13]/.test(stderr)) {
    return new SourceImportError('auth_failed', 'The source refuses the name and the password, or wants some.');
  }
  if (/out of memory|mmap failed|Cannot allocate memory/i.test(stderr)) {
    return sourceImportError('The source holds an object that needs more memory than this installation gives it.');
  }
  const lines = stderr
    .split(/[\r\n]/)
    .map(line => line.trim())
    .filter(line => /^(fatal|error):/.test(line));
  // Without a word goes only who is ended by the kernel for a file that is too large; git then misses the end of its work.
  if (lines.length === 1 && lines[0] === 'fatal: fetch-pack: invalid index-pack output') {
    return sourceImportError('The source is larger than this installation takes.');
  }
  // The first one is the cause, and the others are what came of it.
  const shown = redactSecrets(lines[0] ?? '', credentials);
  return sourceImportError(`git could not fetch the source${shown === '' ? '.' : `: ${shown}`}`);
}
