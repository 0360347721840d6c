import { Extensions } from 'type-graphql';

/** Words of the health product. `public` is of both: it asks for nobody. */
export type HealthScope = 'public' | 'open' | 'account' | 'verified' | 'companion';

/**
 * Words of the code hosting product. `<permission>:<level>` is what a fine-grained token or an app must have been given;
 * the others name who calls. What each means for every kind of caller: `src/auth/hosting-scopes.ts`.
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

/** Who may use a root field. The rule behind each word is in `src/auth/access-rules.ts`; a root field without a word stops the boot. */
export type AccessScope = HealthScope | HostingScope;

/** The access word of a root field. It stands beside the field, so that a change of permission is seen in the diff of the field. */
export function Access(scope: AccessScope): MethodDecorator {
  return Extensions({ access: scope }) as MethodDecorator;
}
