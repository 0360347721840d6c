import type { Level } from '../../schema/hosting/permission-map.ts';
import type { HostingScope } from '../../schema/vocabulary/access.ts';

/** The permission that a token other than a classic or OAuth token needs, and its target. */
export interface PermissionRequirement {
  permission: string;
  level: Level;
  target: 'repository' | 'organization' | 'user';
  /** The lowest role that the user needs in the repository; in an organization, `member` or `admin`. */
  role: 'read' | 'write' | 'admin' | 'member';
  /** Whether an archived repository refuses the request. */
  writesContents?: boolean;
}

export interface HostingScopeRule {
  about: string;
  /**
   * `anybody`: public rows for every caller, and the query decides about the others. `token`: any authenticated caller.
   * The others name the one kind of caller that is admitted.
   */
  callers: 'anybody' | 'token' | 'user' | 'classic' | 'installation' | 'app' | 'oauth-app' | 'site-admin' | 'service';
  requirement?: PermissionRequirement;
  /** Further permissions that some inputs need. The response header lists them as an alternative that needs all of them. */
  conditionalPermissions?: readonly string[];
  /** Whether it lets a caller create content that others see, which counts against the content-creation limits. */
  generatesContent?: boolean;
  /** Whether a caller without the permission gets 404 and not 403. */
  isHidden?: boolean;
  /** A classic or OAuth token needs any one of them. With `anybody`, only for rows that are not public. */
  tokenScopes: readonly string[];
  /** Those of `tokenScopes` that reach private repositories without `repo`. */
  reachingScopes?: readonly string[];
}

const onRepository = (
  permission: string,
  level: Level,
  role: PermissionRequirement['role'],
): PermissionRequirement => ({
  permission,
  level,
  target: 'repository',
  role,
});
const onOrganization = (
  permission: string,
  level: Level,
  role: PermissionRequirement['role'],
): PermissionRequirement => ({
  permission,
  level,
  target: 'organization',
  role,
});
const onUser = (permission: string, level: Level): PermissionRequirement => ({
  permission,
  level,
  target: 'user',
  role: 'read',
});

/**
 * The rule of each access scope of the code hosting product: the callers, the permission of a fine-grained token or an app, the
 * scopes of a classic token, the role. Exhaustive by its type. Access checks, response headers, documentation, the
 * conditions inside queries and the generated tests all derive from this table.
 */
