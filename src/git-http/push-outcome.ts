import { GraphQLError } from 'graphql';
import { GitError } from '../git/git-error.ts';
import type { PushResult, RejectedUpdate } from '../hosting/pushes/push-request.ts';
import { WorkBudgetError } from '../workers/work-budget.ts';
import { RefusedPackError } from './pack-file.ts';
import type { PushCommand } from './push-commands.ts';

/** What becomes of the commands of a push, in the words of git. */
export interface PushOutcome {
  /** For the person. */
  lines: string[];
  /** Why a ref was refused; the others are changed. */
  refusals: Map<string, string>;
  /** Why the pack was refused. */
  unpack?: string;
}

/** Facts that an error does not hold. */
interface Rights {
  /** False when the credential may not change workflow files and the push has asked. */
  mayChangeWorkflows: boolean;
}

export function outcomeOf(result: PushResult, commands: readonly PushCommand[], rights: Rights): PushOutcome {
  switch (result.kind) {
    case 'pushed':
      return rejectionsOutcome(result.rejected ?? [], rights);
    case 'conflict':
      if (result.reason === 'moved') return movedOutcome(result);
      return {
        lines: [`error: Others are pushing to ${result.ref} at this moment. Try again.`],
        refusals: refuseEach(commands, 'failed to lock'),
      };
    case 'refused':
      return violationsOutcome(result.violations);
  }
}

/** Whether an error says what is wrong with the push; every other one is a defect. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof RefusedPackError ||
  error instanceof GraphQLError ||
  error instanceof WorkBudgetError ||
  (error instanceof GitError && error.code !== 'corrupt');

/** The outcome for commands that an error has ended. */
export function refusalOf(
  error: unknown,
  commands: readonly { ref: string }[],
  { mayChangeWorkflows }: Rights,
): PushOutcome {
  if (error instanceof RefusedPackError) {
    return { lines: [...error.lines], refusals: refuseEach(commands, 'unpacker error'), unpack: error.message };
  }
  if (error instanceof GraphQLError && error.extensions.code === 'NOT_FOUND' && !mayChangeWorkflows) {
    return {
      lines: [
        'error: The push changes files that run programs, and this token may not change them.',
        'error: Use a token with the scope `workflow` or the permission `workflows: write`.',
      ],
      refusals: refuseEach(commands, 'refusing to change workflow files without the permission `workflows`'),
    };
  }
  if (error instanceof Error && isRefusal(error)) {
    const [reason = ''] = error.message.split('\n', 1);
    return { lines: [`error: ${error.message}`], refusals: refuseEach(commands, reason) };
  }
  return {
    lines: ['error: The server failed. These refs are not changed. Try again.'],
    refusals: refuseEach(commands, 'internal server error'),
  };
}

const refuseEach = (commands: readonly { ref: string }[], reason: string): Map<string, string> =>
  new Map(commands.map(({ ref }) => [ref, reason]));

function rejectionsOutcome(rejected: readonly RejectedUpdate[], rights: Rights): PushOutcome {
  const outcome: PushOutcome = { lines: [], refusals: new Map() };
  for (const one of rejected) {
    const { lines, refusals } = rejectionOf(one, rights);
    for (const line of lines) outcome.lines.push(line);
    for (const [ref, reason] of refusals) outcome.refusals.set(ref, reason);
  }
  return outcome;
}

function rejectionOf(rejected: RejectedUpdate, rights: Rights): PushOutcome {
  switch (rejected.reason) {
    case 'moved':
      return movedOutcome(rejected);
    case 'rules':
      return violationsOutcome(rejected.violations);
    case 'error':
      return refusalOf(rejected.error, [rejected], rights);
  }
}

function movedOutcome({
  ref,
  expected,
  actual,
}: {
  ref: string;
  expected?: string | undefined;
  actual?: string | undefined;
}): PushOutcome {
  return {
    lines: [
      actual === undefined
        ? `error: ${ref} does not exist any more.`
        : `error: ${ref} is at ${actual}, and this push expects ${expected ?? 'that it does not exist'}.`,
      'hint: Another push came first. `git pull` gets its commits; then push again.',
    ],
    refusals: new Map([[ref, 'fetch first']]),
  };
}

function violationsOutcome(violations: readonly { ref: string; message: string }[]): PushOutcome {
  const lines: string[] = [];
  const refusals = new Map<string, string>();
  for (const { ref, message } of violations) {
    if (!refusals.has(ref)) lines.push(`error: Repository rule violations found for ${ref}.`);
    refusals.set(ref, 'push declined due to repository rule violations');
    for (const line of message.split('\n')) lines.push(`- ${line}`);
  }
  lines.push('The rules of the repository say who may bypass them and what a push must have.');
  return { lines, refusals };
}
