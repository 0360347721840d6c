import type { SourceControlValue, SourceProject } from '../../../schema/hosting/source-import.ts';
import type { OutboundClient, OutboundResponse } from '../../outbound/outbound-client.ts';
import { basicAuth, type ImportCredentials } from './import-credentials.ts';

/** What a source is asked with. */
export interface SourceQuery {
  url: string;
  credentials: ImportCredentials | undefined;
  tfvcProject: string | null;
  signal: AbortSignal;
  /** Milliseconds of one question. */
  timeoutMs: number;
}

/** What was found at an address. */
export type DetectedSource =
  | { kind: 'found'; vcs: SourceControlValue; tfvcProject: string | null }
  | { kind: 'multiple'; choices: SourceProject[] }
  | { kind: 'needs-auth' }
  | { kind: 'nothing' };

/** What one question came to. */
type ProbeResult = { vcs: SourceControlValue; projects?: string[] } | 'needs-auth' | undefined;

const maxBytes = 256 * 1024;
/** Most projects that are offered. */
const maxProjects = 100;

/**
 * Finds out what keeps the versions at an address, by what each kind answers to its own first question. Throws OutboundError
 * where the address may not be reached, or nobody answers there at all.
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
    // That one kind is not answered, or at an address that may not be reached, says nothing about the others.
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

/** Where git is served, and as what. */
export type GitLookup = { kind: 'found'; url: string } | { kind: 'needs-auth' } | { kind: 'nothing' };

const service = '/info/refs?service=git-upload-pack';
/** As git follows them: of the first question alone. */
const maxRedirects = 3;

/** Looks for git at an address and at the same one with `.git`. The url that is found is the one to fetch from. */
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
      // The old protocol of plain files is not taken: it follows wherever a server points.
      const isGit = answer.status === 200 && type.startsWith('application/x-git-upload-pack-advertisement');
      return isGit ? { kind: 'found', url } : { kind: 'nothing' };
    }
    url = next;
  }
  return { kind: 'nothing' };
}

/** Where the same question is answered; every hop is asked through the guard. Never from https to http. */
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

/** The projects of a collection tell whether there is one. */
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

/** Credentials go to the host that they were given for, and to no other one that it names. */
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