export const hostingScopes: Record<HostingScope, HostingScopeRule> = {
  'metadata:read': {
    about: 'Anyone for what is public; else users who may read the repository.',
    callers: 'anybody',
    requirement: onRepository('metadata', 'read', 'read'),
    tokenScopes: ['repo'],
  },
  'contents:read': {
    about: 'Anyone for what is public; else users who may read the repository, with contents: read.',
    callers: 'anybody',
    requirement: onRepository('contents', 'read', 'read'),
    tokenScopes: ['repo'],
  },
  'contents:write': {
    about: 'Users who may push to the repository, with contents: write; workflow files need workflows: write as well.',
    callers: 'token',
    requirement: { ...onRepository('contents', 'write', 'write'), writesContents: true },
    conditionalPermissions: ['workflows=write'],
    generatesContent: true,
    tokenScopes: ['repo', 'public_repo'],
  },
  'source-imports:read': {
    about: 'Users who may read the repository, with contents: read.',
    callers: 'token',
    requirement: onRepository('contents', 'read', 'read'),
    tokenScopes: ['repo', 'public_repo'],
  },
  'source-imports:write': {
    about:
      'Users who may push to the repository, with a classic token; workflow files need the scope `workflow` as well.',
    callers: 'classic',
    requirement: { ...onRepository('contents', 'write', 'write'), writesContents: true },
    conditionalPermissions: ['workflows=write'],
    tokenScopes: ['repo', 'public_repo'],
  },
  'administration:read': {
    about: 'Administrators of the repository, with administration: read.',
    callers: 'token',
    requirement: onRepository('administration', 'read', 'admin'),
    tokenScopes: ['repo'],
  },
  'administration:write': {
    about: 'Administrators of the repository, with administration: write.',
    callers: 'token',
    requirement: onRepository('administration', 'write', 'admin'),
    tokenScopes: ['repo', 'public_repo'],
  },
  'rule-suites:read': {
    about: 'Administrators of the repository, with administration: write; 404 for others.',
    callers: 'token',
    requirement: onRepository('administration', 'write', 'admin'),
    isHidden: true,
    tokenScopes: ['repo', 'public_repo'],
  },
  'hooks:read': {
    about: 'Administrators of the repository, with repository_hooks: read.',
    callers: 'token',
    requirement: onRepository('repository_hooks', 'read', 'admin'),
    tokenScopes: ['repo', 'public_repo', 'read:repo_hook'],
    reachingScopes: ['read:repo_hook'],
  },
  'hooks:write': {
    about: 'Administrators of the repository, with repository_hooks: write.',
    callers: 'token',
    requirement: onRepository('repository_hooks', 'write', 'admin'),
    tokenScopes: ['repo', 'public_repo', 'write:repo_hook'],
    reachingScopes: ['write:repo_hook'],
  },
  'hooks:delete': {
    about: 'Administrators of the repository, with repository_hooks: write; the scope `write:repo_hook` deletes none.',
    callers: 'token',
    requirement: onRepository('repository_hooks', 'write', 'admin'),
    tokenScopes: ['repo', 'public_repo', 'admin:repo_hook'],
    reachingScopes: ['admin:repo_hook'],
  },
  'org-hooks:read': {
    about: 'Administrators of the organization, with organization_hooks: read.',
    callers: 'token',
    requirement: onOrganization('organization_hooks', 'read', 'admin'),
    tokenScopes: ['admin:org_hook'],
  },
  'org-hooks:write': {
    about: 'Administrators of the organization, with organization_hooks: write.',
    callers: 'token',
    requirement: onOrganization('organization_hooks', 'write', 'admin'),
    tokenScopes: ['admin:org_hook'],
  },
  'org:read': {
    about: 'Members of the organization, with members: read.',
    callers: 'token',
    requirement: onOrganization('members', 'read', 'member'),
    tokenScopes: ['read:org'],
  },
  'members:write': {
    about: 'Administrators of the organization, with members: write.',
    callers: 'token',
    requirement: onOrganization('members', 'write', 'admin'),
    tokenScopes: ['admin:org'],
  },
  'org-invitations:read': {
    about: 'Administrators of the organization, with members: read.',
    callers: 'token',
    requirement: onOrganization('members', 'read', 'admin'),
    tokenScopes: ['admin:org'],
  },
  'org-administration:read': {
    about: 'Administrators of the organization, with organization_administration: read.',
    callers: 'token',
    requirement: onOrganization('organization_administration', 'read', 'admin'),
    tokenScopes: ['admin:org'],
  },
  'org-administration:write': {
    about: 'Administrators of the organization, with organization_administration: write.',
    callers: 'token',
    requirement: onOrganization('organization_administration', 'write', 'admin'),
    tokenScopes: ['admin:org'],
  },
  'org-rule-suites:read': {
    about: 'Administrators of the organization, with organization_administration: write; 404 for others.',
    callers: 'token',
    requirement: onOrganization('organization_administration', 'write', 'admin'),
    isHidden: true,
    tokenScopes: ['admin:org'],
  },
  'api-insights:read': {
    about: 'Administrators of the organization, with organization_api_insights: read.',
    callers: 'token',
    requirement: onOrganization('organization_api_insights', 'read', 'admin'),
    tokenScopes: ['admin:org'],
  },
  'org-events:read': {
    about: 'Anyone for what is public; else members of the organization, with organization_events: read.',
    callers: 'anybody',
    requirement: onOrganization('organization_events', 'read', 'member'),
    tokenScopes: [],
  },
  'user-events:read': {
    about: 'Anyone for what is public; else the user, with events: read.',
    callers: 'anybody',
    requirement: onUser('events', 'read'),
    tokenScopes: [],
  },
  'starring:write': {
    about: 'Users, for themselves, with starring: write.',
    callers: 'token',
    requirement: onUser('starring', 'write'),
    tokenScopes: ['repo', 'public_repo'],
  },
  'watching:write': {
    about: 'Users, for themselves, with watching: write.',
    callers: 'token',
    requirement: onUser('watching', 'write'),
    tokenScopes: ['repo', 'notifications'],
  },
  'followers:write': {
    about: 'Users, for themselves, with followers: write.',
    callers: 'token',
    requirement: onUser('followers', 'write'),
    tokenScopes: ['user:follow'],
  },
  'signing-keys:write': {
    about: 'Users, for themselves, with signing_keys: write.',
    callers: 'token',
    requirement: onUser('signing_keys', 'write'),
    tokenScopes: ['admin:signing_key'],
  },
  'ssh-keys:read': {
    about: 'Users, for themselves, with git_ssh_keys: read.',
    callers: 'token',
    requirement: onUser('git_ssh_keys', 'read'),
    tokenScopes: ['read:public_key'],
  },
  'ssh-keys:write': {
    about: 'Users, for themselves, with git_ssh_keys: write.',
    callers: 'token',
    requirement: onUser('git_ssh_keys', 'write'),
    tokenScopes: ['write:public_key'],
  },
  'ssh-keys:delete': {
    about: 'Users, for themselves, with git_ssh_keys: write; the scope `write:public_key` deletes none.',
    callers: 'token',
    requirement: onUser('git_ssh_keys', 'write'),
    tokenScopes: ['admin:public_key'],
  },
  'emails:write': {
    about: 'Users, for themselves, with emails: write.',
    callers: 'token',
    requirement: onUser('emails', 'write'),
    tokenScopes: ['user:email'],
  },
  'invitations:read': {
    about: 'Users, for themselves, with repository_invitations: read.',
    callers: 'token',
    requirement: onUser('repository_invitations', 'read'),
    tokenScopes: ['repo:invite'],
  },
  'invitations:write': {
    about: 'Users, for themselves, with repository_invitations: write.',
    callers: 'token',
    requirement: onUser('repository_invitations', 'write'),
    tokenScopes: ['repo:invite'],
  },
  'profile:read': { about: 'Users, about themselves.', callers: 'user', tokenScopes: [] },
  'profile:write': {
    about: 'Users, for themselves, with profile: write.',
    callers: 'token',
    requirement: onUser('profile', 'write'),
    tokenScopes: ['user'],
  },
  user: { about: 'Users, with any token that acts for them.', callers: 'user', tokenScopes: [] },
  'tokens:write': {
    about:
      'Users with a classic token that has the scope `user`. No token can issue one with more authority than its own.',
    callers: 'classic',
    tokenScopes: ['user'],
  },
  installation: { about: 'An app, with the token of an installation.', callers: 'installation', tokenScopes: [] },
  app: { about: 'An app, with a JWT that it signed.', callers: 'app', tokenScopes: [] },
  'oauth-app': { about: 'An app, with its client id and secret (Basic).', callers: 'oauth-app', tokenScopes: [] },
  'site-admin': {
    about: 'Administrators of the installation, with a classic token that has the scope `site_admin`.',
    callers: 'site-admin',
    tokenScopes: ['site_admin'],
  },
  service: {
    about: 'Programs of the operator, with a service credential, which may use nothing else.',
    callers: 'service',
    tokenScopes: [],
  },
};

