import type { JSX } from 'preact';
import { Layout } from '../layout.tsx';
import { Live } from '../live.tsx';
import { Progress } from '../progress.tsx';
import { importText, isRunning, progressOf, type SourceImportState } from './import-state.ts';

export type SourceImportBody = SourceImportState & { sourceUrl: string };

export function SourceImportPage({ sourceUrl, ...state }: SourceImportBody): JSX.Element {
  const progress = progressOf(state);
  return (
    <Layout title="Source import">
      <h1>Source import</h1>
      <Live isLive={isRunning(state)}>
        <dl class="facts">
          <dt>Source</dt>
          <dd>{sourceUrl}</dd>
          <dt>Status</dt>
          <dd>{importText(state)}</dd>
          {progress !== null && (
            <>
              <dt>Progress</dt>
              <dd>
                <Progress of={progress} name="Progress of the import" /> {Math.floor(progress * 100)} %
              </dd>
            </>
          )}
          {state.commitCount !== null && (
            <>
              <dt>Commits</dt>
              <dd>{state.commitCount}</dd>
            </>
          )}
        </dl>
      </Live>
    </Layout>
  );
}
