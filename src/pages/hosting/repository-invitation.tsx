import type { JSX } from 'preact';
import { Action, SessionForm } from '../form.tsx';
import { Layout, Moment } from '../layout.tsx';

interface Body {
  id: string;
  nameWithOwner: string;
  permission: string;
  createdAt: string;
  isExpired: boolean;
  inviter: { login: string; resourcePath: string } | null;
}

export function RepositoryInvitationPage(invitation: Body): JSX.Element {
  const { id, nameWithOwner, permission, createdAt, isExpired, inviter } = invitation;
  return (
    <Layout title={`Invitation to ${nameWithOwner}`}>
      <h1>Invitation to {nameWithOwner}</h1>
      <dl class="facts">
        {inviter && (
          <>
            <dt>From</dt>
            <dd>
              <a href={inviter.resourcePath}>{inviter.login}</a>
            </dd>
          </>
        )}
        <dt>Since</dt>
        <dd>
          <Moment at={createdAt} />
        </dd>
        <dt>Permission</dt>
        <dd>{permission}</dd>
      </dl>
      <p>
        {isExpired
          ? 'The invitation has expired: it was good for 7 days. Ask for another one.'
          : 'Until you accept it, you have no access.'}
      </p>
      <SessionForm action="/user/repository_invitations/answer" hidden={{ invitation: id }}>
        <p class="actions">
          {!isExpired && <Action name="accept">Accept</Action>}{' '}
          <Action name="decline" isQuiet>
            {isExpired ? 'Delete it' : 'Decline'}
          </Action>
        </p>
      </SessionForm>
    </Layout>
  );
}