/** Every permission of fine-grained tokens and apps. */
export const permissionNames: readonly string[] = [
  ...new Set([
    ...Object.values(hostingScopes).flatMap(({ requirement }) => requirement?.permission ?? []),
    'workflows',
    'actions',
  ]),
].sort();

/**
 * Formats the header value, such as `contents=write; contents=write,workflows=write`: alternatives separated by semicolons,
 * permissions needed together by commas.
 */
export function acceptedPermissions(scope: HostingScope): string | undefined {
  const { requirement, conditionalPermissions = [] } = hostingScopes[scope];
  if (!requirement) return undefined;
  const own = `${requirement.permission}=${requirement.level}`;
  return conditionalPermissions.length === 0 ? own : `${own}; ${[own, ...conditionalPermissions].join(',')}`;
}

/** Whether a write with this access scope creates content that others see. */
export function generatesContent(scope: HostingScope): boolean {
  return hostingScopes[scope].generatesContent === true;
}

/** Whether a scope leaves it to the rows who may use a field. */
export const admitsEverybody = (scope: string): boolean =>
  scope === 'public' || (isHostingScope(scope) && hostingScopes[scope].callers === 'anybody');

export function isHostingScope(scope: string): scope is HostingScope {
  return Object.hasOwn(hostingScopes, scope);
}
