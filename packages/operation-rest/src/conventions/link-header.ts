/** A neighbouring page. `rel` is a relation type of RFC 8288, section 3.3. */
export interface PageLink {
  rel: 'prev' | 'next' | 'last' | 'first';
  /** Absolute, and percent-encoded. */
  url: string;
}

/** The value of `Link` (RFC 8288): `<url>; rel="next", …`; undefined if there is no link. */
export function linkHeader(links: readonly PageLink[]): string | undefined {
  return links.length > 0 ? links.map(({ rel, url }) => `<${url}>; rel="${rel}"`).join(', ') : undefined;
}
