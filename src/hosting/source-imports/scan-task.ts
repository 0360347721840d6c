import type { LongTask } from '../../workers/long-task.ts';
import { type Scan, type ScanOptions, scanSource } from './scan-source.ts';
import { SourceImportError } from './source-import-error.ts';

interface ScanInput extends Omit<ScanOptions, 'signal'> {
  repositoryId: number;
}

/** `refusal`: the reason for which the source is not imported. */
export const scanTask: LongTask<ScanInput, Scan | { refusal: string }> = {
  name: 'scan',
  async run({ signal }, { folder, limits, workflowFolder }) {
    try {
      return await scanSource({ folder, limits, signal, workflowFolder });
    } catch (error) {
      if (error instanceof SourceImportError && !signal.aborted) return { refusal: error.message };
      throw error;
    }
  },
};
