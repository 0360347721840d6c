import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import { pageStyle } from './account-pages.ts';

/** Asks the graph, as any other client would: the page itself knows no token and keeps none. */
const script = `
  const form = document.querySelector('form');
  const status = document.querySelector('[role=status]');
  const request = new URLSearchParams(location.search).get('authorization_request') ?? '';
  history.replaceState(null, '', location.pathname);
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    status.textContent = '';
    try {
      const response = await fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer ' + new FormData(form).get('credential') },
        body: JSON.stringify({
          query: 'mutation($request: String!) { authorizeTokenForSso(request: $request) }',
          variables: { request },
        }),
      });
      const { data, errors } = await response.json();
      if (data?.authorizeTokenForSso) {
        form.remove();
        status.textContent = 'The token is authorized. You can close this page.';
        return;
      }
      status.textContent = errors?.[0]?.message ?? 'That did not work.';
    } catch {
      status.textContent = 'The server cannot be reached. Try again.';
    }
    button.disabled = false;
  });
`;

const html = (nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Authorize a token</title>
<style nonce="${nonce}">${pageStyle}</style>
</head>
<body>
<main>
<h1>Authorize a token</h1>
<form method="post"><p>This organization enforces single sign-on, and a classic token asks to be used with it. Prove that
you belong there by a token that is good in the organization already: a fine-grained one, or a classic one that has been
authorized. An administrator may authorize the tokens of every member.</p>
<label for="credential">Your token</label>
<input id="credential" name="credential" type="password" autocomplete="off" required>
<button>Authorize</button>
</form>
<p role="status"></p>
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;

/** The page that the X-Host-SSO header leads to, for whatever organization: it tells of none whether it is there. */
export function ssoPage(): RequestHandler {
  return (request, response, next) => {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads || !/^(?:\/api\/v3)?\/orgs\/[A-Za-z\d-]{1,39}\/sso$/.test(request.path)) return next();
    const nonce = randomBytes(16).toString('base64');
    response
      .set(
        'Content-Security-Policy',
        `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      )
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(html(nonce));
  };
}
