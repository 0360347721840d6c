import { GraphQLError } from 'graphql';
import type { HostingScope } from '../../schema/vocabulary/access.ts';
import { forbidden, notFound, unauthenticated, wrongProduct } from '../errors/errors.ts';
import type { Actor } from './actor.ts';
import { undecodableJwt } from './credentials/app-jwt.ts';
import { type HostingScopeRule, hostingScopes } from './hosting-scopes.ts';
import { hasPermission, hasTokenScope } from './token-scopes.ts';

export const notAccessibleByIntegration = (): Error =>
  forbidden({ reason: 'integration' }, 'Resource not accessible by integration');
export const notAccessibleByToken = (): Error =>
  forbidden({ reason: 'personal_access_token' }, 'Resource not accessible by personal access token');

/** The error of a service credential for all that is not counts of the installation. */
export const countsAlone = (): GraphQLError =>
  forbidden({ reason: 'service_credential' }, 'A service credential reads counts of the installation, at /graphql.');

/** Checks a caller against an access scope without reading any row: true, or the error to answer with. */
export function checkHostingScope(scope: HostingScope, actor: Actor): true | Error {
  const verdict = checkCaller(scope, actor);
  if (verdict === true || !hostingScopes[scope].isHidden || actor.kind === 'service') return verdict;
  return verdict instanceof GraphQLError && verdict.extensions.code === 'FORBIDDEN' ? notFound() : verdict;
}

function checkCaller(scope: HostingScope, actor: Actor): true | Error {
  const entry = hostingScopes[scope];
  const { callers } = entry;
  if (actor.kind === 'service') return callers === 'service' || countsAlone();
  if (callers === 'anybody') return true;
  if (actor.kind === 'person') return wrongProduct('hosting');
  if (callers === 'app') return actor.kind === 'app' || undecodableJwt();
  if (callers === 'oauth-app') return actor.kind === 'oauth-app' || unauthenticated();
  if (actor.kind === 'anonymous' || actor.kind === 'oauth-app') return unauthenticated();
  if (callers === 'service') return notAccessibleTo(actor);
  if (callers === 'installation') return actor.kind === 'installation' || notAccessibleTo(actor);
  if (actor.kind === 'app') return notAccessibleByIntegration();
  if (actor.kind === 'user') return checkUser(entry, actor);
  if (callers !== 'token' || !entry.requirement || entry.requirement.target === 'user')
    return notAccessibleByIntegration();
  return (
    hasPermission(actor.permissions, entry.requirement.permission, entry.requirement.level) ||
    notAccessibleByIntegration()
  );
}

function checkUser(
  { callers, requirement, tokenScopes }: HostingScopeRule,
  actor: Extract<Actor, { kind: 'user' }>,
): true | Error {
  const { credential } = actor;
  if (callers === 'user') return true;
  if (callers === 'classic' || callers === 'site-admin') {
    if (credential.kind !== 'classic') return notAccessibleTo(actor);
    if (callers === 'site-admin' && !actor.isSiteAdmin) {
      return forbidden({ reason: 'site_admin' }, 'Must be an administrator of this installation.');
    }
    return hasTokenScope(credential.scopes, tokenScopes) || notAccessibleByToken();
  }
  switch (credential.kind) {
    case 'classic':
    case 'oauth':
      return hasTokenScope(credential.scopes, tokenScopes) || notAccessibleTo(actor);
    case 'fine_grained':
      return (
        !requirement ||
        hasPermission(credential.permissions, requirement.permission, requirement.level) ||
        notAccessibleByToken()
      );
    case 'user_to_server':
      // For repositories and organizations the query checks the permissions of each installation.
      return (
        requirement?.target !== 'user' ||
        hasPermission(credential.permissions, requirement.permission, requirement.level) ||
        notAccessibleByIntegration()
      );
  }
}

/** The FORBIDDEN error with the message for the caller's kind of token. */
export function notAccessibleTo(actor: Actor): Error {
  const personal = actor.kind === 'user' && ['classic', 'fine_grained'].includes(actor.credential.kind);
  return personal ? notAccessibleByToken() : notAccessibleByIntegration();
}
