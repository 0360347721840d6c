import { GraphQLError } from 'graphql';
import { GitError, type GitErrorCode } from '../git/git-error.ts';
import { GitProcessError } from '../git/limited-git.ts';
import { type LimitSettings, WorkBudgetError, type WorkLimits } from './work-budget.ts';

/** An error on its way from one process to another: the structured clone algorithm keeps no class and no code. */
export type SentError =
  | { kind: 'budget'; limit: keyof WorkLimits; max: number; settings: LimitSettings }
  | { kind: 'git'; code: GitErrorCode; subject: string; message: string }
  | { kind: 'git-process'; code: number | string; stderr: string }
  | { kind: 'coded'; message: string; extensions: GraphQLError['extensions'] }
  /** Of the database, and defects. The fields are those that `sql-state.ts` reads. */
  | { kind: 'other'; message: string; stack: string | undefined; fields: Record<string, unknown> };

const databaseFields = ['name', 'code', 'constraint', 'routine', 'syscall', 'severity'] as const;

export function toSentError(error: unknown): SentError {
  if (error instanceof WorkBudgetError) {
    const { limit, max, settings } = error;
    return { kind: 'budget', limit, max, settings };
  }
  if (error instanceof GitError) {
    const { code, subject, message } = error;
    return { kind: 'git', code, subject, message };
  }
  if (error instanceof GitProcessError) return { kind: 'git-process', code: error.code, stderr: error.stderr };
  if (error instanceof GraphQLError) return { kind: 'coded', message: error.message, extensions: error.extensions };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const from = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const fields = databaseFields.flatMap(name => (typeof from[name] === 'string' ? [[name, from[name]]] : []));
  return { kind: 'other', message, stack, fields: Object.fromEntries(fields) };
}

export function fromSentError(sent: SentError): Error {
  switch (sent.kind) {
    case 'budget':
      return new WorkBudgetError(sent.limit, sent.max, sent.settings);
    case 'git':
      return new GitError(sent.code, sent.subject, sent.message);
    case 'git-process':
      return new GitProcessError(sent.code, sent.stderr);
    case 'coded':
      return new GraphQLError(sent.message, { extensions: sent.extensions });
    case 'other': {
      const error = Object.assign(new Error(sent.message), sent.fields);
      if (sent.stack !== undefined) error.stack = sent.stack;
      return error;
    }
  }
}
