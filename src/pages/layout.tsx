import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { faviconPath } from './favicon.ts';
import { stylesheetPath } from './stylesheet.ts';
import { signInPath, type Visitor } from './visitor.ts';

/** The visitor of the page that is rendered. */
export const VisitorContext = createContext<Visitor>({});

/** The frame of every page. */
export function Layout({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const visitor = useContext(VisitorContext);
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Portico`}</title>
        <link rel="stylesheet" href={stylesheetPath} />
        <link rel="icon" href={faviconPath} type="image/svg+xml" />
      </head>
      <body>
        <header class="site">
          <nav aria-label="Site">
            <a href="/">Portico</a>
            <a href="/docs">API documentation</a>
            <a href="/graphiql">GraphQL explorer</a>
            <Account visitor={visitor} />
          </nav>
        </header>
        <main>
          {visitor.hasEnded && (
            <p class="note" role="status">
              Your session has ended{visitor.product ? '. ' : ', so this is what everybody sees. '}
              <a href={signInPath(visitor)}>Sign in again</a>
            </p>
          )}
          {children}
        </main>
        <footer>Served by Portico</footer>
      </body>
    </html>
  );
}

/** Who is signed in. Signing out is a form of the page that it links: a link must not change anything. */
function Account({ visitor }: { visitor: Visitor }): JSX.Element {
  const { login, isPerson, isService } = visitor;
  if (isService) {
    return (
      <span class="visitor">
        <a href="/dashboards/service">Dashboard</a> <a href="/login/service">Sign out</a>
      </span>
    );
  }
  if (isPerson) {
    return (
      <span class="visitor">
        <a href="/health">Your health</a> <a href="/health/privacy">Privacy</a> <a href="/login/health">Sign out</a>
      </span>
    );
  }
  if (login === undefined) {
    return (
      <a class="visitor" href={signInPath(visitor)}>
        Sign in
      </a>
    );
  }
  return (
    <span class="visitor">
      Signed in as <a href={`/${login}`}>{login}</a> <a href="/login">Sign out</a>
    </span>
  );
}

/** HTML that the server has sanitized, such as rendered Markdown. */
export function Sanitized({ html }: { html: string }): JSX.Element {
  return <div class="box" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** A moment as a date, with the exact time for machines. */
export function Moment({ at }: { at: string }): JSX.Element {
  return <time dateTime={at}>{at.slice(0, 10)}</time>;
}
