import { Extensions } from 'type-graphql';

/** Access scopes of the health product. `public` belongs to both products: it requires no credential. */
export type HealthScope = 'public' | 'open' | 'account' | 'verified' | 'companion' | 'moderator';

/**
 * Access scopes of the code hosting product. `<permission>:<level>` names the permission that a fine-grained token or an app
 * needs; the others name the kind of caller. `src/auth/hosting-scopes.ts` defines each for every kind of credential.
 */
export type HostingScope =
  | 'metadata:read'
  | 'contents:read'
  | 'contents:write'
  | 'source-imports:read'
  | 'source-imports:write'
  | 'administration:read'
  | 'administration:write'
  | 'rule-suites:read'
  | 'hooks:read'
  | 'hooks:write'
  | 'hooks:delete'
  | 'org-hooks:read'
  | 'org-hooks:write'
  | 'org:read'
  | 'members:write'
  | 'org-invitations:read'
  | 'org-administration:read'
  | 'org-administration:write'
  | 'org-rule-suites:read'
  | 'api-insights:read'
  | 'org-events:read'
  | 'user-events:read'
  | 'starring:write'
  | 'watching:write'
  | 'followers:write'
  | 'signing-keys:write'
  | 'ssh-keys:read'
  | 'ssh-keys:write'
  | 'ssh-keys:delete'
  | 'emails:write'
  | 'invitations:read'
  | 'invitations:write'
  | 'profile:read'
  | 'profile:write'
  | 'user'
  | 'tokens:write'
  | 'installation'
  | 'app'
  | 'oauth-app'
  | 'site-admin'
  | 'service';

/**
 * Who may use a root field. `src/auth/access-rules.ts` has the rule of each scope; the schema does not build with a root field
 * that has none.
 */
export type AccessScope = HealthScope | HostingScope;

/** Access scopes by the type of the object whose global id the input of a mutation has in the field `id`. */
export interface AccessOfType {
  id: string;
  scopes: Readonly<Record<string, HostingScope>>;
}

/**
 * Sets the access scope of a root field. It is declared beside the field, so a change of permission shows in the diff of the
 * field.
 * @param ofType scopes of operation files that name the type; the mutation itself checks the one that applies
 */
export function Access(scope: AccessScope, ofType?: AccessOfType): MethodDecorator {
  return Extensions({ access: scope, ...(ofType ? { accessOfType: ofType } : {}) }) as MethodDecorator;
}
