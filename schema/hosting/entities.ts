import { Account, FormerLogin } from './account.ts';
import { AccountEmail } from './account-email.ts';
import { App, AppKey, OauthApp } from './app.ts';
import { Follow, Star, Watch } from './attention.ts';
import { BranchProtectionRule } from './branch-protection-rule.ts';
import { BrowserSession } from './browser-session.ts';
import { Collaborator } from './collaborator.ts';
import { CredentialRepository, HostCredential, SsoAuthorization } from './credential.ts';
import { FormerBranchName } from './former-branch-name.ts';
import { Hook } from './hook.ts';
import { Installation, InstallationRepository } from './installation.ts';
import { Membership } from './membership.ts';
import { OauthGrant, OauthRefreshToken } from './oauth-grant.ts';
import { OrganizationInvitation } from './organization-invitation.ts';
import { FormerRepositoryName, Repository } from './repository.ts';
import { RepositoryInvitation } from './repository-invitation.ts';
import { RepositoryTransfer } from './repository-transfer.ts';
import { RuleSuite } from './rule-suite.ts';
import { RepositoryRuleset } from './ruleset.ts';
import { SigningKey } from './signing-key.ts';
import { SshKey } from './ssh-key.ts';
import { TokenUse } from './token-use.ts';
import { UsedDownload } from './used-download.ts';
import { WebhookDelivery } from './webhook.ts';

/** All entity classes of the code hosting product. */
export const hostingEntities = [
  Account,
  AccountEmail,
  App,
  AppKey,
  Collaborator,
  BranchProtectionRule,
  BrowserSession,
  CredentialRepository,
  Follow,
  FormerBranchName,
  FormerLogin,
  FormerRepositoryName,
  HostCredential,
  Hook,
  Installation,
  InstallationRepository,
  Membership,
  OauthApp,
  OauthGrant,
  OauthRefreshToken,
  OrganizationInvitation,
  Repository,
  RepositoryTransfer,
  RepositoryInvitation,
  RuleSuite,
  RepositoryRuleset,
  SigningKey,
  SshKey,
  SsoAuthorization,
  Star,
  TokenUse,
  UsedDownload,
  Watch,
  WebhookDelivery,
];
