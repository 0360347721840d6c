import type { JSX } from 'preact';

export interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

interface NextPageProps {
  pageInfo: PageInfo;
  /** What the query of the address begins with. */
  base?: string;
  /** The parameter of the address that has the cursor. */
  name?: string;
  label?: string;
}

/** A link to the items after a page of a list. */
export function NextPage({
  pageInfo,
  base = '?',
  name = 'after',
  label = 'Next page',
}: NextPageProps): JSX.Element | null {
  const { hasNextPage, endCursor } = pageInfo;
  if (!hasNextPage || endCursor === null) return null;
  return (
    <p>
      <a href={`${base}${name}=${encodeURIComponent(endCursor)}`} rel="next">
        {label}
      </a>
    </p>
  );
}
