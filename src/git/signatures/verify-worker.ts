import { type SignatureVerification, type VerificationInput, verifyCommit } from './verify-commit.ts';

export interface VerifyJob {
  content: Uint8Array;
  subject: string;
  input: VerificationInput;
}

/** Entry point of the worker thread. */
export function run({ content, subject, input }: VerifyJob): Promise<SignatureVerification> {
  return verifyCommit(Buffer.from(content), subject, input);
}
