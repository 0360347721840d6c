import type { Task } from '../jobs/run-task.ts';
import { AccountFields, HostingAccountRoots } from './accounts/accounts.graph.ts';
import { AppFields, InstallationFields, InstallationTokenFields } from './apps/app-fields.graph.ts';
import { AppRoots } from './apps/apps.graph.ts';
import { ClientAuthorizationFields, ClientTokenRoots, NarrowedInstallationFields } from './apps/client-tokens.graph.ts';
import { GitCommitFields, GitCommitRoots } from './commits/git-commits.graph.ts';
import { ContentRoots } from './contents/contents.graph.ts';
import { contentTasks } from './contents/contents.tasks.ts';
import { CredentialRoots } from './credentials/credentials.graph.ts';
import { credentialTasks } from './credentials/credentials.tasks.ts';
import { GitDataRoots } from './git-data/git-data.graph.ts';
import { MetaRoots } from './meta/meta.graph.ts';
import { MembershipFields, OrganizationRoots } from './organizations/organizations.graph.ts';
import { RepositoryRoots } from './repositories/repositories.graph.ts';
import { CollaboratorFields, RepositoryFields } from './repositories/repository-fields.graph.ts';
import { AccountSigningKeys, SigningKeyRoots } from './signing-keys/signing-keys.graph.ts';

/** The door of the code hosting product: what the server takes from it. */
export const hostingResolvers = [
  MetaRoots,
  HostingAccountRoots,
  AccountFields,
  AccountSigningKeys,
  OrganizationRoots,
  MembershipFields,
  RepositoryRoots,
  RepositoryFields,
  CollaboratorFields,
  ContentRoots,
  CredentialRoots,
  SigningKeyRoots,
  AppRoots,
  AppFields,
  InstallationFields,
  InstallationTokenFields,
  ClientTokenRoots,
  ClientAuthorizationFields,
  NarrowedInstallationFields,
  GitCommitRoots,
  GitCommitFields,
  GitDataRoots,
] as const;

/** What it has done outside of requests. */
export function hostingTasks(tools: Parameters<typeof credentialTasks>[0]): Task<never>[] {
  return [...credentialTasks(tools), ...contentTasks(tools)];
}
