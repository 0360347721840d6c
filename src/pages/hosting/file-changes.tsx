import type { JSX } from 'preact';
import { LongList, LongText } from '../long-list.tsx';

export interface PageFileChange {
  path: string;
  previousPath: string | null;
  changeType: string;
  additions: number;
  deletions: number;
  url: string;
  patch: string | null;
}

/** Lines that one page shows of all files, and their characters: 10,000 usual lines are 1 MB of HTML. */
const max = { lines: 10_000, chars: 2 * 1024 * 1024 };

/** Changed files, each with its changed lines. */
export function FileChanges({ files }: { files: PageFileChange[] }): JSX.Element {
  const left = { ...max };
  return (
    <>
      <h2>
        Changed files <span class="badge">{files.length}</span>
      </h2>
      {files.map(({ path, previousPath, changeType, additions, deletions, url, patch }) => {
        const all = patch === null || left.lines === 0 ? [] : patch.split('\n', left.lines + 1);
        const lines = firstLines(all, left);
        left.lines -= lines.length;
        left.chars -= lines.reduce((sum, line) => sum + line.length, 0);
        return (
          <section class="box change" aria-label={path}>
            <h3>
              {changeType === 'deleted' ? path : <a href={url}>{path}</a>}{' '}
              <span class="muted">
                {changeType}
                {previousPath !== null && ` from ${previousPath}`}, {additions} added, {deletions} removed
              </span>
            </h3>
            {lines.length > 0 ? (
              <pre>
                <LongList items={lines} row={line => patchLine(line)} chars={line => line.length} />
              </pre>
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

/** The lines that fit. */
function firstLines(all: readonly string[], left: { lines: number; chars: number }): string[] {
  let { chars } = left;
  const end = all.findIndex((line, at) => {
    chars -= line.length;
    return at === left.lines || chars < 0;
  });
  return end < 0 ? [...all] : all.slice(0, end);
}

const classes: ReadonlyMap<string, string> = new Map([
  ['+', 'hljs-addition'],
  ['-', 'hljs-deletion'],
  ['@', 'muted'],
]);

const patchLine = (line: string): JSX.Element => (
  <span class={`patch-line ${classes.get(line[0] ?? '') ?? ''}`}>
    <LongText text={line} />
  </span>
);
