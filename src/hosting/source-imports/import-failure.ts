import type { SourceImportStatusValue, SourceProject } from '../../../schema/hosting/source-import.ts';

/** The states in which an import waits for somebody to do something. */
export type FailedStatus = Exclude<
  SourceImportStatusValue,
  'detecting' | 'importing' | 'mapping' | 'pushing' | 'complete'
>;

/** Ends a step in one of the published states. The message is for the caller; secrets are cut out of it before it is kept. */
export class ImportFailed extends Error {
  override name = 'ImportFailed';
  readonly status: FailedStatus;
  readonly choices: SourceProject[] | undefined;

  constructor(status: FailedStatus, message: string, choices?: SourceProject[]) {
    super(message);
    this.status = status;
    this.choices = choices;
  }
}

export const importError = (message: string): ImportFailed => new ImportFailed('error', message);
