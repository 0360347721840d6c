import type { SourceControlValue, SourceProject } from '../../../schema/hosting/source-import.ts';
import type { OutboundClient, OutboundResponse } from '../../outbound/outbound-client.ts';
import { basicAuth, type ImportCredentials } from './import-credentials.ts';

/** Parameters of the requests to a source. */
export interface SourceQuery {
  url: string;
  credentials: ImportCredentials | undefined;
  tfvcProject: string | null;
  signal: AbortSignal;
  /** Milliseconds per request. */
  timeoutMs: number;
}

/** What was detected at a URL. */
export type DetectedSource =
  | { kind: 'found'; vcs: SourceControlValue; tfvcProject: string | null }
  | { kind: 'multiple'; choices: SourceProject[] }
  | { kind: 'needs-auth' }
  | { kind: 'nothing' };

/** The result of one probe. */
type ProbeResult = { vcs: SourceControlValue; projects?: string[] } | 'needs-auth' | undefined;

const maxBytes = 256 * 1024;
/** Maximum projects that are offered. */
const maxProjects = 100;

/**
 * Detects the version control system at a URL by the response of each kind to its own first request.
 * @throws OutboundError when the URL is not allowed or nothing answers
 */
export async function detectSource(outbound: OutboundClient, query: SourceQuery): Promise<DetectedSource> {
  const asked = await Promise.allSettled([
    findGit(outbound, query).then(toProbe),
    probeMercurial(outbound, query),
    probeSubversion(outbound, query),
    probeTfvc(outbound, query),
  ]);
  query.signal.throwIfAborted();
  const probes = asked.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
  const found = probes.filter(one => typeof one === 'object');
  if (found.length === 0) {
    if (probes.includes('needs-auth')) return { kind: 'needs-auth' };
    const [failed] = asked.flatMap(one => (one.status === 'rejected' ? [one.reason] : []));
    // A failed probe of one kind says nothing about the others.
    if (failed !== undefined && probes.length === 0) throw failed;
    return { kind: 'nothing' };
  }
  const choices = found.flatMap(one => toChoices(one, query.tfvcProject));
  const [only] = choices;
  if (choices.length > 1) return { kind: 'multiple', choices };
  return only ? { kind: 'found', vcs: only.vcs, tfvcProject: only.tfvcProject } : { kind: 'nothing' };
}

function toChoices(
  { vcs, projects }: Exclude<ProbeResult, string | undefined>,
  wanted: string | null,
): SourceProject[] {
  if (projects === undefined) return [{ vcs, tfvcProject: null, humanName: vcs }];
  const named = projects.filter(name => wanted === null || name === wanted).slice(0, maxProjects);
  return named.map(name => ({ vcs, tfvcProject: name, humanName: name }));
}

/** Where a git repository is served. */
export type GitLookup = { kind: 'found'; url: string } | { kind: 'needs-auth' } | { kind: 'nothing' };

const service = '/info/refs?service=git-upload-pack';
/** git follows redirects of the first request only, too. */
const maxRedirects = 3;

/** Looks for a git repository at a URL and at the same URL with `.git`. The returned URL is the one to fetch from. */
export async function findGit(outbound: OutboundClient, query: SourceQuery): Promise<GitLookup> {
  const first = await findGitAt(outbound, query, query.url);
  if (first.kind !== 'nothing' || query.url.endsWith('.git')) return first;
  const second = await findGitAt(outbound, query, `${query.url}.git`);
  return second;
}

async function findGitAt(outbound: OutboundClient, query: SourceQuery, start: string): Promise<GitLookup> {
  let url = start;
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const answer = await send(outbound, query, { url: `${url}${service}` });
    if (isRefused(answer)) return { kind: 'needs-auth' };
    const next = redirectTarget(answer, url);
    if (next === undefined) {
      const type = answer.headers['content-type'] ?? '';
      // The dumb HTTP protocol is not accepted: it follows references to anywhere.
      const isGit = answer.status === 200 && type.startsWith('application/x-git-upload-pack-advertisement');
      return isGit ? { kind: 'found', url } : { kind: 'nothing' };
    }
    url = next;
  }
  return { kind: 'nothing' };
}

/** The redirect target for the same service; the guard checks every hop. Never from https to http. */
function redirectTarget({ status, headers }: OutboundResponse, from: string): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return undefined;
  const to = URL.parse(headers.location, `${from}${service}`)?.href;
  if (!to?.endsWith(service) || (from.startsWith('https:') && !to.startsWith('https:'))) return undefined;
  return to.slice(0, -service.length);
}

const toProbe = (answer: GitLookup): ProbeResult => {
  if (answer.kind === 'found') return { vcs: 'git' };
  return answer.kind === 'needs-auth' ? 'needs-auth' : undefined;
};

async function probeMercurial(outbound: OutboundClient, query: SourceQuery): Promise<ProbeResult> {
  const answer = await send(outbound, query, { url: `${query.url}?cmd=capabilities` });
  if (isRefused(answer)) return 'needs-auth';
  const isThere = answer.status === 200 && /^application\/(x-)?hg|^application\/mercurial-/.test(contentType(answer));
  return isThere ? { vcs: 'mercurial' } : undefined;
}

async function probeSubversion(outbound: OutboundClient, query: SourceQuery): Promise<ProbeResult> {
  const answer = await send(outbound, query, { url: `${query.url}/`, method: 'OPTIONS' });
  if (isRefused(answer)) return 'needs-auth';
  const { headers } = answer;
  const names = Object.keys(headers).some(name => name.startsWith('svn-'));
  return names || /subversion\.tigris\.org|\bsvn\b/i.test(headers.dav ?? '') ? { vcs: 'subversion' } : undefined;
}

/** The list of projects tells whether this is a collection. */
async function probeTfvc(outbound: OutboundClient, query: SourceQuery): Promise<ProbeResult> {
  const answer = await send(outbound, query, { url: `${query.url}/_apis/tfvc/branches?api-version=5.0` });
  if (isRefused(answer)) return 'needs-auth';
  if (answer.status !== 200 || !contentType(answer).startsWith('application/json')) return undefined;
  const listed = await send(outbound, query, { url: `${query.url}/_apis/projects?api-version=5.0` });
  const names = listed.status === 200 ? parseProjectNames(listed.body) : [];
  return names.length > 0 ? { vcs: 'tfvc', projects: names } : { vcs: 'tfvc' };
}

function parseProjectNames(body: Buffer): string[] {
  try {
    const { value } = JSON.parse(body.toString()) as { value?: unknown };
    if (!Array.isArray(value)) return [];
    const names = value.map(one => (one as { name?: unknown } | null)?.name);
    return names.filter(one => typeof one === 'string' && one.length > 0 && one.length <= 255) as string[];
  } catch {
    return [];
  }
}

const contentType = ({ headers }: OutboundResponse): string => headers['content-type'] ?? '';
const isRefused = ({ status }: OutboundResponse): boolean => status === 401 || status === 403 || status === 407;

/** Credentials are sent only to the host they were given for. */
async function send(
  outbound: OutboundClient,
  { url: given, credentials, signal, timeoutMs }: SourceQuery,
  { url, method = 'GET' }: { url: string; method?: 'GET' | 'OPTIONS' },
): Promise<OutboundResponse> {
  const isOwn = new URL(url).host === new URL(given).host;
  return outbound.send({
    method,
    url,
    headers: {
      'user-agent': 'git/2 (Portico)',
      accept: '*/*',
      ...(credentials && isOwn ? { authorization: basicAuth(credentials) } : {}),
    },
    timeoutMs,
    maxBytes,
    signal,
  });
}
