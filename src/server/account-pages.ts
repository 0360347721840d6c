import type { RequestHandler } from 'express';
import type { Read } from '../db/read.ts';
import { findActivationLinkState } from '../health/accounts/activate-account.ts';
import { type HtmlPage, htmlPages } from './html-pages.ts';

/** Posts the fields and the token to the page's own path, which is an endpoint of the health API. */
const postToOwnPath = `
    const response = await fetch(location.pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: parameter, ...fields }),
    });
    const body = await response.json();
    return {
      ok: response.ok,
      problem: body.detail ?? Object.values(body).flat().join(' '),
      invalid: Object.keys(body),
    };
  `;

/** Linked by activation mails, unless ACTIVATION_URL is set. */
const activation: HtmlPage = {
  path: /^\/api\/v1\/auth\/activate\/$/,
  title: 'Activate your account',
  text: 'One press, and your account is ready. If this address was registered more than once, you choose the password here.',
  button: 'Activate',
  fields: [
    { name: 'password', label: 'Password', minLength: 8 },
    { name: 'password2', label: 'Password, once more', minLength: 8 },
  ],
  fieldsShown: 'on-demand',
  autocomplete: 'new-password',
  done: 'Your account is active. You can log in now.',
  parameter: { in: 'search', name: 'token' },
  submit: postToOwnPath,
  mailed: {
    used: 'This link was used already: your account is active, and you can log in.',
    void: 'This link is not valid. A link works once, for 48 hours, and only until a newer one is sent. You can have a new one.',
    renewalPath: '/api/v1/auth/resend-activation/',
    renewalButton: 'Send a new link',
    renewed: 'If a registration with this address waits for its activation, a new link is on its way to it.',
  },
};

/** Linked by password reset mails, unless PASSWORD_RESET_URL is set. */
const passwordReset: HtmlPage = {
  path: /^\/api\/v1\/auth\/password\/reset\/confirm\/$/,
  title: 'Choose a new password',
  text: 'At least 8 characters. You will be logged out everywhere.',
  button: 'Set the password',
  fields: [
    { name: 'new_password', label: 'New password', minLength: 8 },
    { name: 'new_password2', label: 'New password, once more', minLength: 8 },
  ],
  fieldsShown: 'always',
  autocomplete: 'new-password',
  done: 'Your password has been changed. You can log in now.',
  parameter: { in: 'hash', name: 'token' },
  submit: postToOwnPath,
  mailed: {
    void: 'This link is not valid. A link works once, for one hour, and only until a newer one is sent. You can have a new one.',
    renewalPath: '/api/v1/auth/password/reset/',
    renewalButton: 'Send a new link',
    renewed: 'If there is an account with this address, a new link is on its way to it.',
  },
};

/** Linked by the X-…-SSO header, for any organization name: it does not reveal whether the organization exists. */
const singleSignOn: HtmlPage = {
  path: /^(?:\/api\/v3)?\/orgs\/[A-Za-z\d-]{1,39}\/sso$/,
  title: 'Authorize a token',
  text: `This organization enforces single sign-on, and a classic token asks to be used with it. Prove that
you belong there by a token that is good in the organization already: a fine-grained one, or a classic one that has been
authorized. An administrator may authorize the tokens of every member.`,
  button: 'Authorize',
  fields: [{ name: 'credential', label: 'Your token' }],
  fieldsShown: 'always',
  autocomplete: 'off',
  done: 'The token is authorized. You can close this page.',
  parameter: { in: 'search', name: 'authorization_request' },
  submit: `
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' + fields.credential },
      body: JSON.stringify({
        query: 'mutation($request: String!) { authorizeTokenForSso(input: { request: $request }) { clientMutationId } }',
        variables: { request: parameter },
      }),
    });
    const { data, errors } = await response.json();
    return { ok: Boolean(data?.authorizeTokenForSso), problem: errors?.[0]?.message ?? 'That did not work.' };
  `,
};

/** Linked by mails to addresses that users of code hosting add. */
const emailVerification: HtmlPage = {
  path: /^\/settings\/emails\/verify$/,
  title: 'Verify your mail address',
  text: 'One press, and the address belongs to the account that the mail names.',
  button: 'Verify',
  fields: [],
  fieldsShown: 'on-demand',
  autocomplete: 'off',
  done: 'The address is verified.',
  parameter: { in: 'hash', name: 'token' },
  submit: `
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: 'mutation($token: String!) { verifyEmail(input: { token: $token }) { clientMutationId } }',
        variables: { token: parameter },
      }),
    });
    const { data, errors } = await response.json();
    return { ok: Boolean(data?.verifyEmail), problem: errors?.[0]?.extensions?.errors?.[0]?.message ?? errors?.[0]?.message ?? 'That did not work.' };
  `,
};

const allPages = [activation, passwordReset, singleSignOn, emailVerification];

/** Whether a read of this path gets an account page. */
export const isAccountPage = (path: string): boolean => allPages.some(page => page.path.test(path));

/** The pages that mails and headers link to. */
export function accountPages(read: Read, now: () => Date): RequestHandler {
  return htmlPages(allPages, async (page, { originalUrl }) => {
    // The token of a password reset is in the fragment, which no server gets.
    if (page !== activation) return 'open';
    const token = new URL(originalUrl, 'http://localhost').searchParams.get('token') ?? '';
    return findActivationLinkState(read, token, now());
  });
}
