import type { Request, RequestHandler } from 'express';
import type { ComponentChildren, JSX } from 'preact';
import { asksForHtml } from '../asks-for-html.ts';
import { contentSecurityPolicy } from '../content-security-policy.ts';
import type { DemoAccess, DemoCredentials } from '../demo-access.ts';
import { documentOf } from '../document.tsx';
import { Layout } from '../layout.tsx';
import type { Visitor } from '../visitor.ts';

/**
 * Serves the start page to browsers; passes every other client on to the API, which has its root document here. The one-time link of the
 * demo world leads to it with the cookie that shows its credentials.
 */
export function startPage(
  demo: DemoAccess | undefined,
  visitorOf: (request: Request) => Promise<Visitor>,
): RequestHandler {
  return async (request, response, next) => {
    if (!asksForHtml(request.headers.accept)) return next();
    const cookie = demo?.open(new URLSearchParams(request.url.split('?')[1]).get('demo'));
    if (cookie) {
      response.cookie(cookie.name, cookie.value, {
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure: request.secure,
      });
      response.set('Cache-Control', 'no-store').redirect(303, '/');
      return;
    }
    const origin = `${request.protocol}://${request.headers.host}`;
    response
      .set({ 'Content-Security-Policy': contentSecurityPolicy, 'Cache-Control': 'no-store', Vary: 'Accept' })
      .type('html')
      .send(documentOf(<StartPage origin={origin} demo={demo?.shownTo(request)} />, await visitorOf(request)));
  };
}

function StartPage({ origin, demo }: { origin: string; demo: DemoCredentials | undefined }): JSX.Element {
  return (
    <Layout title="Start">
      <h1>One graph, two published APIs</h1>
      <p>
        Portico serves one typed GraphQL schema over PostgreSQL, and two REST contracts on top of it: a health companion
        API and a code hosting API. Everything below runs on this server and needs no other.
      </p>
      <ul class="cards">
        <Card href="/docs/?urls.primaryName=Health+companion+API" title="Health companion API">
          Articles, assessments, goals, measurements, groups and a companion, below <code>/api/v1</code>.
        </Card>
        <Card href="/docs/?urls.primaryName=Code+hosting+API" title="Code hosting API">
          Repositories, contents, rules, events, apps and imports, at <code>/</code> and <code>/api/v3</code>. Clients
          of GitHub work with it.
        </Card>
        <Card href="/graphiql" title="GraphQL explorer">
          Write and send queries, with examples. <a href="/graphql">Apollo Sandbox</a> is here as well; it needs the
          Internet. The schema is at <a href="/schema.graphql">/schema.graphql</a>.
        </Card>
        <Card href="/search/repositories?q=fork:true" title="Repositories">
          Each repository has a page and is cloned by git from the same address{demo ? ', such as ' : '.'}
          {demo && <a href="/harbor-lab/compass">harbor-lab/compass</a>}
          {demo && '.'}
        </Card>
        <Card href="/health" title="Your health">
          Goals, vital signs, symptoms and assessments as charts and tables, for the person who{' '}
          <a href="/login/health">signs in</a>.
        </Card>
        <Card href="/login" title="Dashboards">
          API usage and rule suites of an organization, for its administrators: <a href="/login">sign in</a>, then open
          them from its page{demo ? ', such as ' : '.'}
          {demo && <a href={`/orgs/${demo.hosting.organization}/dashboards/api-usage`}>API usage</a>}
          {demo && '.'} The <a href="/dashboards/service">dashboard of all accounts</a> needs a service credential.
        </Card>
      </ul>
      <h2>First requests</h2>
      <pre>{commands(origin, demo)}</pre>
      {demo ? <Demo demo={demo} /> : null}
    </Layout>
  );
}

function Card({ href, title, children }: { href: string; title: string; children: ComponentChildren }): JSX.Element {
  return (
    <li class="card">
      <h2>
        <a href={href}>{title}</a>
      </h2>
      <p>{children}</p>
    </li>
  );
}

function commands(origin: string, demo: DemoCredentials | undefined): string {
  const token = demo ? ` -H 'authorization: Bearer ${demo.hosting.token}'` : '';
  return [
    `curl '${origin}/api/v1/articles/?search=sleep&page_size=1'`,
    demo ? `curl ${origin}/user${token}` : `curl ${origin}/versions`,
    `curl ${origin}/graphql -H 'content-type: application/json' -d '{"query":"{ articleCategories { slug name } }"}'`,
    ...(demo ? [`git clone ${origin}/harbor-lab/compass.git`] : []),
  ].join('\n');
}

/** Shown to the browser that has opened the one-time link only. */
function Demo({ demo: { health, hosting, service, file } }: { demo: DemoCredentials }): JSX.Element {
  return (
    <>
      <h2>The demo world</h2>
      <p class="muted">Shown because this browser has opened the link that the start printed.</p>
      <dl class="facts">
        <dt>Health log-in</dt>
        <dd>
          <code>{health.email}</code>, password <code>{health.password}</code>
        </dd>
        <dt>Token of {hosting.login}</dt>
        <dd>
          <code>{hosting.token}</code>
        </dd>
        <dt>Service credential</dt>
        <dd>
          <code>{service}</code>, for the <a href="/dashboards/service">dashboard of all accounts</a>
        </dd>
        <dt>All log-ins and tokens</dt>
        <dd>
          <code>{file}</code>
        </dd>
        <dt>Mails that were sent</dt>
        <dd>
          the folder <code>{file.replace(/(?<![^/\\])[^/\\]+$/, 'outbox')}</code>
        </dd>
      </dl>
    </>
  );
}
