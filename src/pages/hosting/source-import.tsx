import type { JSX } from 'preact';
import { Layout } from '../layout.tsx';

interface Body {
  sourceUrl: string;
  status: string;
  statusText: string | null;
  importPercent: number | null;
  commitCount: number | null;
}

export function SourceImportPage({ sourceUrl, status, statusText, importPercent, commitCount }: Body): JSX.Element {
  return (
    <Layout title="Source import">
      <h1>Source import</h1>
      <dl class="facts">
        <dt>Source</dt>
        <dd>{sourceUrl}</dd>
        <dt>Status</dt>
        <dd>{statusText ?? status}</dd>
        {importPercent !== null && (
          <>
            <dt>Progress</dt>
            <dd>{importPercent} %</dd>
          </>
        )}
        {commitCount !== null && (
          <>
            <dt>Commits</dt>
            <dd>{commitCount}</dd>
          </>
        )}
      </dl>
    </Layout>
  );
}
