import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { brandColour } from '../config/brand.ts';

/** A small page with one form. It does nothing until a person submits the form: mail scanners open every link. */
export interface HtmlPage {
  /** Matches the request path. */
  path: RegExp;
  title: string;
  text: string;
  button: string;
  fields: PasswordField[];
  /** `on-demand`: the fields are shown when an error response names one of them, and are not sent before. */
  fieldsShown: 'always' | 'on-demand';
  autocomplete: 'new-password' | 'off';
  /** Shown after success. */
  done: string;
  /** The parameter of the page's own URL that is sent along; it is removed from the address bar. */
  parameter: { in: 'search' | 'hash'; name: string };
  /**
   * JavaScript: the body of `async (fields, parameter) =>`. Returns `{ ok: true }`, or `{ ok: false, problem, invalid }` with the
   * message to show and the names of invalid fields.
   */
  submit: string;
  /** For a page that a mail links to. */
  mailed?: MailedLink;
}

/** What a page says of a link that works once and for a time. */
interface MailedLink {
  /** In place of the form, where the link was used. */
  used?: string;
  /** Before the form that asks for a new link. */
  void: string;
  /** Endpoint of the health API that takes `{ email }`. No cookie is read, so that another site gains nothing by sending the form. */
  renewalPath: string;
  renewalButton: string;
  /** After it was asked for; the same whether or not there is such an account. */
  renewed: string;
}

/** `open`: it may work. `used`: it worked. `void`: it does not. */
export type LinkState = 'open' | 'used' | 'void';

interface PasswordField {
  name: string;
  label: string;
  minLength?: number;
}

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#fff, #14181d); color: light-dark(#1b1f24, #e6e8eb); }
  a { color: light-dark(#0b5d4c, #5cc9ae); }
  main { box-sizing: border-box; width: min(26rem, 100%); padding: 1.5rem; }
  label { display: block; margin: 1rem 0 .25rem; }
  input, button { box-sizing: border-box; width: 100%; font: inherit; padding: .6rem .8rem; border-radius: .5rem; border: 1px solid #8888; }
  button { margin-top: 1.25rem; border: 0; background: ${brandColour}; color: #fff; cursor: pointer; }
  button:disabled { opacity: .6; }
  fieldset { margin: 0; padding: 0; border: 0; }
  [role=status] { min-height: 1.5em; margin-top: 1rem; }
`;

/** A disabled fieldset is neither sent nor validated, so hidden fields are not part of the request. */
const script = ({ parameter, submit, done, mailed }: HtmlPage): string => `
  const form = document.querySelector('form.own');
  const fieldset = form?.querySelector('fieldset');
  const renewal = document.querySelector('form.renewal');
  const status = document.querySelector('[role=status]');
  const parameter = ${
    parameter.in === 'hash'
      ? 'location.hash.slice(1)'
      : `new URLSearchParams(location.search).get('${parameter.name}') ?? ''`
  };
  history.replaceState(null, '', location.pathname);
  const submit = async (fields, parameter) => {${submit}};
  renewal?.addEventListener('submit', async event => {
    event.preventDefault();
    const button = renewal.querySelector('button');
    button.disabled = true;
    try {
      const response = await fetch('${mailed?.renewalPath ?? ''}', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(Object.fromEntries(new FormData(renewal))),
      });
      if (response.ok) renewal.remove();
      const body = response.ok ? { detail: ${JSON.stringify(mailed?.renewed ?? '')} } : await response.json();
      status.textContent = body.detail ?? Object.values(body).flat().join(' ');
    } catch {
      status.textContent = 'The server cannot be reached. Try again.';
    }
    button.disabled = false;
  });
  form?.addEventListener('submit', async event => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    status.textContent = '';
    try {
      const { ok, problem, invalid = [] } = await submit(Object.fromEntries(new FormData(form)), parameter);
      if (ok) {
        form.remove();
        status.textContent = ${JSON.stringify(done)};
        return;
      }
      if (renewal && invalid.includes('token')) {
        form.remove();
        renewal.hidden = false;
        renewal.querySelector('input').focus();
        return;
      }
      if (fieldset.disabled && [...fieldset.elements].some(field => invalid.includes(field.name))) {
        fieldset.disabled = fieldset.hidden = false;
        fieldset.querySelector('input').focus();
      }
      status.textContent = problem;
    } catch {
      status.textContent = 'The server cannot be reached. Try again.';
    }
    button.disabled = false;
  });
`;

/** The form for a new link, which the script shows where the server has not. */
function renewalForm({ mailed }: HtmlPage, isShown: boolean): string {
  if (!mailed) return '';
  return `<form class="renewal" method="post"${isShown ? '' : ' hidden'}><p>${mailed.void}</p>
<label for="email">Your e-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required>
<button>${mailed.renewalButton}</button>
</form>
`;
}

function ownForm(page: HtmlPage): string {
  const { text, button, fields, fieldsShown, autocomplete } = page;
  const inputs = fields.map(({ name, label, minLength }) => {
    const length = minLength === undefined ? '' : ` minlength="${minLength}"`;
    return `<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="${autocomplete}" required${length}>`;
  });
  return `<form class="own" method="post"><p>${text}</p>
<fieldset${fieldsShown === 'always' ? '' : ' hidden disabled'}>
${inputs.join('\n')}
</fieldset>
<button>${button}</button>
</form>
`;
}

function render(page: HtmlPage, state: LinkState, nonce: string): string {
  const { title, mailed } = page;
  const content = {
    open: () => ownForm(page) + renewalForm(page, false),
    used: () => `<p>${mailed?.used}</p>\n`,
    void: () => renewalForm(page, true),
  }[state]();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}<p role="status"></p>
<p><a href="/">To the start page</a></p>
</main>
<script nonce="${nonce}">${script(page)}</script>
</body>
</html>
`;
}

/**
 * Serves pages for GET and HEAD of their paths; passes every other request on.
 *
 * @param linkState state of the link of a request, where the server knows it
 */
export function htmlPages(
  pages: readonly HtmlPage[],
  linkState: (page: HtmlPage, request: Request) => Promise<LinkState>,
): RequestHandler {
  return async (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const page = isRead ? pages.find(({ path }) => path.test(request.path)) : undefined;
    if (!page) return next();
    const nonce = randomBytes(16).toString('base64');
    response
      .set(
        'Content-Security-Policy',
        `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      )
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(render(page, await linkState(page, request), nonce));
  };
}
