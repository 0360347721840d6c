import type { Request, Response } from 'express';
import type { Context } from '../context/context.ts';
import { serviceUnavailable } from '../errors/errors.ts';
import { GitProcessError } from '../git/limited-git.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { callerShares, slotKeyOf } from '../limits/caller-shares.ts';
import { SharedSlots, type SlotShare } from '../workers/shared-slots.ts';
import { type GitService, refAdvertisement, versionTwoAdvertisement } from './advertisement.ts';
import { credentialWanted, findGitRepository } from './git-access.ts';
import { GitHttpError } from './git-http-error.ts';
import { maxWaitingForPacks, packSlots, repositorySlots } from './git-limits.ts';
import { type GitRoute, parseGitRoute } from './git-route.ts';
import type { Pace } from './pace.ts';
import type { PackCache } from './pack-cache.ts';
import { PktError } from './pkt-line.ts';
import { awaitProgress } from './progress.ts';
import { receivePack } from './receive-pack.ts';
import { uploadPack } from './upload-pack.ts';

export interface ExplainedError {
  status: number;
  message: string;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A charged request. */
export interface GitCharge {
  /** When it waits for its client. */
  pace: Pace;
  /** Charges what is charged only if the request is served. @throws as `charge` */
  serve(): Promise<void>;
}

export interface GitHttpOptions {
  /** Authenticates a request. @throws GraphQLError of an invalid credential */
  context(request: Request): Promise<Context>;
  /**
   * Charges a request, and its usage every second until `ended`. `begins`: whether an operation begins with it; undefined if rate limits
   * are off.
   * @throws GraphQLError when a limit is exceeded; 401 where the client may have a credential that it has not sent
   */
  charge(
    context: Context,
    request: Request,
    response: Response,
    operation: { begins: boolean; ended: Promise<void> },
  ): Promise<GitCharge | undefined>;
  cache: PackCache;
  maxPushBytes: number;
  maxPushObjects: number;
  /** Of what a compressed body unpacks to over its compressed bytes. */
  maxExpansion: number;
  /** Longest time without progress, in milliseconds. */
  maxIdleMs: number;
  /** Longest time that a request waits for a slot, in milliseconds. */
  maxQueueMs: number;
  /** Whether a documented path begins with this segment. */
  isDocumented(firstSegment: string): boolean;
  /** Lets git in a browser read the response. Returns whether the request was a preflight, which is answered. */
  allowPages(request: Request, response: Response): boolean;
  /** Lets the bytes of a request begin later than those of others. */
  allowSlowArrival(request: Request): void;
  /** What a caller may see of an error; undefined for a defect. */
  explain(error: unknown): ExplainedError | undefined;
  onDefect(error: unknown, request: Request): void;
  /** Called when the disk of the data folder is full. */
  onFullDisk(error: unknown): void;
}

/** Answers a request of the git protocol and returns which one; undefined for every other request. */
export type GitHttp = (request: Request, response: Response) => GitRoute['target'] | undefined;

/** The handler of git's smart HTTP protocol. Errors are text, which git shows as `remote:` lines. */
export function gitHttp(options: GitHttpOptions): GitHttp {
  const slots = new SharedSlots();
  return (request, response) => {
    const route = parseGitRoute(request.url, options.isDocumented);
    if (!route) return undefined;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    answer(request, response, route, { ...options, slots, ended })
      .catch((error: unknown) => fail(request, response, error, options))
      .finally(resolve);
    return route.target;
  };
}

async function answer(
  request: Request,
  response: Response,
  route: GitRoute,
  options: GitHttpOptions & { slots: SharedSlots; ended: Promise<void> },
): Promise<void> {
  const { target } = route;
  noCache(response);
  if (options.allowPages(request, response)) return;
  const wanted = target === 'info/refs' || target === 'dumb' ? ['GET', 'HEAD'] : ['POST'];
  if (!wanted.includes(request.method)) {
    throw new GitHttpError(405, `${target} takes ${wanted.join(' and ')} only.`, { Allow: wanted.join(', ') });
  }
  const service = target === 'info/refs' ? route.query.get('service') : target;
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') {
    throw new GitHttpError(
      403,
      service === null || target === 'dumb'
        ? 'This server speaks the smart HTTP protocol only. Use git 1.6.6 or newer.'
        : 'There is no such service; git-upload-pack and git-receive-pack are served.',
    );
  }
  if (target !== 'info/refs') requireContentType(request, service);
  const context = await options.context(request);
  // An operation of git begins with `info/refs`, which pays for the requests that follow.
  const begins = target === 'info/refs';
  const charge = await options.charge(context, request, response, { begins, ended: options.ended });
  const { pace = unpaced } = charge ?? {};
  const addCpuTime = (microseconds: number): void => {
    context.usage.childCpuMicroseconds += microseconds;
  };
  const found = await findGitRepository(
    context,
    route,
    service === 'git-receive-pack' ? 'contents:write' : 'contents:read',
  );
  if ('location' in found) {
    response.statusCode = 301;
    response.setHeader('Location', found.location);
    sendText(response, `The repository is at ${found.location}.`);
    return;
  }
  await charge?.serve();
  const repository = openRepository(context, found.databaseId);
  const { defaultBranch } = found;
  const version = protocolVersion(request);
  if (target === 'info/refs') {
    const bytes =
      service === 'git-upload-pack' && version === 2
        ? versionTwoAdvertisement()
        : await refAdvertisement(repository, { service, version: version === 1 ? 1 : 0, defaultBranch });
    response.setHeader('Content-Type', `application/x-${service}-advertisement`);
    response.setHeader('Content-Length', bytes.length);
    response.end(request.method === 'HEAD' ? undefined : bytes);
    return;
  }
  const { cache, slots, maxExpansion } = options;
  const takeSlot = async (): Promise<() => void> => {
    const shares = [
      ...callerShares(context.actor, packSlots),
      ...repositoryShares(found.databaseId, context.actor.kind === 'anonymous'),
    ];
    pace.wait();
    const signal = AbortSignal.any([closedSignal(response), AbortSignal.timeout(options.maxQueueMs)]);
    const release = await slots.acquire(shares, { signal, maxWaiting: maxWaitingForPacks });
    if (!release) throw serviceUnavailable({ reason: 'git_busy' }, 'Too many packs are being sent. Try again later.');
    pace.work();
    return release;
  };
  const shared = { cache, maxExpansion, takeSlot, addCpuTime, pace };
  awaitProgress(request, response, context.usage, options.maxIdleMs);
  if (service === 'git-upload-pack') {
    // Access and refs are decided by the primary. Many objects may come from a replica that has what the refs reach.
    const objectsOf = async (): Promise<Repository> =>
      openRepository({ read: await context.readCaughtUp(), workBudget: context.workBudget }, found.databaseId);
    const caller = slotKeyOf(context.actor);
    await uploadPack(request, response, { repository, objectsOf, defaultBranch, version, caller, ...shared });
  } else {
    options.allowSlowArrival(request);
    await receivePack(request, response, {
      context,
      row: found,
      ...shared,
      maxBytes: options.maxPushBytes,
      maxObjects: options.maxPushObjects,
      isUnavailable: error => options.explain(error)?.status === 503,
      onDefect: error => options.onDefect(error, request),
    });
  }
}

