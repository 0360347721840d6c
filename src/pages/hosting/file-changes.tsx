import type { JSX } from 'preact';

export interface PageFileChange {
  filename: string;
  status: string;
  additions: number;
  deletions: number;
  blobUrl: string | null;
  patch: string | null;
}

/** Lines that one page shows of all files: 10,000 are 1 MB of HTML. */
const maxLines = 10_000;

/** Changed files, each with its changed lines. */
export function FileChanges({ files }: { files: PageFileChange[] }): JSX.Element {
  let left = maxLines;
  return (
    <>
      <h2>
        Changed files <span class="badge">{files.length}</span>
      </h2>
      {files.map(({ filename, status, additions, deletions, blobUrl, patch }) => {
        const all = patch?.split('\n') ?? [];
        const lines = all.slice(0, left);
        left -= lines.length;
        return (
          <section class="box change" aria-label={filename}>
            <h3>
              {blobUrl === null || status === 'removed' ? filename : <a href={blobUrl}>{filename}</a>}{' '}
              <span class="muted">
                {status}, {additions} added, {deletions} removed
              </span>
            </h3>
            {lines.length > 0 ? (
              <pre>{lines.map(line => patchLine(line))}</pre>
            ) : (
              <p class="muted change-note">The lines are not shown: the file is binary, or the change is too large.</p>
            )}
            {lines.length > 0 && lines.length < all.length && (
              <p class="muted change-note">Only these lines are shown: the changes are too large.</p>
            )}
          </section>
        );
      })}
    </>
  );
}

const classes: Readonly<Record<string, string>> = { '+': 'hljs-addition', '-': 'hljs-deletion', '@': 'muted' };

const patchLine = (line: string): JSX.Element => (
  <span class={`patch-line ${classes[line[0] ?? ''] ?? ''}`}>{line}</span>
);
