import type { JSX } from 'preact';
import { Moment } from '../layout.tsx';

export interface PageCommit {
  oid: string;
  abbreviatedOid: string;
  messageHeadline: string;
  committedDate: string;
  resourcePath: string;
  author: { name: string; user: { login: string } | null } | null;
  signature?: { isValid: boolean } | null;
}

/** Characters of a headline that a list shows: a message of a megabyte would be in each line of a list of files. */
const maxHeadline = 500;

export const shownHeadline = (headline: string): string =>
  headline.length > maxHeadline ? `${headline.slice(0, maxHeadline)}…` : headline;

/** One line about a commit: what, who, when. */
export function CommitSummary({ commit }: { commit: PageCommit }): JSX.Element {
  const { abbreviatedOid, messageHeadline, committedDate, resourcePath, author, signature } = commit;
  const login = author?.user?.login;
  return (
    <div class="commit">
      <a href={resourcePath}>{shownHeadline(messageHeadline) || abbreviatedOid}</a>
      <span class="muted">
        {login === undefined ? author?.name : <a href={`/${login}`}>{author?.name}</a>}, <Moment at={committedDate} />{' '}
        <code>{abbreviatedOid}</code> {signature?.isValid && <span class="badge">verified</span>}
      </span>
    </div>
  );
}

/** The last commit of what a page shows, with a link to the others. */
export function LastCommit({ history, href }: { history: PageHistory | null; href: string }): JSX.Element | null {
  const commit = history?.nodes[0];
  if (!commit) return null;
  return (
    <div class="box last-commit">
      <CommitSummary commit={commit} />
      <a href={href}>History</a>
    </div>
  );
}

export interface PageHistory {
  nodes: PageCommit[];
}