/** Aborted when the response is closed. */
function closedSignal(response: Response): AbortSignal {
  const closed = new AbortController();
  if (response.destroyed) closed.abort();
  else response.once('close', () => closed.abort());
  return closed.signal;
}

function repositoryShares(id: number, isAnonymous: boolean): SlotShare[] {
  const ofAll = { key: `repository:${id}`, max: repositorySlots.all };
  return isAnonymous ? [ofAll, { key: `anonymous repository:${id}`, max: repositorySlots.anonymous }] : [ofAll];
}

/** Where rate limits are off, nobody is charged. */
const unpaced: Pace = { work() {}, wait() {} };

/** git sends `version=2`, and may send other keys beside it. */
function protocolVersion({ headers }: Request): 0 | 1 | 2 {
  const versions = String(headers['git-protocol'] ?? '')
    .split(':')
    .map(part => /^version=([012])$/.exec(part)?.[1])
    .filter(version => version !== undefined);
  return versions.map(Number).reduce((a, b) => Math.max(a, b), 0) as 0 | 1 | 2;
}

/** A form on a page of another site cannot send it. */
function requireContentType({ headers }: Request, service: GitService): void {
  if (headers['content-type'] === `application/x-${service}-request`) return;
  throw new GitHttpError(415, `The request must be application/x-${service}-request.`);
}

function noCache(response: Response): void {
  response.setHeader('Cache-Control', 'no-cache, max-age=0, must-revalidate');
  response.setHeader('Expires', 'Fri, 01 Jan 1980 00:00:00 GMT');
  response.setHeader('Pragma', 'no-cache');
}

function sendText(response: Response, text: string): void {
  const bytes = Buffer.from(`${text}\n`);
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  response.end(response.req.method === 'HEAD' ? undefined : bytes);
}

function fail(
  request: Request,
  response: Response,
  error: unknown,
  { explain, onDefect, onFullDisk }: Pick<GitHttpOptions, 'explain' | 'onDefect' | 'onFullDisk'>,
): void {
  const isGone = response.destroyed || (request.destroyed && !request.complete);
  const known = isGone ? undefined : toGitHttpError(error, explain);
  if (isFullDisk(error)) onFullDisk(error);
  else if (!known && !isGone) onDefect(error, request);
  if (response.headersSent || isGone) {
    response.destroy();
    return;
  }
  const { status, message, headers } = known ?? new GitHttpError(500, 'The server failed. Try again.');
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // What is left of the request is not read.
  if (!request.complete) response.setHeader('Connection', 'close');
  sendText(response, message);
}

/** Of this process or of git. */
function isFullDisk(error: unknown): boolean {
  if (error instanceof GitProcessError) return /No space left on device|Disk quota exceeded/i.test(error.stderr);
  return ['ENOSPC', 'EDQUOT'].includes(String((error as { code?: unknown } | undefined)?.code));
}

/** Undefined for a defect. */
function toGitHttpError(error: unknown, explain: GitHttpOptions['explain']): GitHttpError | undefined {
  if (error instanceof GitHttpError) return error;
  if (isFullDisk(error)) {
    return new GitHttpError(503, 'The server has no room for packs. Try again later.');
  }
  if (error instanceof PktError) return new GitHttpError(400, error.message);
  const known = explain(error);
  if (!known) return undefined;
  const { status, message, headers } = known;
  if (status === 401) return credentialWanted(message, headers);
  return new GitHttpError(status, message, { ...headers });
}
