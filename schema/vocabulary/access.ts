import { Extensions } from 'type-graphql';

/** Scopes of the health product. `public` belongs to both products and admits anonymous callers. */
export type HealthScope = 'public' | 'open' | 'account' | 'verified' | 'companion';

/**
 * Scopes of the code hosting product. `<permission>:<level>` is what a fine-grained token or an app needs; the others name the
 * kind of caller. `src/auth/hosting-scopes.ts` has the meaning of each scope for each kind of caller.
 */
export type HostingScope =
  | 'metadata:read'
  | 'contents:read'
  | 'contents:write'
  | 'source-imports:read'
  | 'source-imports:write'
  | 'administration:read'
  | 'administration:write'
  | 'org:read'
  | 'members:write'
  | 'org-administration:read'
  | 'org-administration:write'
  | 'api-insights:read'
  | 'org-events:read'
  | 'user-events:read'
  | 'starring:write'
  | 'watching:write'
  | 'followers:write'
  | 'signing-keys:write'
  | 'emails:write'
  | 'profile:read'
  | 'profile:write'
  | 'user'
  | 'tokens:write'
  | 'installation'
  | 'app'
  | 'oauth-app'
  | 'site-admin';

/** Scope of a root field. `src/auth/access-rules.ts` has the rule of each; a root field without a scope stops the start. */
export type AccessScope = HealthScope | HostingScope;

/** Sets the scope of a root field, beside the field, so that the field's diff shows a change of permission. */
export function Access(scope: AccessScope): MethodDecorator {
  return Extensions({ access: scope }) as MethodDecorator;
}
