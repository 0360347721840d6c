import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GitProcessError, startLimitedGitInTurn } from '../git/limited-git.ts';
import { isOid, type Oid } from '../git/object.ts';
import { packSettings, processLimits } from '../git/pack-limits.ts';
import type { Repository } from '../git/repository.ts';
import { deliverChunks } from '../server/archive-production.ts';
import { releaseOnClose } from '../server/charge-request.ts';
import { lsRefs, parseLsRefs } from './advertisement.ts';
import { GitHttpError } from './git-http-error.ts';
import { maxFetchRequestBytes, maxFetchRequestLines, maxProcessMs } from './git-limits.ts';
import type { Pace } from './pace.ts';
import type { PackCache } from './pack-cache.ts';
import { bytesOf, lineText, parsePkts, pktLine } from './pkt-line.ts';
import { readWholeBody } from './request-body.ts';

/** What the system's git may serve. Whether a wanted object may be served is decided before: see `PackCache.open`. */
const uploadPackSettings: readonly string[] = [
  ...packSettings,
  'uploadpack.allowFilter=true',
  'uploadpack.allowAnySHA1InWant=true',
  'uploadpack.keepAlive=5',
  'transfer.advertiseSID=false',
];

const contentType = 'application/x-git-upload-pack-result';

export interface UploadPackRequest {
  repository: Repository;
  /** As for `CachedRepository.update`. */
  objectsOf(): Promise<Repository>;
  defaultBranch: string;
  /** Of the protocol. */
  version: 0 | 1 | 2;
  cache: PackCache;
  /** Names the caller to those who share a resource. */
  caller: string;
  /** Waits for a slot for a pack. @throws unavailable */
  takeSlot(): Promise<() => void>;
  /** Whether the request works, or waits for its client. */
  pace: Pace;
  /** Of what a compressed body unpacks to over its compressed bytes. */
  maxExpansion: number;
  /** Adds to the CPU time of git processes, in microseconds. */
  addCpuTime(microseconds: number): void;
}

/** Answers a POST to `git-upload-pack`: `ls-refs` from the database, a fetch by git. */
export async function uploadPack(
  request: IncomingMessage,
  response: ServerResponse,
  given: UploadPackRequest,
): Promise<void> {
  // Before the body is read and unpacked: what arrives slowly or unpacks to much holds a slot of its sender.
  const release = await given.takeSlot();
  try {
    given.pace.wait();
    const body = await readWholeBody(request, { maxBytes: maxFetchRequestBytes, ...given });
    given.pace.work();
    const parsed = await parseRequest(body, given);
    if (parsed.kind === 'nothing') {
      send(response, Buffer.alloc(0));
    } else if (parsed.kind === 'ls-refs') {
      send(response, await lsRefs(given.repository, parseLsRefs(parsed.lines), given.defaultBranch));
    } else {
      await fetchPack(response, body, parsed.wants, given);
    }
  } finally {
    release();
  }
}

function send(response: ServerResponse, bytes: Buffer): void {
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

type ParsedRequest = { kind: 'nothing' } | { kind: 'ls-refs'; lines: string[] } | { kind: 'fetch'; wants: Oid[] };

/** @throws PktError, GitHttpError 400, 413 */
async function parseRequest(
  body: Buffer,
  { version, repository: { workBudget } }: Pick<UploadPackRequest, 'version' | 'repository'>,
): Promise<ParsedRequest> {
  const lines: string[] = [];
  let command: string | undefined;
  let pkts = 0;
  for (const pkt of parsePkts(body)) {
    if (++pkts > maxFetchRequestLines) {
      throw new GitHttpError(413, `The request has more than ${maxFetchRequestLines} lines.`);
    }
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
    if (pkt.kind !== 'data') continue;
    const line = lineText(pkt.data);
    if (line.startsWith('command=')) command ??= line.slice('command='.length);
    lines.push(line);
  }
  // A client that wants nothing, and the probe of one that is about to send much.
  if (lines.length === 0) return { kind: 'nothing' };
  if (version === 2) {
    if (command === 'ls-refs') return { kind: 'ls-refs', lines };
    if (command !== 'fetch')
      throw new GitHttpError(400, `The server does not know the command «${shorten(command ?? '')}».`);
  }
  // Version 0 appends capabilities to the first line.
  const wants = new Set<Oid>();
  for (const line of lines) {
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
    if (!line.startsWith('want ')) continue;
    const oid = line.slice(5, 45).toLowerCase();
    if (!isOid(oid)) throw new GitHttpError(400, `«${shorten(oid)}» is no id of an object.`);
    wants.add(oid);
  }
  return { kind: 'fetch', wants: [...wants] };
}

const shorten = (text: string): string => text.slice(0, 60).replace(/[^\x20-\x7e]/g, '?');

async function fetchPack(
  response: ServerResponse,
  body: Buffer,
  wants: readonly Oid[],
  { repository, objectsOf, defaultBranch, version, cache, caller, pace, addCpuTime }: UploadPackRequest,
): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Error('The client has left.'));
  releaseOnClose(response, leave);
  const signal = AbortSignal.any([gone.signal, cache.stopped, AbortSignal.timeout(maxProcessMs)]);
  try {
    for (let isLast = false; ; isLast = true) {
      const copy = await cache.open(repository, { defaultBranch, wants, caller, signal, addCpuTime, objectsOf });
      let ended = Promise.resolve();
      try {
        const running = await startLimitedGitInTurn(['upload-pack', '--stateless-rpc', '--strict', '.'], {
          folder: copy.folder,
          limits: processLimits,
          // Objects that are stored as a whole are sent as they are: finding deltas for each fetch would take longer than the transfer.
          config: copy.isPacked ? uploadPackSettings : [...uploadPackSettings, 'pack.window=0'],
          ...(version === 2 ? { env: { GIT_PROTOCOL: 'version=2' } } : {}),
          signal,
          onCpuTime: addCpuTime,
        });
        ended = running.ended;
        running.process.stdin.end(body);
        const chunks = deliverChunks(piecesOf(running.process.stdout), () => response.destroy());
        const first = await chunks.next();
        const failure = first.done ? await failureOf(ended) : undefined;
        if (failure && !isLast) {
          // The files of a copy may be deleted at any time, also while it is repacked. A new one is made from the database.
          copy.discard();
          continue;
        }
        pace.wait();
        response.setHeader('Content-Type', contentType);
        const answer = failure ? bytesOf(pktLine('ERR The server could not make the pack.\n')) : resumed(first, chunks);
        await pipeline(Readable.from(answer, { objectMode: false }), response);
        return;
      } finally {
        if (response.closed) leave();
        await ended.catch(() => {});
        copy.release();
      }
    }
  } finally {
    response.off('close', leave);
  }
}

/** Why git has failed. What it writes to stderr may name files and is not sent. @throws what is no failure of git */
async function failureOf(ended: Promise<void>): Promise<GitProcessError | undefined> {
  try {
    await ended;
    return undefined;
  } catch (error) {
    if (error instanceof GitProcessError) return error;
    throw error;
  }
}

/** An iteration whose first step was taken. Once git has begun to write it says itself what is wrong. */
async function* resumed(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (!first.done) yield first.value;
  yield* rest;
}

async function* piecesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* stream;
}
