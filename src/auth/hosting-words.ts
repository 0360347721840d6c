import { type Level, levels, type PermissionMap } from '../../schema/hosting/permission-map.ts';
import type { HostingWord } from '../../schema/vocabulary/access.ts';
import { forbidden, unauthenticated } from '../errors/errors.ts';
import type { Actor } from './actor.ts';
import { jwtRefused } from './credentials/app-jwt.ts';

/** What a token that is not classic must have been given, and for what. */
export interface Need {
  permission: string;
  level: Level;
  on: 'repository' | 'organization' | 'user';
  /** The least role of a user, where it is about a repository; of an organization, `member` or `admin`. */
  role: 'read' | 'write' | 'admin' | 'member';
  /** Whether an archived repository refuses it. */
  writesContents?: boolean;
}

export interface HostingEntry {
  about: string;
  /**
   * `anybody`: what is public is for all, and the query decides about the rest. `token`: somebody must be known to ask.
   * The others name the one kind of caller that is let in.
   */
  callers: 'anybody' | 'token' | 'user' | 'classic' | 'installation' | 'app' | 'oauth-app' | 'site-admin';
  need?: Need;
  /** Further permissions that some input asks for: told in the header as an alternative that needs all of them. */
  sometimes?: readonly string[];
  /** Whether what it lets write is content that others see: see the limits on making it. */
  generatesContent?: boolean;
  /** Any one of them lets a classic or OAuth token do it. With `anybody` they are for what is not public. */
  scopes: readonly string[];
}

const repository = (permission: string, level: Level, role: Need['role']): Need => ({
  permission,
  level,
  on: 'repository',
  role,
});
const organization = (permission: string, level: Level, role: Need['role']): Need => ({
  permission,
  level,
  on: 'organization',
  role,
});
const ofUser = (permission: string, level: Level): Need => ({ permission, level, on: 'user', role: 'read' });

/**
 * What each access word of the code hosting product means: which callers, which permission of a fine-grained token or an
 * app, which scopes of a classic one, which role. Exhaustive by its type. Rules, response headers, documentation, the
 * predicates inside the queries and the generated tests are all made from this one table.
 */
