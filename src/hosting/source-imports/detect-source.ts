import type { SourceControlValue, SourceProject } from '../../../schema/hosting/source-import.ts';
import type { Outbound, OutboundAnswer } from '../../outbound/outbound-client.ts';
import { basicOf, type ImportCredentials } from './import-credentials.ts';

/** What a source is asked with. */
export interface SourceWish {
  url: string;
  credentials: ImportCredentials | undefined;
  tfvcProject: string | null;
  signal: AbortSignal;
  /** Milliseconds of one question. */
  timeout: number;
}

/** What was found at an address. */
export type Detected =
  | { kind: 'found'; vcs: SourceControlValue; tfvcProject: string | null }
  | { kind: 'multiple'; choices: SourceProject[] }
  | { kind: 'needs-auth' }
  | { kind: 'nothing' };

/** What one question came to. */
type Probe = { vcs: SourceControlValue; projects?: string[] } | 'needs-auth' | undefined;

const mostBytes = 256 * 1024;
/** Most projects that are offered. */
const mostProjects = 100;

/**
 * Finds out what keeps the versions at an address, by what each kind answers to its own first question. Throws OutboundError
 * where the address may not be reached, or nobody answers there at all.
 */
export async function detectSource(outbound: Outbound, wish: SourceWish): Promise<Detected> {
  const asked = await Promise.allSettled([
    gitAt(outbound, wish).then(probeOfGit),
    mercurial(outbound, wish),
    subversion(outbound, wish),
    tfvc(outbound, wish),
  ]);
  wish.signal.throwIfAborted();
  const probes = asked.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
  const found = probes.filter(one => typeof one === 'object');
  if (found.length === 0) {
    if (probes.includes('needs-auth')) return { kind: 'needs-auth' };
    const [failed] = asked.flatMap(one => (one.status === 'rejected' ? [one.reason] : []));
    // That one kind is not answered, or at an address that may not be reached, says nothing about the others.
    if (failed !== undefined && probes.length === 0) throw failed;
    return { kind: 'nothing' };
  }
  const choices = found.flatMap(one => choicesOf(one, wish.tfvcProject));
  const [only] = choices;
  if (choices.length > 1) return { kind: 'multiple', choices };
  return only ? { kind: 'found', vcs: only.vcs, tfvcProject: only.tfvcProject } : { kind: 'nothing' };
}

function choicesOf({ vcs, projects }: Exclude<Probe, string | undefined>, wanted: string | null): SourceProject[] {
  if (projects === undefined) return [{ vcs, tfvcProject: null, humanName: vcs }];
  const named = projects.filter(name => wanted === null || name === wanted).slice(0, mostProjects);
  return named.map(name => ({ vcs, tfvcProject: name, humanName: name }));
}

/** Where git is served, and as what. */
export type GitAnswer = { kind: 'found'; url: string } | { kind: 'needs-auth' } | { kind: 'nothing' };

const service = '/info/refs?service=git-upload-pack';
/** As git follows them: of the first question alone. */
const mostRedirects = 3;

/** Looks for git at an address and at the same one with `.git`. The url that is found is the one to fetch from. */
export async function gitAt(outbound: Outbound, wish: SourceWish): Promise<GitAnswer> {
  const first = await gitAtUrl(outbound, wish, wish.url);
  if (first.kind !== 'nothing' || wish.url.endsWith('.git')) return first;
  const second = await gitAtUrl(outbound, wish, `${wish.url}.git`);
  return second;
}

async function gitAtUrl(outbound: Outbound, wish: SourceWish, start: string): Promise<GitAnswer> {
  let url = start;
  for (let hops = 0; hops <= mostRedirects; hops++) {
    const answer = await ask(outbound, wish, { url: `${url}${service}` });
    if (isRefusal(answer)) return { kind: 'needs-auth' };
    const next = redirectOf(answer, url);
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
function redirectOf({ status, headers }: OutboundAnswer, from: string): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return undefined;
  const to = URL.parse(headers.location, `${from}${service}`)?.href;
  if (!to?.endsWith(service) || (from.startsWith('https:') && !to.startsWith('https:'))) return undefined;
  return to.slice(0, -service.length);
}

const probeOfGit = (answer: GitAnswer): Probe => {
  if (answer.kind === 'found') return { vcs: 'git' };
  return answer.kind === 'needs-auth' ? 'needs-auth' : undefined;
};

async function mercurial(outbound: Outbound, wish: SourceWish): Promise<Probe> {
  const answer = await ask(outbound, wish, { url: `${wish.url}?cmd=capabilities` });
  if (isRefusal(answer)) return 'needs-auth';
  const isThere = answer.status === 200 && /^application\/(x-)?hg|^application\/mercurial-/.test(typeOf(answer));
  return isThere ? { vcs: 'mercurial' } : undefined;
}

async function subversion(outbound: Outbound, wish: SourceWish): Promise<Probe> {
  const answer = await ask(outbound, wish, { url: `${wish.url}/`, method: 'OPTIONS' });
  if (isRefusal(answer)) return 'needs-auth';
  const { headers } = answer;
  const names = Object.keys(headers).some(name => name.startsWith('svn-'));
  return names || /subversion\.tigris\.org|\bsvn\b/i.test(headers.dav ?? '') ? { vcs: 'subversion' } : undefined;
}

/** The projects of a collection tell whether there is one. */
async function tfvc(outbound: Outbound, wish: SourceWish): Promise<Probe> {
  const answer = await ask(outbound, wish, { url: `${wish.url}/_apis/tfvc/branches?api-version=5.0` });
  if (isRefusal(answer)) return 'needs-auth';
  if (answer.status !== 200 || !typeOf(answer).startsWith('application/json')) return undefined;
  const listed = await ask(outbound, wish, { url: `${wish.url}/_apis/projects?api-version=5.0` });
  const names = listed.status === 200 ? namesIn(listed.body) : [];
  return names.length > 0 ? { vcs: 'tfvc', projects: names } : { vcs: 'tfvc' };
}

function namesIn(body: Buffer): string[] {
  try {
    const { value } = JSON.parse(body.toString()) as { value?: unknown };
    if (!Array.isArray(value)) return [];
    const names = value.map(one => (one as { name?: unknown } | null)?.name);
    return names.filter(one => typeof one === 'string' && one.length > 0 && one.length <= 255) as string[];
  } catch {
    return [];
  }
}

const typeOf = ({ headers }: OutboundAnswer): string => headers['content-type'] ?? '';
const isRefusal = ({ status }: OutboundAnswer): boolean => status === 401 || status === 403 || status === 407;

/** Credentials go to the host that they were given for, and to no other one that it names. */
async function ask(
  outbound: Outbound,
  { url: given, credentials, signal, timeout }: SourceWish,
  { url, method = 'GET' }: { url: string; method?: 'GET' | 'OPTIONS' },
): Promise<OutboundAnswer> {
  const isOwn = new URL(url).host === new URL(given).host;
  return outbound.send({
    method,
    url,
    headers: {
      'user-agent': 'git/2 (Portico)',
      accept: '*/*',
      ...(credentials && isOwn ? { authorization: basicOf(credentials) } : {}),
    },
    timeout,
    mostBytes,
    signal,
  });
}
