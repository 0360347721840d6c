import type { JSX } from 'preact';
import { Layout, Moment } from '../layout.tsx';

interface Body {
  databaseId: number;
  nameWithOwner: string;
  permission: string;
  createdAt: string;
  isExpired: boolean;
  inviter: { login: string; resourcePath: string } | null;
}

export function RepositoryInvitationPage(invitation: Body): JSX.Element {
  const { databaseId, nameWithOwner, permission, createdAt, isExpired, inviter } = invitation;
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
        {isExpired ? 'The invitation has expired. Ask for another one.' : 'Until you accept it, you have no access.'}{' '}
        Invitations are answered through the API: <code>PATCH /user/repository_invitations/{databaseId}</code> accepts
        this one, and <code>DELETE</code> declines it.
      </p>
    </Layout>
  );
}
