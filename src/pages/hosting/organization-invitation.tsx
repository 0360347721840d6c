import type { JSX } from 'preact';
import { Action, SessionForm } from '../form.tsx';
import { Layout } from '../layout.tsx';

interface Body {
  state: string;
  role: string;
  organization: { id: string; login: string; resourcePath: string };
}

export function OrganizationInvitationPage({ state, role, organization }: Body): JSX.Element {
  const { id, login, resourcePath } = organization;
  return (
    <Layout title={`Invitation to ${login}`}>
      <h1>
        Invitation to <a href={resourcePath}>{login}</a>
      </h1>
      <p>
        Role: <span class="badge">{role}</span>
      </p>
      {state === 'pending' ? (
        <>
          <p>Until you accept the invitation, you have no rights.</p>
          <SessionForm action="/user/memberships/answer" hidden={{ organization: id }}>
            <p class="actions">
              <Action name="accept">Accept</Action>{' '}
              <Action name="decline" isQuiet>
                Decline
              </Action>
            </p>
          </SessionForm>
        </>
      ) : (
        <p>
          You are a member: there is nothing to accept. <a href={resourcePath}>To the organization</a>
        </p>
      )}
    </Layout>
  );
}
