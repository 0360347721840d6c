import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context/context.ts';
import { GitError } from '../git/git-error.ts';
import { isBranchName, isRefName } from '../git/ref-name.ts';
import { openRepository } from '../git/repository.ts';
import { push } from '../hosting/pushes/push.ts';
import type { PushRequest } from '../hosting/pushes/push-request.ts';
import { type PushRights, pusherFor } from '../hosting/pushes/push-rights.ts';
import type { OwnedRow } from '../hosting/repositories/repositories.queries.ts';
import { maxProcessMs, maxPushCommands } from './git-limits.ts';
import type { PackCache } from './pack-cache.ts';
import { PktReader } from './pkt-line.ts';
import { type PushCommand, type PushCommands, readCommands } from './push-commands.ts';
import { addOutcome, isRefusal, outcomeOf, type PushOutcome, refusalOf } from './push-outcome.ts';
import { type CommandResult, PushReport } from './push-report.ts';
import { Quarantine, RefusedPackError } from './quarantine.ts';
import { readBody } from './request-body.ts';
import { type CheckedPack, checkConnected, storePack } from './store-pack.ts';

export interface ReceivePackRequest {
  context: Context;
  row: OwnedRow;
  cache: PackCache;
  maxBytes: number;
  /** Takes a slot for a pack. @throws unavailable */
  takeSlot(): () => void;
  /** Adds to the CPU time of git processes, in microseconds. */
  addCpuTime(microseconds: number): void;
  /** Called when an error is a defect. */
  onDefect(error: unknown): void;
  /** Called when the request is read completely. */
  onReceived(): void;
}

/** What is sent beyond the limit is read up to this multiple of it, because git shows the reason only after it has sent everything. */
const discardedShare = 4;

/** Answers a POST to `git-receive-pack`: checks the pack apart from the repository and then runs one push. */
export async function receivePack(
  request: IncomingMessage,
  response: ServerResponse,
  given: ReceivePackRequest,
): Promise<void> {
  const { cache, maxBytes } = given;
  const reader = new PktReader(readBody(request, maxBytes * discardedShare));
  const asked = await readCommands(reader);
  if (asked.commands.length === 0) {
    // The probe of a client that is about to send much: it learns whether it may.
    for await (const _ of reader.remainder());
    response.setHeader('Content-Type', 'application/x-git-receive-pack-result');
    response.end();
    return;
  }
  const release = given.takeSlot();
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Error('The client has left.'));
  response.once('close', leave);
  const signal = AbortSignal.any([gone.signal, cache.stopped, AbortSignal.timeout(maxProcessMs)]);
  await cache.prepare();
  const quarantine = await Quarantine.create(cache.incomingFolder, given.addCpuTime);
  try {
    const refused = await receive(quarantine, reader, asked, { maxBytes, signal });
    given.onReceived();
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
    release();
    await quarantine.delete();
  }
}

/** Reads the rest of the request. Returns why the pack is refused. */
async function receive(
  quarantine: Quarantine,
  reader: PktReader,
  { commands }: PushCommands,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
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
    await quarantine.receive(reader.remainder(), maxBytes, signal);
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
  const problems = new Map<PushCommand, string>();
  for (const command of commands) {
    const problem = problemOf(command, commands, given.row);
    if (problem !== undefined) problems.set(command, problem);
  }
  const isAtomic = capabilities.has('atomic');
  const done = problems.size === 0 || !isAtomic ? commands.filter(command => !problems.has(command)) : [];
  const outcome =
    done.length === 0
      ? { lines: [], refusals: new Map<string, string>() }
      : await tryPush(quarantine, done, { ...given, isAtomic, hasSpareObjects: problems.size > 0 });
  report.say(outcome.lines);
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

/** What can be said of a command without the database. */
function problemOf(command: PushCommand, all: readonly PushCommand[], { defaultBranch }: OwnedRow): string | undefined {
  const { ref, old, new: to } = command;
  if (all.some(other => other !== command && other.ref === ref)) return 'the push names this ref twice';
  if (to === undefined) {
    if (ref === `refs/heads/${defaultBranch}`) return 'deletion of the current branch prohibited';
    return old === undefined ? 'no such ref' : undefined;
  }
  if (!isRefName(ref) || !ref.startsWith('refs/') || ref.split('/').length < 3) return 'funny refname';
  if (ref.startsWith('refs/heads/') && !isBranchName(ref.slice('refs/heads/'.length))) return 'funny refname';
  return undefined;
}

/** Pushes after which the refs that are left are refused: each further one is because a name cannot be a ref beside another. */
const maxRounds = 10;

async function tryPush(
  quarantine: Quarantine,
  commands: readonly PushCommand[],
  given: ReceivePackRequest & { signal: AbortSignal; isAtomic: boolean; hasSpareObjects: boolean },
): Promise<PushOutcome> {
  const { context, row, signal, isAtomic, onDefect } = given;
  const pusher = pusherFor(context, row);
  let mayChangeWorkflows = true;
  const rights: PushRights = {
    ...pusher.rights,
    async mayChangeWorkflows(read) {
      mayChangeWorkflows = await pusher.rights.mayChangeWorkflows(read);
      return mayChangeWorkflows;
    },
  };
  const outcome: PushOutcome = { lines: [], refusals: new Map() };
  const fail = (failed: readonly PushCommand[], error: unknown): PushOutcome =>
    addOutcome(outcome, refusalOf(error, failed, { mayChangeWorkflows }));
  let left = commands;
  try {
    const pack = await checkConnected(openRepository(context.read, row.databaseId), quarantine, signal);
    for (let round = 1; left.length > 0; round++) {
      signal.throwIfAborted();
      try {
        const result = await push(context, {
          repositoryId: row.databaseId,
          ...pusher,
          rights,
          updates: left.map(({ ref, old, new: to }) => ({ ref, expected: old ?? null, to: to ?? null })),
          isPartial: !isAtomic,
          hasSpareObjects: given.hasSpareObjects || left.length < commands.length,
          ...objectsOf(pack, signal),
          links: pack.links,
        });
        return addOutcome(outcome, outcomeOf(result, left, { mayChangeWorkflows }));
      } catch (error) {
        const refused = error instanceof GitError ? left.filter(({ ref }) => ref === error.subject) : [];
        if (isAtomic || refused.length === 0 || round === maxRounds) throw error;
        fail(refused, error);
        left = left.filter(command => !refused.includes(command));
      }
    }
    return outcome;
  } catch (error) {
    if (isRefusal(error)) return fail(left, error);
    if (signal.aborted) throw error;
    onDefect(error);
    return fail(left, error);
  }
}

function objectsOf(pack: CheckedPack, signal: AbortSignal): Pick<PushRequest, 'objects' | 'store'> {
  if (pack.objects) return { objects: pack.objects };
  return { store: target => storePack(pack, target, signal) };
}
