import type { JSX } from 'preact';

export interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

/** A link to the items after a page of a list. */
export function NextPage({ pageInfo: { hasNextPage, endCursor } }: { pageInfo: PageInfo }): JSX.Element | null {
  if (!hasNextPage || endCursor === null) return null;
  return (
    <p>
      <a href={`?after=${encodeURIComponent(endCursor)}`} rel="next">
        Next page
      </a>
    </p>
  );
}
