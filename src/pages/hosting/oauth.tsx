import type { JSX } from 'preact';
import { Action, Form, type HiddenFields } from '../form.tsx';
import { Layout } from '../layout.tsx';
import { Live } from '../live.tsx';

interface SignInProps {
  hidden: HiddenFields;
  problem?: string | undefined;
  /** Whether the page is about the authorization of an app. */
  grants: boolean;
}

/** Asks for a token, because accounts have no passwords. */
export function SignInPage({ hidden, problem, grants }: SignInProps): JSX.Element {
  return (
    <Layout title="Sign in">
      <h1>Sign in</h1>
      <p>
        Paste a classic token of yours that has the scope <code>user</code>
        {grants
          ? ', and every scope that you want to grant. '
          : '. The pages show what the token may read, such as private repositories with the scope repo. '}
        This browser is signed in for eight hours, or as long as the token is valid.
        {!grants && (
          <>
            {' '}
            For your health data, <a href="/login/health">sign in with e-mail address and password</a>.
          </>
        )}
      </p>
      {problem && <p role="alert">{problem}</p>}
      <Form hidden={hidden}>
        <p>
          <label for="token">Token</label> <input id="token" name="token" type="password" autocomplete="off" required />
        </p>
        <p>
          <Action name="sign-in">Sign in</Action>
        </p>
      </Form>
      <h2>Without a token at hand</h2>
      <Form hidden={hidden}>
        <p>Get a code, and type it in a browser that is signed in, such as that of your computer.</p>
        <p>
          <Action name="begin-code" isQuiet>
            Get a code
          </Action>
        </p>
      </Form>
    </Layout>
  );
}

/** Shows the code that is typed in another browser. */
export function SignInCodePage({ userCode, devicePage }: { userCode: string; devicePage: string }): JSX.Element {
  return (
    <Layout title="Sign in by a code">
      <h1>Sign in by a code</h1>
      <Live isLive>
        <p>
          In a browser that is signed in, open <strong>{devicePage}</strong> and type this code:
        </p>
        <p class="code">{userCode}</p>
        <p class="muted">
          The code is valid for 15 minutes. This page goes on by itself once it was typed. Load it again if nothing
          happens.
        </p>
      </Live>
    </Layout>
  );
}

/** The code was typed: asks whether this is the account to sign in to, since another person could have typed it. */
export function ApprovedCodePage({ login, hidden }: { login: string; hidden: HiddenFields }): JSX.Element {
  return (
    <Layout title="Sign in by a code">
      <h1>Sign in by a code</h1>
      <Form hidden={hidden}>
        <p>
          This browser may sign in as <strong>{login}</strong>, for eight hours.
        </p>
        <p>
          <Action name="finish-code">{`Sign in as ${login}`}</Action>
        </p>
      </Form>
    </Layout>
  );
}

/** Asks whether another browser is to be signed in. */
export function BrowserConsentPage({ login, hidden }: { login: string; hidden: HiddenFields }): JSX.Element {
  return (
    <Layout title="Sign in another browser">
      <h1>Sign in another browser</h1>
      <p>
        A browser wants to be signed in as <strong>{login}</strong>. It can do what this one can, for eight hours at
        most, and is listed among your tokens.
      </p>
      <p>Go on only if the code is on a screen of yours, and you asked for it yourself.</p>
      <Form hidden={hidden}>
        <p>
          <Action name="authorize">Sign it in</Action>{' '}
          <Action name="deny" isQuiet>
            Cancel
          </Action>
        </p>
      </Form>
      <SignedIn login={login} hidden={hidden} />
    </Layout>
  );
}

/** The sign-in page of a browser that is signed in: the way out. */
export function SignedInPage({ login, hidden }: { login: string; hidden: HiddenFields }): JSX.Element {
  return (
    <Layout title="Signed in">
      <h1>Signed in</h1>
      <p>
        <a href={`/${login}`}>To your account</a>, or <a href="/login/device">connect a device or another browser</a>
      </p>
      <SignedIn login={login} hidden={hidden} />
    </Layout>
  );
}

