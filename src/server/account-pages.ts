import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';

/** The small pages that mails lead to where an installation has none of its own. They do nothing until a person presses the button. */
export const pageStyle = `
  :root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
  main { box-sizing: border-box; width: min(26rem, 100%); padding: 1.5rem; }
  label { display: block; margin: 1rem 0 .25rem; }
  input, button { box-sizing: border-box; width: 100%; font: inherit; padding: .6rem .8rem; border-radius: .5rem; border: 1px solid #8888; }
  button { margin-top: 1.25rem; border: 0; background: #0b6b57; color: #fff; cursor: pointer; }
  button:disabled { opacity: .6; }
  fieldset { margin: 0; padding: 0; border: 0; }
  [role=status] { min-height: 1.5em; margin-top: 1rem; }
`;

interface Page {
  title: string;
  text: string;
  button: string;
  /** Password fields. */
  fields: { name: string; label: string }[];
  /** Whether the fields are shown at once, or when the answer asks for one of them. */
  fieldsShown: 'always' | 'when asked for';
  done: string;
  /** Where in the page's own address the token stands. */
  tokenIn: 'search' | 'hash';
}

const activation: Page = {
  title: 'Activate your account',
  text: 'One press, and your account is ready. If this address was registered more than once, you choose the password here.',
  button: 'Activate',
  fields: [
    { name: 'password', label: 'Password' },
    { name: 'password2', label: 'Password, once more' },
  ],
  fieldsShown: 'when asked for',
  done: 'Your account is active. You can log in now.',
  tokenIn: 'search',
};

const passwordReset: Page = {
  title: 'Choose a new password',
  text: 'At least 8 characters. You will be logged out everywhere.',
  button: 'Set the password',
  fields: [
    { name: 'new_password', label: 'New password' },
    { name: 'new_password2', label: 'New password, once more' },
  ],
  fieldsShown: 'always',
  done: 'Your password has been changed. You can log in now.',
  tokenIn: 'hash',
};

/**
 * Mail scanners open every link; only the button posts, so that nothing happens by looking. A disabled fieldset is neither
 * sent nor validated: fields that are hidden stay out of the request.
 */
const script = (page: Page): string => `
  const form = document.querySelector('form');
  const fields = form.querySelector('fieldset');
  const status = document.querySelector('[role=status]');
  const token = ${page.tokenIn === 'hash' ? 'location.hash.slice(1)' : "new URLSearchParams(location.search).get('token') ?? ''"};
  history.replaceState(null, '', location.pathname);
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    status.textContent = '';
    try {
      const response = await fetch(location.pathname, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, ...Object.fromEntries(new FormData(form)) }),
      });
      const answer = await response.json();
      if (response.ok) {
        form.remove();
        status.textContent = ${JSON.stringify(page.done)};
        return;
      }
      if (fields.disabled && [...fields.elements].some(field => field.name in answer)) {
        fields.disabled = fields.hidden = false;
        fields.querySelector('input').focus();
      }
      status.textContent = answer.detail ?? Object.values(answer).flat().join(' ');
    } catch {
      status.textContent = 'The server cannot be reached. Try again.';
    }
    button.disabled = false;
  });
`;

function html(page: Page, nonce: string): string {
  const fields = page.fields.map(
    ({ name, label }) => `<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="new-password" required minlength="8">`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<style nonce="${nonce}">${pageStyle}</style>
</head>
<body>
<main>
<h1>${page.title}</h1>
<form method="post"><p>${page.text}</p>
<fieldset${page.fieldsShown === 'always' ? '' : ' hidden disabled'}>
${fields.join('\n')}
</fieldset>
<button>${page.button}</button>
</form>
<p role="status"></p>
</main>
<script nonce="${nonce}">${script(page)}</script>
</body>
</html>
`;
}

/** Serves the pages for GET of the paths whose POST is the contract's; everything else goes on to the contract. */
export function accountPages(): RequestHandler {
  const pages = new Map([
    ['/api/v1/auth/activate/', activation],
    ['/api/v1/auth/password/reset/confirm/', passwordReset],
  ]);
  return (request, response, next) => {
    const page = request.method === 'GET' || request.method === 'HEAD' ? pages.get(request.path) : undefined;
    if (!page) {
      next();
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    response
      .set(
        'Content-Security-Policy',
        `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      )
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(html(page, nonce));
  };
}
