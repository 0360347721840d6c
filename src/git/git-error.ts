/**
 * What is wrong with something that was to be read or stored. Features turn these into the answers of their contract;
 * one that nobody turns is a defect, such as a damaged row, and is answered as 500 and logged.
 *
 * - `missing`: no such object in the repository · `wrong-type`: it is another kind of object
 * - `corrupt`: bytes that are no object of their kind, or not of their id · `collision`: other bytes under a known id
 * - `too-large`: beyond `largestBlob` · `too-deep`: tags of tags of tags · `bad-path`, `bad-ref-name`, `bad-person`: rules of git
 * - `path-conflict`: a file where a folder would have to be, or the other way round
 * - `ref-conflict`: `a` and `a/b` cannot both be refs
 * - `not-a-repository`: a folder that git does not take for one
 */
export type GitErrorCode =
  | 'missing'
  | 'wrong-type'
  | 'corrupt'
  | 'collision'
  | 'too-large'
  | 'too-deep'
  | 'bad-path'
  | 'bad-ref-name'
  | 'bad-person'
  | 'path-conflict'
  | 'ref-conflict'
  | 'not-a-repository';

export class GitError extends Error {
  override readonly name = 'GitError';
  readonly code: GitErrorCode;
  /** What it is about: an object id, a path or a ref. */
  readonly subject: string;

  constructor(code: GitErrorCode, subject: string, message: string) {
    super(message);
    this.code = code;
    this.subject = subject;
  }
}