export const hostingWords: Record<HostingWord, HostingEntry> = {
  'metadata:read': {
    about: 'Anybody for what is public; else whoever may read the repository.',
    callers: 'anybody',
    need: repository('metadata', 'read', 'read'),
    scopes: ['repo'],
  },
  'contents:read': {
    about: 'Anybody for what is public; else whoever may read the repository, with contents: read.',
    callers: 'anybody',
    need: repository('contents', 'read', 'read'),
    scopes: ['repo'],
  },
  'contents:write': {
    about: 'Whoever may push to the repository, with contents: write; workflow files need workflows: write as well.',
    callers: 'token',
    need: { ...repository('contents', 'write', 'write'), writesContents: true },
    sometimes: ['workflows=write'],
    generatesContent: true,
    scopes: ['repo', 'public_repo'],
  },
  'source-imports:read': {
    about: 'Whoever may read the repository, by a classic token.',
    callers: 'classic',
    need: repository('contents', 'read', 'read'),
    scopes: ['repo', 'public_repo'],
  },
  'source-imports:write': {
    about: 'Whoever may push to the repository, by a classic token; workflow files need the scope `workflow` as well.',
    callers: 'classic',
    need: { ...repository('contents', 'write', 'write'), writesContents: true },
    sometimes: ['workflows=write'],
    scopes: ['repo', 'public_repo'],
  },
  'administration:read': {
    about: 'Administrators of the repository, with administration: read.',
    callers: 'token',
    need: repository('administration', 'read', 'admin'),
    scopes: ['repo'],
  },
  'administration:write': {
    about: 'Administrators of the repository, with administration: write.',
    callers: 'token',
    need: repository('administration', 'write', 'admin'),
    scopes: ['repo', 'public_repo'],
  },
  'org:read': {
    about: 'Members of the organization, with members: read.',
    callers: 'token',
    need: organization('members', 'read', 'member'),
    scopes: ['read:org'],
  },
  'members:write': {
    about: 'Administrators of the organization, with members: write.',
    callers: 'token',
    need: organization('members', 'write', 'admin'),
    scopes: ['admin:org'],
  },
  'org-administration:read': {
    about: 'Administrators of the organization, with organization_administration: read.',
    callers: 'token',
    need: organization('organization_administration', 'read', 'admin'),
    scopes: ['admin:org'],
  },
  'org-administration:write': {
    about: 'Administrators of the organization, with organization_administration: write.',
    callers: 'token',
    need: organization('organization_administration', 'write', 'admin'),
    scopes: ['admin:org'],
  },
  'api-insights:read': {
    about: 'Administrators of the organization, with organization_api_insights: read.',
    callers: 'token',
    need: organization('organization_api_insights', 'read', 'admin'),
    scopes: ['admin:org'],
  },
  'org-events:read': {
    about: 'Anybody for what is public; else members of the organization, with organization_events: read.',
    callers: 'anybody',
    need: organization('organization_events', 'read', 'member'),
    scopes: [],
  },
  'user-events:read': {
    about: 'Anybody for what is public; else the user, with events: read.',
    callers: 'anybody',
    need: ofUser('events', 'read'),
    scopes: [],
  },
  'starring:write': {
    about: 'Users, for themselves, with starring: write.',
    callers: 'token',
    need: ofUser('starring', 'write'),
    scopes: ['repo', 'public_repo'],
  },
  'watching:write': {
    about: 'Users, for themselves, with watching: write.',
    callers: 'token',
    need: ofUser('watching', 'write'),
    scopes: ['repo', 'notifications'],
  },
  'followers:write': {
    about: 'Users, for themselves, with followers: write.',
    callers: 'token',
    need: ofUser('followers', 'write'),
    scopes: ['user:follow'],
  },
  'signing-keys:write': {
    about: 'Users, for themselves, with signing_keys: write.',
    callers: 'token',
    need: ofUser('signing_keys', 'write'),
    scopes: ['admin:signing_key'],
  },
  'emails:write': {
    about: 'Users, for themselves, with emails: write.',
    callers: 'token',
    need: ofUser('emails', 'write'),
    scopes: ['user:email'],
  },
  'profile:read': { about: 'Users, about themselves.', callers: 'user', scopes: [] },
  'profile:write': {
    about: 'Users, for themselves, with profile: write.',
    callers: 'token',
    need: ofUser('profile', 'write'),
    scopes: ['user'],
  },
  user: { about: 'Users, by any token that acts for them.', callers: 'user', scopes: [] },
  'tokens:write': {
    about: 'Users by a classic token with the scope `user`: no token can make one that may more than itself.',
    callers: 'classic',
    scopes: ['user'],
  },
  installation: { about: 'An app by the token of an installation.', callers: 'installation', scopes: [] },
  app: { about: 'An app by a token that it signed.', callers: 'app', scopes: [] },
  'oauth-app': { about: 'An app by its client id and secret (Basic).', callers: 'oauth-app', scopes: [] },
  'site-admin': {
    about: 'Users who look after the installation, by a classic token with the scope `site_admin`.',
    callers: 'site-admin',
    scopes: ['site_admin'],
  },
};

const implied: Record<string, readonly string[]> = {
  repo: ['public_repo'],
  'admin:org': ['write:org', 'read:org'],
  'write:org': ['read:org'],
  user: ['read:user', 'user:email', 'user:follow'],
};

/** Every scope a classic or OAuth token can have. */
export const scopeNames: readonly string[] = [
  'repo',
  'public_repo',
  'workflow',
  'admin:org',
  'write:org',
  'read:org',
  'admin:signing_key',
  'notifications',
  'user',
  'read:user',
  'user:email',
  'user:follow',
  'site_admin',
];

