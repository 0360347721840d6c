/** The person at a browser, as the header of a page shows them. */
export interface Visitor {
  /** Login of the account that the browser is signed in as; undefined for none. */
  login?: string | undefined;
  /** Whether the browser sent a session that has expired, or whose token is no longer valid. */
  hasEnded?: boolean;
  /** Path and query of the page, to return to after signing in; undefined where it is no page. */
  path?: string;
}

/** The part of a resolvers' context that pages read. */
export interface PageCaller {
  visitor?: Visitor;
}

/** The visitor of a request. @param context the resolvers' context; absent before authentication */
export const visitorOf = (context: unknown): Visitor => (context as PageCaller | undefined)?.visitor ?? {};

/** The sign-in page, which returns to `path`. */
export const signInPath = ({ path }: Visitor): string =>
  path === undefined ? '/login' : `/login?return_to=${encodeURIComponent(path)}`;
