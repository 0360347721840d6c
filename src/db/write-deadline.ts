/** The time limit of a request has passed: its transaction is rolled back. */
export class RequestExpiredError extends Error {
  /** `mapDatabaseError` answers it as every write that was not made. */
  readonly code = 'REQUEST_EXPIRED';

  constructor() {
    super('The time limit of the request has passed before its transaction was committed.');
  }
}

/**
 * Decides between the time limit of a request and its first COMMIT: whichever comes first excludes the other. So a request that is
 * answered by «took too long» has written nothing, and one whose commit was sent is answered by its outcome, however late.
 *
 * After a commit the limit no longer applies, also to further transactions of the request: their failure would be answered as the
 * failure of a request that has written.
 */
export class WriteDeadline {
  #hasExpired = false;
  #commits = 0;

  /** @throws RequestExpiredError after the time limit */
  assertOpen(): void {
    if (this.#hasExpired) throw new RequestExpiredError();
  }

  /** To be called before COMMIT is sent. @throws RequestExpiredError after the time limit */
  beginCommit(): void {
    this.assertOpen();
    this.#commits++;
  }

  /** The commit that was begun last has certainly not happened. */
  undoCommit(): void {
    this.#commits--;
  }

  /** Excludes commits from now on, unless one has begun. Returns whether none has. */
  expire(): boolean {
    this.#hasExpired ||= this.#commits === 0;
    return this.#hasExpired;
  }
}
