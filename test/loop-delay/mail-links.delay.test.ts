import type { AttackedGateway, HostileAnswer } from './attacked-gateway.ts';
import { type Shape, shape, testShapes, times } from './loop-delay.ts';

const fill = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const headLength = 14_000;
const bodyLength = 900_000;

/** Pages that mails link to, with these characters as the token. */
const links = (name: string, path: string, token: string): Shape =>
  shape(name, gateway => times(8, () => gateway.send('GET', `${path}${token}`, { headers: browser })));

const post = (gateway: AttackedGateway, path: string, body: object | string): Promise<HostileAnswer> =>
  gateway.send('POST', path, {
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Forms of pages that mails link to. */
const forms = (name: string, path: string, build: (at: number) => object | string, count = 4): Shape => ({
  name,
  prepare(gateway) {
    const bodies = Array.from({ length: count }, (_, at) => build(at));
    return () => times(count, at => post(gateway, path, bodies[at] ?? {}));
  },
});

const activate = '/api/v1/auth/activate/';
const reset = '/api/v1/auth/password/reset/';
const confirm = '/api/v1/auth/password/reset/confirm/';
const resend = '/api/v1/auth/resend-activation/';
const register = '/api/v1/auth/register/';
const verify = 'mutation($token: String!) { verifyEmail(input: { token: $token }) { clientMutationId } }';
const sso = 'mutation($token: String!) { authorizeTokenForSso(input: { request: $token }) { clientMutationId } }';

const mutations = (name: string, document: string, token: string): Shape =>
  shape(name, gateway => times(4, () => gateway.graphql(document, { token }, gateway.token)));

const password = 'a good long phrase';
const form = (email: string, more: object = {}): object => ({
  email,
  first_name: 'A',
  last_name: 'B',
  password,
  password2: password,
  ...more,
});

await testShapes(
  'mail links',
  // biome-ignore format: a table is read by its lines.
  [
    links('an activation link of 14 KB', `${activate}?token=`, fill('a', headLength)),
    links('an activation link of encodings', `${activate}?token=`, fill('%2F', headLength)),
    links('an activation link of invalid encodings', `${activate}?token=`, fill('%e2%', headLength)),
    links('an activation link of blanks', `${activate}?token=a`, fill('+', headLength)),
    links('an activation link of many tokens', `${activate}?`, fill('token=a&', headLength)),
    links('an activation link of hyphens', `${activate}?token=`, fill('0-', headLength)),
    links('a link of a forged JWT', `${activate}?token=`, `eyJhbGciOiJIUzI1NiJ9.${fill('a', 6_000)}.${fill('a', 6_000)}`),
    links('a link of dots', `${activate}?token=`, fill('.', headLength)),
    links('a reset link of 14 KB', `${confirm}?token=`, fill('a', headLength)),
    links('a link of single sign-on of 14 KB', '/orgs/harbor-lab/sso?authorization_request=', fill('a', headLength)),
    links('a link of single sign-on of base64', '/orgs/harbor-lab/sso?authorization_request=', Buffer.alloc(10_000, '{').toString('base64url')),
    links('the single sign-on of a name of hyphens', `/orgs/${fill('a-', headLength)}`, '/sso'),
    links('a link of verification of 14 KB', '/settings/emails/verify?token=', fill('a', headLength)),
    links('an invitation of many parts', '/harbor-lab/compass/invitations?', fill('a=b&', headLength)),
    links('an activation link of a path of slashes', `/api/v1/auth/activate${fill('/', headLength)}`, '?token=a'),
    forms('an activation of a token of 900 KB', activate, () => ({ token: fill('a', bodyLength) })),
    forms('an activation of a token of blanks', activate, () => ({ token: `a${fill(' ', bodyLength)}b` })),
    forms('an activation of a token of marks', activate, () => ({ token: fill('\u0301', 300_000) })),
    forms('an activation with a password of 900 KB', activate, () => ({
      token: '0',
      password: fill('a', bodyLength),
      password2: fill('a', bodyLength),
    })),
    forms('forged tokens', activate, at => ({ token: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}` }), 50),
    forms('a reset with a password of 900 KB', confirm, () => ({
      token: '0',
      new_password: fill('a', bodyLength),
      new_password2: fill('a', bodyLength),
    })),
    forms('forged tokens of resets', confirm, at => ({ token: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`, new_password: password, new_password2: password, }), 50),
    forms('a reset of an address of at signs', reset, () => ({ email: fill('a@', bodyLength) })),
    forms('a reset of an address of dots', reset, () => ({ email: `a@${fill('a.', bodyLength)}` })),
    forms('a reset of an address of quotes', reset, () => ({ email: `"${fill('\\"', bodyLength)}@example.org` })),
    forms('a reset of an address of comments', reset, () => ({ email: `${fill('(', bodyLength)}@example.org` })),
    forms('a reset of an address of blanks', reset, () => ({ email: `a${fill(' ', bodyLength)}@example.org` })),
    forms('a reset of an address of other scripts', reset, () => ({
      email: `${fill('ü', 300_000)}@${fill('ü.', 300_000)}de`,
    })),
    forms('a hundred resets', reset, at => ({ email: `nobody-${at}@example.org` }), 100),
    forms('a hundred activations sent again', resend, at => ({ email: `nobody-${at}@example.org` }), 100),
    forms('an activation sent again to 900 KB', resend, () => ({ email: fill('a', bodyLength) })),
    forms('twenty registrations', register, at => form(`a${at}-${Date.now()}@example.org`), 20),
    forms('a registration of an address of 900 KB', register, () => form(`${fill('a.', bodyLength)}@example.org`)),
    forms('a registration of a name of marks', register, at =>
      form(`b${at}-${Date.now()}@example.org`, { first_name: fill('\u0301', 300_000) }),
    ),
    forms('a registration with a password of 900 KB', register, at =>
      form(`c${at}-${Date.now()}@example.org`, { password: fill('a', bodyLength), password2: fill('a', bodyLength) }),
    ),
    forms('a registration with a password of words', register, at =>
      form(`d${at}-${Date.now()}@example.org`, {
        password: fill('password', 4_000),
        password2: fill('password', 4_000),
      }),
    ),
    forms('a registration of line feeds', register, at =>
      form(`e${at}\r\nBcc: x@example.org`, { last_name: fill('\r\n', 90) }),
    ),
    forms('a form of one key 50,000 times', activate, () => `{${fill('"token":"a",', 900_000)}"token":"a"}`),
    mutations('a verification of a token of 200 KB', verify, fill('a', 200_000)),
    mutations('a verification of a forged token', verify, `${fill('a', 100_000)}.${fill('a', 100_000)}`),
    mutations('a verification of blanks', verify, `a${fill(' ', 200_000)}b`),
    mutations('a single sign-on of a token of 200 KB', sso, fill('a', 200_000)),
    mutations('a single sign-on of base64', sso, Buffer.alloc(150_000, '{').toString('base64url')),
    shape('logins of a password of 900 KB', gateway =>
      times(4, () =>
        post(gateway, '/api/v1/auth/login/', { email: 'amira@example.org', password: fill('a', bodyLength) }),
      ),
    ),
    shape('fifty logins', gateway =>
      times(50, at => post(gateway, '/api/v1/auth/login/', { email: `nobody-${at}@example.org`, password })),
    ),
    shape('renewals of forged sessions', gateway =>
      times(20, () =>
        post(gateway, '/api/v1/auth/token/refresh/', { refresh: `eyJhbGciOiJIUzI1NiJ9.${fill('a', 400_000)}.x` }),
      ),
    ),
  ],
  async gateway => {
    const { status, text } = await gateway.send('GET', `${activate}?token=00000000-0000-4000-8000-000000000000`, {
      headers: browser,
    });
    if (status !== 200 || !text.includes('not valid')) throw new Error(text);
  },
);
