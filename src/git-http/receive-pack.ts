import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Context } from '../context/context.ts';
import { GitError } from '../git/git-error.ts';
import type { GitObject } from '../git/object.ts';
import { isBranchName, isRefName } from '../git/ref-name.ts';
import { openRepository } from '../git/repository.ts';
import { push } from '../hosting/pushes/push.ts';
import type { PushRequest, PushResult } from '../hosting/pushes/push-request.ts';
import { pusherFor } from '../hosting/pushes/push-rights.ts';
import type { OwnedRow } from '../hosting/repositories/repositories.queries.ts';
import { maxProcessMs } from './git-limits.ts';
import type { PackCache } from './pack-cache.ts';
import { PktReader } from './pkt-line.ts';
import { type PushCommand, type PushCommands, readCommands } from './push-commands.ts';
import { type CommandResult, PushReport } from './push-report.ts';
import { Quarantine, RefusedPackError } from './quarantine.ts';
import { readBody } from './request-body.ts';
import { checkConnected, storePack } from './store-pack.ts';

export interface ReceivePackRequest {
  context: Context;
  row: OwnedRow;
  cache: PackCache;
  maxBytes: number;
  /** Takes a slot for a pack. @throws unavailable */
  takeSlot(): () => void;
  /** Called when an error is a defect. */
  onDefect(error: unknown): void;
  /** Called when the request is read completely. */
  onReceived(): void;
}

/** Answers a POST to `git-receive-pack`: checks the pack apart from the repository and then runs one push. */
export async function receivePack(
  request: IncomingMessage,
  response: ServerResponse,
  given: ReceivePackRequest,
): Promise<void> {
  const { cache, maxBytes } = given;
  const reader = new PktReader(readBody(request, maxBytes));
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
  const quarantine = await Quarantine.create(cache.incomingFolder);
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

/** Another command of the same push was refused, and all of them are one transaction. */
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
  // A refused deletion leaves nothing behind. The objects of another refused command are mixed with those of the rest.
  const isWhole = capabilities.has('atomic') || [...problems.keys()].some(({ new: to }) => to !== undefined);
  const done = problems.size === 0 || !isWhole ? commands.filter(command => !problems.has(command)) : [];
  const outcome =
    done.length === 0 ? { lines: [], refusals: new Map<string, string>() } : await tryPush(quarantine, done, given);
  report.say(outcome.lines);
  report.end(
    outcome.unpack ?? 'ok',
    commands.map((command): CommandResult => {
      const { ref } = command;
      const refused =
        problems.get(command) ??
        (done.length === 0
          ? notAlone
          : (outcome.refusals.get(ref) ?? (outcome.refusals.size > 0 ? notAlone : undefined)));
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

interface Outcome {
  /** For the person. */
  lines: string[];
  /** By ref; empty when the push is done. */
  refusals: Map<string, string>;
  /** Why the pack was refused. */
  unpack?: string;
}

async function tryPush(
  quarantine: Quarantine,
  commands: readonly PushCommand[],
  { context, row, signal, onDefect }: ReceivePackRequest & { signal: AbortSignal },
): Promise<Outcome> {
  const all = (reason: string): Map<string, string> => new Map(commands.map(({ ref }) => [ref, reason]));
  const pusher = pusherFor(context, row);
  let mayChangeWorkflows = true;
  try {
    const { objects, links } = await checkConnected(openRepository(context.read, row.databaseId), quarantine, signal);
    const request: PushRequest = {
      repositoryId: row.databaseId,
      ...pusher,
      rights: {
        ...pusher.rights,
        async mayChangeWorkflows(read) {
          mayChangeWorkflows = await pusher.rights.mayChangeWorkflows(read);
          return mayChangeWorkflows;
        },
      },
      updates: commands.map(({ ref, old, new: to }) => ({ ref, expected: old ?? null, to: to ?? null })),
      ...objectsOf(quarantine, objects),
      links,
    };
    signal.throwIfAborted();
    return outcomeOf(await push(context, request));
  } catch (error) {
    if (error instanceof RefusedPackError)
      return { lines: [...error.lines], refusals: all('unpacker error'), unpack: error.message };
    if (error instanceof GitError && error.code !== 'corrupt') {
      const refusals = new Map([[error.subject, error.message]]);
      return {
        lines: [`error: ${error.message}`],
        refusals: commands.some(({ ref }) => ref === error.subject) ? refusals : all(error.message),
      };
    }
    if (error instanceof GraphQLError) {
      if (mayChangeWorkflows) return { lines: [`error: ${error.message}`], refusals: all(firstLine(error.message)) };
      const reason = 'refusing to change workflow files without the permission `workflows`';
      return {
        lines: [
          'error: The push changes files that run programs, and this token may not change them.',
          'error: Use a token with the scope `workflow` or the permission `workflows: write`.',
        ],
        refusals: all(reason),
      };
    }
    if (signal.aborted) throw error;
    onDefect(error);
    return {
      lines: ['error: The server failed. Nothing of the push was stored. Try again.'],
      refusals: all('internal server error'),
    };
  }
}

function objectsOf(quarantine: Quarantine, objects: GitObject[] | undefined): Pick<PushRequest, 'objects' | 'store'> {
  if (objects) return { objects };
  return { store: target => storePack(quarantine, target) };
}

function outcomeOf(result: PushResult): Outcome {
  switch (result.kind) {
    case 'pushed':
      return { lines: [], refusals: new Map() };
    case 'conflict':
      return result.reason === 'busy'
        ? {
            lines: [`error: Others are pushing to ${result.ref} at this moment. Try again.`],
            refusals: new Map([[result.ref, 'failed to lock']]),
          }
        : {
            lines: [
              result.actual === undefined
                ? `error: ${result.ref} does not exist any more.`
                : `error: ${result.ref} is at ${result.actual}, and this push expects ${result.expected ?? 'that it does not exist'}.`,
              'hint: Somebody else has pushed meanwhile. `git pull` gets their work; then push again.',
            ],
            refusals: new Map([[result.ref, 'fetch first']]),
          };
    case 'refused': {
      const lines: string[] = [];
      const refusals = new Map<string, string>();
      for (const { ref, message } of result.violations) {
        if (!refusals.has(ref)) lines.push(`error: Repository rule violations found for ${ref}.`);
        refusals.set(ref, 'push declined due to repository rule violations');
        lines.push(...message.split('\n').map(line => `- ${line}`));
      }
      return {
        lines: [...lines, 'The rules of the repository say who may bypass them and what a push must have.'],
        refusals,
      };
    }
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
