import type { JSX } from 'preact';
import { Layout } from '../layout.tsx';

interface Body {
  state: string;
  role: string;
  organization: { login: string; resourcePath: string };
}

export function OrganizationInvitationPage({ state, role, organization }: Body): JSX.Element {
  const { login, resourcePath } = organization;
  return (
    <Layout title={`Invitation to ${login}`}>
      <h1>
        Invitation to <a href={resourcePath}>{login}</a>
      </h1>
      <p>
        Role: <span class="badge">{role}</span>
      </p>
      {state === 'pending' ? (
        <p>
          Until you accept the invitation, you have no rights. It is accepted through the API:{' '}
          <code>PATCH /user/memberships/orgs/{login}</code> with <code>{'{"state": "active"}'}</code>.
        </p>
      ) : (
        <p>You are a member.</p>
      )}
    </Layout>
  );
}