/** Every permission a fine-grained token or an app can have. */
export const permissionNames: readonly string[] = [
  ...new Set([...Object.values(hostingWords).flatMap(({ need }) => need?.permission ?? []), 'workflows', 'actions']),
].sort();

/** Whether `scopes` hold one of `accepted`, by itself or within another one. */
export function hasScope(scopes: readonly string[], accepted: readonly string[]): boolean {
  return accepted.some(one => scopes.includes(one) || scopes.some(held => implied[held]?.includes(one)));
}

/** Whether a permission is held at a level. Whoever has any permission in a repository may know that it is there. */
export function hasPermission(permissions: PermissionMap, name: string, level: Level): boolean {
  if (name === 'metadata' && level === 'read') return true;
  const held = permissions[name];
  return held !== undefined && levels.indexOf(held) >= levels.indexOf(level);
}

export const notByIntegration = (): Error =>
  forbidden({ reason: 'integration' }, 'Resource not accessible by integration');
export const notByToken = (): Error =>
  forbidden({ reason: 'personal_access_token' }, 'Resource not accessible by personal access token');

/** What a word says to a caller, before any row is looked at: true, or the failure to answer with. */
export function hostingVerdict(word: HostingWord, actor: Actor): true | Error {
  const entry = hostingWords[word];
  const { callers } = entry;
  if (callers === 'anybody') return true;
  if (callers === 'app') return actor.kind === 'app' || jwtRefused();
  if (callers === 'oauth-app') return actor.kind === 'oauth-app' || unauthenticated();
  if (actor.kind === 'anonymous' || actor.kind === 'person' || actor.kind === 'oauth-app') return unauthenticated();
  if (callers === 'installation') return actor.kind === 'installation' || notByKind(actor);
  if (actor.kind === 'app') return notByIntegration();
  if (actor.kind === 'user') return userVerdict(entry, actor);
  if (callers !== 'token' || !entry.need || entry.need.on === 'user') return notByIntegration();
  return hasPermission(actor.permissions, entry.need.permission, entry.need.level) || notByIntegration();
}

function userVerdict({ callers, need, scopes }: HostingEntry, actor: Extract<Actor, { kind: 'user' }>): true | Error {
  const { credential } = actor;
  if (callers === 'user') return true;
  if (callers === 'classic' || callers === 'site-admin') {
    if (credential.kind !== 'classic') return notByKind(actor);
    if (callers === 'site-admin' && !actor.isSiteAdmin) {
      return forbidden({ reason: 'site_admin' }, 'Must be an administrator of this installation.');
    }
    return hasScope(credential.scopes, scopes) || notByToken();
  }
  switch (credential.kind) {
    case 'classic':
    case 'oauth':
      return hasScope(credential.scopes, scopes) || notByKind(actor);
    case 'fine_grained':
      return !need || hasPermission(credential.permissions, need.permission, need.level) || notByToken();
    case 'user_to_server':
      // Of repositories and organizations each installation says what it gave: the query looks there.
      return (
        need?.on !== 'user' || hasPermission(credential.permissions, need.permission, need.level) || notByIntegration()
      );
  }
}

/** The sentence that tells a caller that tokens of its kind cannot do it. */
export function notByKind(actor: Actor): Error {
  const personal = actor.kind === 'user' && ['classic', 'fine_grained'].includes(actor.credential.kind);
  return personal ? notByToken() : notByIntegration();
}

/** `contents=write; contents=write,workflows=write`: alternatives apart by semicolons, what goes together by commas. */
export function acceptedPermissions(word: HostingWord): string | undefined {
  const { need, sometimes = [] } = hostingWords[word];
  if (!need) return undefined;
  const own = `${need.permission}=${need.level}`;
  return sometimes.length === 0 ? own : `${own}; ${[own, ...sometimes].join(',')}`;
}

/** Whether a write with this word makes content that others see. */
export function generatesContent(word: HostingWord): boolean {
  return hostingWords[word].generatesContent === true;
}

export function isHostingWord(word: string): word is HostingWord {
  return Object.hasOwn(hostingWords, word);
}
