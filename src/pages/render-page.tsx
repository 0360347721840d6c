import type { Operation, RenderedBody, RestContext } from 'operation-rest';
import type { JSX } from 'preact';
import { renderDashboard } from './dashboards/render-dashboard.tsx';
import { documentInTurns, documentOf } from './document.tsx';
import { AccountPage } from './hosting/account.tsx';
import { AppPage } from './hosting/app.tsx';
import { AuthorizedAppsPage } from './hosting/authorized-apps.tsx';
import { BlobPage } from './hosting/blob.tsx';
import { CommitPage } from './hosting/commit.tsx';
import { CommitsPage } from './hosting/commits.tsx';
import { ComparePage } from './hosting/compare.tsx';
import { isRunning, type SourceImportState } from './hosting/import-state.ts';
import { InstallationPage } from './hosting/installation.tsx';
import { OrganizationInvitationPage } from './hosting/organization-invitation.tsx';
import { BranchesPage, TagsPage } from './hosting/refs.tsx';
import { RepositoryPage } from './hosting/repository.tsx';
import { RepositoryInvitationPage } from './hosting/repository-invitation.tsx';
import { RulesetPage } from './hosting/ruleset.tsx';
import { SourceImportPage } from './hosting/source-import.tsx';
import { TreePage } from './hosting/tree.tsx';
import { Layout } from './layout.tsx';
import { liveHeaders } from './live.tsx';
import { signInPath, type Visitor, visitorOf } from './visitor.ts';

/** The template of each operation, which gets the body of its result. */
const templates: Readonly<Record<string, (body: never) => JSX.Element>> = {
  AccountPage,
  AppPage,
  AuthorizedAppsPage,
  BlobPage,
  BranchesPage,
  CommitPage,
  CommitsPage,
  ComparePage,
  InstallationPage,
  OrganizationInvitationPage,
  OrganizationRulesetPage: RulesetPage,
  RepositoryInvitationPage,
  RepositoryPage,
  RulesetPage,
  SourceImportPage,
  TagsPage,
  TreePage,
};

/** The document of a page. @throws TypeError if the operation has no template */
export async function renderPage(operation: Operation, body: unknown, restContext: RestContext): Promise<RenderedBody> {
  const dashboard = renderDashboard(operation, body, restContext);
  if (dashboard) return dashboard;
  const template = templates[operation.name];
  if (!template) throw new TypeError(`src/pages/render-page.tsx has no template of ${operation.name}.`);
  const isLive = operation.name === 'SourceImportPage' && isRunning(body as SourceImportState);
  const text = await documentInTurns(template(body as never), visitorOf(restContext.context));
  return { text, headers: liveHeaders(isLive) };
}

const messages: Readonly<Record<number, [title: string, text: string]>> = {
  401: ['Sign in to see this page', 'It shows what you sign in for: your own health data, or counts of this server.'],
  404: [
    'There is nothing here',
    'The page does not exist, or it is private. A private repository is shown to those who are signed in and may read it.',
  ],
  410: ['Not available', 'This server does not offer what the page is about; its operator can switch it on.'],
  413: ['The form is too long', 'Go back, make it shorter, and send it again.'],
  429: ['Too many requests', 'Wait a minute, then load the page again.'],
  503: ['Not available at the moment', 'Wait a few seconds, then load the page again.'],
};

const noInvitation =
  'It was answered or withdrawn, it has expired after 7 days, or it is for another account. What you have accepted is on the page of your account. Otherwise ask for another invitation, or sign in as the account that was invited.';

/** What is said of an absent page, by operation. It is the same for what does not exist and for what the visitor may not see. */
const absentPages: Readonly<Record<string, [title: string, text: string]>> = {
  RepositoryInvitationPage: ['You have no such invitation', noInvitation],
  OrganizationInvitationPage: [
    'You have no such invitation',
    `${noInvitation} An invitation of an e-mail address is for the account that has verified the address.`,
  ],
};

/** The HTML document of an error. @param operation name of the page's operation; undefined for an address without a page */
export function renderProblem(status: number, visitor: Visitor = {}, operation = ''): string {
  const absent = status === 404 ? absentPages[operation] : undefined;
  const [title, text] = absent ??
    messages[status] ?? [
      status < 500 ? 'The request cannot be served' : 'Something went wrong',
      status < 500
        ? 'The address, or the form that was sent, has a part that cannot be read. Go back, or begin again.'
        : 'The error is recorded. Try again later.',
    ];
  return documentOf(
    <Layout title={title}>
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href="/">To the start page</a>
        {absent && visitor.login !== undefined && (
          <>
            , to <a href={`/${visitor.login}`}>your account</a>, or <a href="/login">sign out</a>
          </>
        )}
        {(status === 401 ||
          (status === 404 && visitor.login === undefined && !visitor.isPerson && !visitor.isService)) && (
          <>
            , or <a href={signInPath(visitor)}>sign in</a>
          </>
        )}
      </p>
    </Layout>,
    visitor,
  );
}
