import type { JSX } from 'preact';

export interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

interface NextPageProps {
  pageInfo: PageInfo;
  /** What the query of the address begins with. */
  base?: string;
}

/** A link to the items after a page of a list. */
export function NextPage({ pageInfo: { hasNextPage, endCursor }, base = '?' }: NextPageProps): JSX.Element | null {
  if (!hasNextPage || endCursor === null) return null;
  return (
    <p>
      <a href={`${base}after=${encodeURIComponent(endCursor)}`} rel="next">
        Next page
      </a>
    </p>
  );
}
