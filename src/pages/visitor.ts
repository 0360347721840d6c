/** The person at a browser, as the header of a page shows them. */
export interface Visitor {
  /** Login of the account that the browser is signed in as; undefined for none. */
  login?: string | undefined;
  /** What the page is about, with a session of its own: the data of one person, or the whole installation; code hosting otherwise. */
  product?: 'health' | 'service';
  /** Whether the browser is signed in as a person of the health product. */
  isPerson?: boolean;
  /** Whether the browser is signed in with a service credential. */
  isService?: boolean;
  /** Proves that a form of the page was made for the session of the browser; undefined without one. */
  formToken?: string;
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
export function signInPath({ path, product }: Visitor): string {
  const page = product === undefined ? '/login' : `/login/${product}`;
  return path === undefined ? page : `${page}?return_to=${encodeURIComponent(path)}`;
}
