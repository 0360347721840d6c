import type { JSX } from 'preact';
import { encodePath } from '../../hosting/contents/content-location.ts';
import { Moment, Sanitized } from '../layout.tsx';
import { shownHeadline } from './commit-summary.tsx';

export interface PageDirectory {
  entries?: { name: string; type: string; size: number; htmlUrl: string | null }[];
}

export interface PageReadme {
  text?: string;
}

/** The newest commits that changed entries of a directory; null for an empty repository. */
export type EntryCommits =
  | readonly { name: string; commit: { messageHeadline: string; committedDate: string; resourcePath: string } }[]
  | null;

interface DirectoryProps {
  directory: PageDirectory;
  readme: PageReadme | null;
  entryCommits: EntryCommits;
  /** Path of the page of the commits of the directory, with its ref. */
  commitsPath: string;
}

/** Most entries that a directory is listed with; the API lists as many. */
const maxEntries = 1_000;

/** The entries of a directory, folders first, and its readme. */
export function Directory({ directory, readme, entryCommits, commitsPath }: DirectoryProps): JSX.Element {
  const commits = new Map(entryCommits?.map(({ name, commit }) => [name, commit]));
  const entries = directory.entries ?? [];
  const isFolder = ({ type }: { type: string }): boolean => type === 'dir';
  const ordered = [...entries.filter(isFolder), ...entries.filter(entry => !isFolder(entry))];
  return (
    <>
      <div class="box scroll">
        <table class="files">
          <tbody>
            {ordered.map(({ name, type, size, htmlUrl }) => {
              const commit = commits.get(name);
              return (
                <tr>
                  <td>{htmlUrl ? <a href={htmlUrl}>{type === 'dir' ? `${name}/` : name}</a> : name}</td>
                  <td class="message">
                    {commit ? (
                      <a href={commit.resourcePath}>{shownHeadline(commit.messageHeadline)}</a>
                    ) : (
                      <a href={`${commitsPath}/${encodePath(name)}`}>History</a>
                    )}
                  </td>
                  <td class="age">{commit && <Moment at={commit.committedDate} />}</td>
                  <td class="size">{type === 'file' ? formatBytes(size) : words.get(type)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {entries.length >= maxEntries && <p class="muted">Only the first {maxEntries} entries are listed.</p>}
      {readme?.text && (
        <section aria-label="Readme">
          <h2>Readme</h2>
          <Sanitized html={readme.text} />
        </section>
      )}
    </>
  );
}

const words: ReadonlyMap<string, string> = new Map([
  ['dir', 'folder'],
  ['symlink', 'link'],
  ['submodule', 'submodule'],
]);

/** `1.5 MB`: decimal units, as file managers show them. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const unit = bytes < 1_000_000 ? 'kB' : bytes < 1_000_000_000 ? 'MB' : 'GB';
  const divisor = { kB: 1_000, MB: 1_000_000, GB: 1_000_000_000 }[unit];
  return `${(bytes / divisor).toFixed(1)} ${unit}`;
}
