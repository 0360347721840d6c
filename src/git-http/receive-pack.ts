import type { IncomingMessage, ServerResponse } from 'node:http';
import { nextEventLoopTurn } from 'operation-rest/event-loop-turn';
import type { Context } from '../context/context.ts';
import { isBranchName, isHiddenRef, isRefName } from '../git/ref-name.ts';
import { openRepository } from '../git/repository.ts';
import { push } from '../hosting/pushes/push.ts';
import type { PushRequest } from '../hosting/pushes/push-request.ts';
import { type PushRights, pusherFor, shapeLimits } from '../hosting/pushes/push-rights.ts';
import type { OwnedRow } from '../hosting/repositories/repositories.queries.ts';
import { releaseOnClose } from '../server/charge-request.ts';
import { GitHttpError } from './git-http-error.ts';
import { maxProbeBytes, maxProcessMs, maxPushCommands } from './git-limits.ts';
import type { Pace } from './pace.ts';
import type { PackCache } from './pack-cache.ts';
import { RefusedPackError } from './pack-file.ts';
import { PktReader } from './pkt-line.ts';
import { type PushCommand, type PushCommands, readCommands } from './push-commands.ts';
import { isRefusal, outcomeOf, type PushOutcome, refusalOf } from './push-outcome.ts';
import { type CommandResult, PushReport } from './push-report.ts';
import { type PackLimits, Quarantine } from './quarantine.ts';
import { readBody } from './request-body.ts';
import { type CheckedPack, checkConnected, storePack } from './store-pack.ts';

export interface ReceivePackRequest {
  context: Context;
  row: OwnedRow;
  cache: PackCache;
  maxBytes: number;
  maxObjects: number;
  /** Of what a compressed body unpacks to over its compressed bytes. */
  maxExpansion: number;
  /** Waits for a slot for a pack. @throws unavailable */
  takeSlot(): Promise<() => void>;
  /** Whether the request works, or waits for its client. */
  pace: Pace;
  /** Adds to the CPU time of git processes, in microseconds. */
  addCpuTime(microseconds: number): void;
  /** Whether an error says that the server lacks something for now, such as descriptors or its database: the answer is 503. */
  isUnavailable(error: unknown): boolean;
  /** Called when an error is a defect. */
  onDefect(error: unknown): void;
}

/** What is sent beyond the limit is read up to this multiple of it, because git shows the reason only after it has sent everything. */
const discardedShare = 4;

/** Answers a POST to `git-receive-pack`: checks the pack apart from the repository and then runs one push. */
export async function receivePack(
  request: IncomingMessage,
  response: ServerResponse,
  given: ReceivePackRequest,
): Promise<void> {
  // Before the body is read and unpacked, as for a fetch.
  const release = await given.takeSlot();
  try {
    given.pace.wait();
    await receiveCommands(request, response, given);
  } finally {
    release();
  }
}

async function receiveCommands(
  request: IncomingMessage,
  response: ServerResponse,
  given: ReceivePackRequest,
): Promise<void> {
  const { cache, maxBytes } = given;
  const reader = new PktReader(readBody(request, { ...given, maxBytes: maxBytes * discardedShare }));
  const asked = await readCommands(reader, given.context.workBudget);
  if (asked.commands.length === 0) {
    // The probe of a client that is about to send much: it learns whether it may.
    let bytes = 0;
    for await (const piece of reader.remainder()) {
      bytes += piece.length;
      if (bytes > maxProbeBytes) throw new GitHttpError(400, 'A push without commands has a pack.');
    }
    response.setHeader('Content-Type', 'application/x-git-receive-pack-result');
    response.end();
    return;
  }
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Error('The client has left.'));
  releaseOnClose(response, leave);
  const signal = AbortSignal.any([gone.signal, cache.stopped, AbortSignal.timeout(maxProcessMs)]);
  await cache.prepare();
  const quarantine = new Quarantine(cache.incomingFolder, given.addCpuTime);
  try {
    const refused = await receive(quarantine, reader, asked, {
      maxBytes,
      maxObjects: given.maxObjects,
      shape: shapeLimits(given.context.config),
      signal,
    });
    given.pace.work();
    const report = new PushReport(response, asked.capabilities);
    report.begin();
    if (refused) {
      report.say(refused.lines);
      report.end(refused.message, refuseAll(asked.commands, 'unpacker error'));
      return;
    }
    await runPush(quarantine, asked, report, { ...given, signal });
  } finally {
    response.off('close', leave);
    await quarantine.delete();
  }
}

/** Reads the rest of the request. Returns why the pack is refused. */
async function receive(
  quarantine: Quarantine,
  reader: PktReader,
  { commands }: PushCommands,
  { signal, ...limits }: PackLimits & { signal: AbortSignal },
): Promise<RefusedPackError | undefined> {
  if (commands.length > maxPushCommands) {
    for await (const _ of reader.remainder());
    return new RefusedPackError('too many refs', [
      `error: A push changes at most ${maxPushCommands} refs. Push them in several steps.`,
    ]);
  }
  // No pack follows when all commands are deletions.
  if (commands.every(({ new: to }) => to === undefined)) {
    for await (const _ of reader.remainder());
    return undefined;
  }
  try {
    await quarantine.receive(reader.remainder(), limits, signal);
    return undefined;
  } catch (error) {
    if (error instanceof RefusedPackError) return error;
    throw error;
  }
}

