import type { SourceImportStatusValue, SourceProject } from '../../../schema/hosting/source-import.ts';

/** The states in which an import waits for the client. */
export type FailedImportStatus = Exclude<
  SourceImportStatusValue,
  'detecting' | 'importing' | 'mapping' | 'pushing' | 'complete'
>;

/**
 * Ends a step in one of the published states. The message is for the client; secrets are removed before it is stored.
 */
export class SourceImportError extends Error {
  override name = 'ImportFailed';
  readonly status: FailedImportStatus;
  readonly choices: SourceProject[] | undefined;

  constructor(status: FailedImportStatus, message: string, choices?: SourceProject[]) {
    super(message);
    this.status = status;
    this.choices = choices;
  }
}

export const sourceImportError = (message: string): SourceImportError => new SourceImportError('error', message);

export const credentialsRefused = (): SourceImportError =>
  new SourceImportError('auth_failed', 'The source refuses the name and the password, or wants some.');
