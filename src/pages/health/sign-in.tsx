import type { JSX } from 'preact';
import { Action, Form, type HiddenFields } from '../form.tsx';
import { Layout } from '../layout.tsx';

interface SignInProps {
  hidden: HiddenFields;
  /** As typed before; may be empty. */
  email: string;
  problem?: string | undefined;
}

/** Asks for the e-mail address and the password of a health account. */
export function HealthSignInPage({ hidden, email, problem }: SignInProps): JSX.Element {
  return (
    <Layout title="Sign in to your health account">
      <h1>Sign in to your health account</h1>
      <p>
        The pages show your own goals, measurements and assessments. This browser is signed in for eight hours, or until
        you log out everywhere. For repositories, <a href="/login">sign in with a token of code hosting</a>.
      </p>
      {problem && <p role="alert">{problem}</p>}
      <Form hidden={hidden}>
        <p>
          <label for="email">E-mail address</label>{' '}
          <input id="email" name="email" type="email" autocomplete="username" value={email} required />
        </p>
        <p>
          <label for="password">Password</label>{' '}
          <input id="password" name="password" type="password" autocomplete="current-password" required />
        </p>
        <p>
          <Action name="sign-in">Sign in</Action>
        </p>
      </Form>
    </Layout>
  );
}

/** The sign-in page of a browser that is signed in: the way out. */
export function HealthSignedInPage({ hidden }: { hidden: HiddenFields }): JSX.Element {
  return (
    <Layout title="Signed in">
      <h1>Signed in</h1>
      <Form hidden={hidden}>
        <p>
          You are signed in to your health account. <a href="/health">Your health</a>{' '}
          <Action name="sign-out" isQuiet>
            Sign out
          </Action>
        </p>
      </Form>
    </Layout>
  );
}
