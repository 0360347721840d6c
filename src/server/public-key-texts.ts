import type { RequestHandler } from 'express';
import { sql } from 'kysely';
import type { Context } from '../context/context.ts';
import { loginKey } from '../hosting/accounts/login.ts';
import type { PageAdmission } from './page-admission.ts';
import { pathOf } from './request-target.ts';

/** `authorized_keys` of ten thousand bytes a key stays below 10 MB. */
const maxKeys = 1_000;

/** What gpg imports without an error, and people can read. The product stores no PGP keys of people. */
const noPgpKeys = `-----BEGIN PGP PUBLIC KEY BLOCK-----
Note: This user hasn't uploaded any GPG keys.


=twTO
-----END PGP PUBLIC KEY BLOCK-----
`;

const address = /^\/([^/]+)\.(keys|gpg)$/;

/**
 * Answers `/{login}.keys` with the public SSH keys of a user, one a line, as `authorized_keys` has them, and `/{login}.gpg`. Public,
 * without titles and times, like `/users/{login}/keys`; 404 for no such user.
 */
export function publicKeyTexts(
  read: Context['read'],
  { admit }: Pick<PageAdmission, 'admit'>,
  reads: RequestHandler,
): RequestHandler {
  return async (request, response, next) => {
    const [, name = '', kind] = address.exec(pathOf(request.url)) ?? [];
    const login = loginKey(name);
    if (kind === undefined || login === undefined) return next();
    const answer = async (): Promise<void> => {
      await admit(request, response);
      const rows = await read(sql<{ key: string | null }>`
        select k.key from account a left join ssh_key k on k.account_id = a.id
        where lower(a.login) = ${login} and a.kind = 'user' order by k.id limit ${maxKeys}`);
      const keys = rows.flatMap(({ key }) => (key === null ? [] : [`${key}\n`])).join('');
      response
        .status(rows.length === 0 ? 404 : 200)
        .set('Cache-Control', 'no-cache')
        .type('text/plain')
        .send(rows.length === 0 ? 'Not Found' : kind === 'keys' ? keys : noPgpKeys);
    };
    // Other methods are refused as on other pages.
    reads(request, response, error => (error === undefined ? answer().catch(next) : next(error)));
  };
}
