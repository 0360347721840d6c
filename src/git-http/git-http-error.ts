/** An error response: its text is shown by git as `remote:` lines. */
export class GitHttpError extends Error {
  override name = 'GitHttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
