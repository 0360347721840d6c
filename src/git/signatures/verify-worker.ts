import { type Knowledge, type Verification, verifyCommit } from './verify-commit.ts';

export interface VerifyRun {
  content: Uint8Array;
  subject: string;
  knowledge: Knowledge;
}

/** Runs on a thread of the pool. */
export function run({ content, subject, knowledge }: VerifyRun): Promise<Verification> {
  return verifyCommit(Buffer.from(content), subject, knowledge);
}