/** Who is signed in, and the way out. */
function SignedIn({ login, hidden }: { login: string; hidden: HiddenFields }): JSX.Element {
  return (
    <Form hidden={hidden}>
      <p>
        You are signed in as <strong>{login}</strong>.{' '}
        <Action name="sign-out" isQuiet>
          Sign out
        </Action>
      </p>
    </Form>
  );
}

interface AppProps {
  name: string;
  url: string;
  ownerLogin: string;
  scopes: readonly string[];
  /** Whether it is an app with permissions instead of scopes. */
  hasPermissions: boolean;
}

function Access({ scopes, hasPermissions }: AppProps): JSX.Element {
  if (hasPermissions) return <p>It may do what both you and its installations may, for eight hours at a time.</p>;
  if (scopes.length === 0) return <p>It may read what is public, and know who you are.</p>;
  return (
    <>
      <p>It may use these scopes, as you:</p>
      <ul>
        {scopes.map(scope => (
          <li key={scope}>
            <code>{scope}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

interface ConsentProps {
  app: AppProps;
  login: string;
  hidden: HiddenFields;
  /** Where the user returns to; absent for a device. */
  returnTo?: string | undefined;
}

/** Asks whether an app may act for the user. */
export function ConsentPage({ app, login, hidden, returnTo }: ConsentProps): JSX.Element {
  return (
    <Layout title={`Authorize ${app.name}`}>
      <h1>Authorize {app.name}</h1>
      <p>
        <a href={app.url}>{app.name}</a> by <strong>{app.ownerLogin}</strong> wants to act for you.
      </p>
      <Access {...app} />
      {returnTo === undefined ? (
        <p>Go on only if you started this yourself, and the code is on a device of yours.</p>
      ) : (
        <p>
          You return to <code>{returnTo}</code>.
        </p>
      )}
      <Form hidden={hidden}>
        <p>
          <Action name="authorize">Authorize</Action>{' '}
          <Action name="deny" isQuiet>
            Cancel
          </Action>
        </p>
      </Form>
      <SignedIn login={login} hidden={hidden} />
    </Layout>
  );
}

interface DevicePageProps {
  login: string;
  hidden: HiddenFields;
  userCode: string;
  problem?: string | undefined;
}

/** Asks for the code that a device shows. */
export function DevicePage({ login, hidden, userCode, problem }: DevicePageProps): JSX.Element {
  return (
    <Layout title="Connect a device">
      <h1>Connect a device</h1>
      {problem && <p role="alert">{problem}</p>}
      <Form hidden={hidden}>
        <p>
          <label for="user_code">Code on the device</label>{' '}
          <input id="user_code" name="user_code" value={userCode} autocomplete="off" required />
        </p>
        <p>
          <Action name="find">Continue</Action>
        </p>
      </Form>
      <SignedIn login={login} hidden={hidden} />
    </Layout>
  );
}

interface ConnectionPageProps {
  app: AppProps;
  tokens: number;
  login: string;
  hidden: HiddenFields;
}

/** What an app may do for the user, and the end of it. */
export function ConnectionPage({ app, tokens, login, hidden }: ConnectionPageProps): JSX.Element {
  return (
    <Layout title={app.name}>
      <h1>{app.name}</h1>
      <p>
        <a href={app.url}>{app.name}</a> by <strong>{app.ownerLogin}</strong>
      </p>
      {tokens === 0 ? (
        <p>You have not authorized it.</p>
      ) : (
        <>
          <Access {...app} />
          <Form hidden={hidden}>
            <p>
              It has {tokens === 1 ? 'one token' : `${tokens} tokens`}. <Action name="revoke">Revoke access</Action>
            </p>
          </Form>
        </>
      )}
      <SignedIn login={login} hidden={hidden} />
    </Layout>
  );
}

/** What a reader does next: the link of a notice. */
export interface NextStep {
  href: string;
  label: string;
}

interface NoticeProps {
  title: string;
  text: string;
  next?: NextStep | undefined;
}

/** Says what happened. */
export function NoticePage({
  title,
  text,
  next = { href: '/', label: 'To the start page' },
}: NoticeProps): JSX.Element {
  return (
    <Layout title={title}>
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href={next.href}>{next.label}</a>
      </p>
    </Layout>
  );
}
