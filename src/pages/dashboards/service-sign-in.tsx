import type { JSX } from 'preact';
import { Action, Form, type HiddenFields } from '../form.tsx';
import { Layout } from '../layout.tsx';

/** Asks for a service credential. */
export function ServiceSignInPage({
  hidden,
  problem,
}: {
  hidden: HiddenFields;
  problem?: string | undefined;
}): JSX.Element {
  return (
    <Layout title="Sign in with a service credential">
      <h1>Sign in with a service credential</h1>
      <p>
        The dashboard shows counts of this server across all accounts, and no personal data. The operator creates a
        credential with <code>npm run portico -- service-credentials create</code>. This browser is signed in for eight
        hours, or until the credential is revoked.
      </p>
      {problem && <p role="alert">{problem}</p>}
      <Form hidden={hidden}>
        <p>
          <label for="token">Service credential</label>{' '}
          <input id="token" name="token" type="password" autocomplete="off" placeholder="host_svc_…" required />
        </p>
        <p>
          <Action name="sign-in">Sign in</Action>
        </p>
      </Form>
    </Layout>
  );
}

/** The sign-in page of a browser that is signed in: the way out. */
export function ServiceSignedInPage({ hidden }: { hidden: HiddenFields }): JSX.Element {
  return (
    <Layout title="Signed in">
      <h1>Signed in</h1>
      <Form hidden={hidden}>
        <p>
          You are signed in with a service credential. <a href="/dashboards/service">Dashboard</a>{' '}
          <Action name="sign-out" isQuiet>
            Sign out
          </Action>
        </p>
      </Form>
    </Layout>
  );
}
