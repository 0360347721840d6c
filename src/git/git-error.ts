/**
 * The reason why an object, path or ref cannot be read or stored. The features translate these errors for their
 * clients; one that is not translated is a defect, such as a corrupt row: it is logged and answered with 500.
 * - `missing`: the repository has no such object; `wrong-type`: the object has another type
 * - `corrupt`: the bytes are not a valid object, or do not match the id; `collision`: other bytes are stored under the
 *   id
 * - `too-large`: more than `maxBlobBytes`; `too-deep`: too many nested tags
 * - `bad-path`, `bad-ref-name`, `bad-person`: git forbids the value
 * - `bad-text`: the text would not be stored as it is
 * - `path-conflict`: a file where a directory is needed, or the reverse
 * - `ref-conflict`: `a` and `a/b` cannot both be refs; `too-many-refs`: the repository would have more refs than its limit
 * - `not-a-repository`: git does not recognise the directory as a repository
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
  | 'bad-text'
  | 'path-conflict'
  | 'ref-conflict'
  | 'too-many-refs'
  | 'not-a-repository';

export class GitError extends Error {
  override readonly name = 'GitError';
  readonly code: GitErrorCode;
  /** The object id, path or ref that the error is about. */
  readonly subject: string;

  constructor(code: GitErrorCode, subject: string, message: string) {
    super(message);
    this.code = code;
    this.subject = subject;
  }
}

/** The error of an object whose stored bytes are damaged, or not those of its id. */
export function corruptObject(oid: string): GitError {
  return new GitError('corrupt', oid, `The stored object ${oid} is damaged: its content is not that of its id.`);
}