const refuseAll = (commands: readonly PushCommand[], refused: string): CommandResult[] =>
  commands.map(({ ref }) => ({ ref, refused }));

/** Another command of an atomic push was refused. */
const notAlone = 'another ref of this push was refused';

async function runPush(
  quarantine: Quarantine,
  { commands, capabilities }: PushCommands,
  report: PushReport,
  given: ReceivePackRequest & { signal: AbortSignal },
): Promise<void> {
  report.say(quarantine.warnings);
  for (const { ref, old, new: to } of commands)
    if (old === undefined && to === undefined) report.say([`warning: Deleting a non-existent ref: ${ref}`]);
  const problems = findProblems(commands, given.row);
  const isAtomic = capabilities.has('atomic');
  const done = problems.size === 0 || !isAtomic ? commands.filter(command => !problems.has(command)) : [];
  const outcome =
    done.length === 0
      ? { lines: [], refusals: new Map<string, string>() }
      : await tryPush(quarantine, done, { ...given, isAtomic, hasSpareObjects: problems.size > 0 });
  report.say(outcome.lines);
  // The end of the push and the report of 10,000 refs take 10 ms each.
  await nextEventLoopTurn();
  report.end(
    outcome.unpack ?? 'ok',
    commands.map((command): CommandResult => {
      const { ref } = command;
      const refused =
        problems.get(command) ??
        (done.length === 0
          ? notAlone
          : (outcome.refusals.get(ref) ?? (isAtomic && outcome.refusals.size > 0 ? notAlone : undefined)));
      return refused === undefined ? { ref } : { ref, refused };
    }),
  );
}

/** What can be said of commands without the database. */
function findProblems(commands: readonly PushCommand[], { defaultBranch }: OwnedRow): Map<PushCommand, string> {
  const problems = new Map<PushCommand, string>();
  const firsts = new Map<string, PushCommand>();
  for (const command of commands) {
    const first = firsts.get(command.ref);
    if (first) for (const one of [first, command]) problems.set(one, 'the push names this ref twice');
    else firsts.set(command.ref, command);
  }
  for (const command of commands) {
    if (problems.has(command)) continue;
    const problem = problemOf(command, defaultBranch);
    if (problem !== undefined) problems.set(command, problem);
  }
  return problems;
}

function problemOf({ ref, old, new: to }: PushCommand, defaultBranch: string): string | undefined {
  if (isHiddenRef(ref)) return 'deny updating a hidden ref';
  if (to === undefined) {
    // git sends this for a ref that it was not told of, and expects a warning.
    if (old === undefined) return undefined;
    return ref === `refs/heads/${defaultBranch}` ? 'deletion of the current branch prohibited' : undefined;
  }
  if (!isRefName(ref) || !ref.startsWith('refs/') || ref.split('/').length < 3) return 'funny refname';
  if (ref.startsWith('refs/heads/') && !isBranchName(ref.slice('refs/heads/'.length))) return 'funny refname';
  return undefined;
}

async function tryPush(
  quarantine: Quarantine,
  commands: readonly PushCommand[],
  given: ReceivePackRequest & { signal: AbortSignal; isAtomic: boolean; hasSpareObjects: boolean },
): Promise<PushOutcome> {
  const { context, row, signal, isAtomic, isUnavailable, onDefect } = given;
  const pusher = pusherFor(context, row);
  let mayChangeWorkflows = true;
  const rights: PushRights = {
    ...pusher.rights,
    async mayChangeWorkflows(read) {
      mayChangeWorkflows = await pusher.rights.mayChangeWorkflows(read);
      return mayChangeWorkflows;
    },
  };
  try {
    const pack = await checkConnected(openRepository(context, row.databaseId), quarantine, {
      shape: rights.shape,
      signal,
    });
    signal.throwIfAborted();
    const result = await push(context, {
      repositoryId: row.databaseId,
      ...pusher,
      rights,
      updates: commands.map(({ ref, old, new: to }) => ({ ref, expected: old ?? null, to: to ?? null })),
      isPartial: !isAtomic,
      hasSpareObjects: given.hasSpareObjects,
      ...objectsOf(pack, signal),
      links: pack.links,
    });
    return outcomeOf(result, commands, { mayChangeWorkflows });
  } catch (error) {
    // Lack of descriptors, of a database and of a process are 503 of the request, and no report on refs: a commit may have been under way.
    if (signal.aborted || isUnavailable(error)) throw error;
    if (!isRefusal(error)) onDefect(error);
    return refusalOf(error, commands, { mayChangeWorkflows });
  }
}

function objectsOf(pack: CheckedPack, signal: AbortSignal): Pick<PushRequest, 'objects' | 'store'> {
  if (pack.objects) return { objects: pack.objects };
  return { store: target => storePack(pack, target, signal) };
}
