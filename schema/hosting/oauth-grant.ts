import { Entity } from '@mikro-orm/decorators/legacy';
import { Bool, Bytes, Choice, Integer, Key, Moment, Owner, Text, TextList } from '../vocabulary/columns.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { App, OauthApp } from './app.ts';
import { HostCredential } from './credential.ts';

export const OauthFlow = { CODE: 'code', DEVICE: 'device' } as const;
export type OauthFlow = (typeof OauthFlow)[keyof typeof OauthFlow];

/**
 * Authorization of an app by a user: first a code, then the tokens that it was exchanged for. Without an app it is the sign-in of a
 * browser by a code.
 */
@Entity({ tableName: 'oauth_grant' })
@Check<OauthGrant>('oauth_grant_client_check', c => `num_nonnulls(${c.appId}, ${c.oauthAppId}) <= 1`)
@Index<OauthGrant>('oauth_grant_by_account', ['accountId'], { where: c => `${c.accountId} is not null` })
@Index<OauthGrant>('oauth_grant_by_app', ['appId'], { where: c => `${c.appId} is not null` })
@Index<OauthGrant>('oauth_grant_by_credential', ['credentialId'], { where: c => `${c.credentialId} is not null` })
@Index<OauthGrant>('oauth_grant_by_oauth_app', ['oauthAppId'], { where: c => `${c.oauthAppId} is not null` })
@Index<OauthGrant>('oauth_grant_by_parent', ['parentId'], { where: c => `${c.parentId} is not null` })
@Index<OauthGrant>('oauth_grant_code', ['codeHash'], { unique: true })
@Index<OauthGrant>('oauth_grant_expired', ['expiresAt'])
@Index<OauthGrant>('oauth_grant_user_code', ['userCode'], { unique: true, where: c => `${c.userCode} is not null` })
@Retained<OauthGrant>({
  rows: 'as long as the token; undecided ones 1 day after their end',
  job: 'credential-housekeeping',
})
export class OauthGrant {
  @Key()
  id!: number;

  @Owner(() => App, { onDelete: 'cascade', null: true })
  appId!: number | null;

  @Owner(() => OauthApp, { onDelete: 'cascade', null: true })
  oauthAppId!: number | null;

  /** Null until a user decides about a device. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  accountId!: number | null;

  /** Credential that the user signed in with. The tokens end with it. */
  @Owner(() => HostCredential, { onDelete: 'cascade', null: true })
  parentId!: number | null;

  @Text({ hidden: true, null: true })
  parentLastEight!: string | null;

  @TextList({ hidden: true })
  scopes!: string[];

  @Choice(() => OauthFlow, { hidden: true })
  flow!: OauthFlow;

  /** SHA-256 of the code of the app or the device. */
  @Bytes({ hidden: true })
  codeHash!: Buffer;

  /** What the user of a device types. */
  @Text({ hidden: true, null: true })
  userCode!: string | null;

  @Text({ hidden: true, null: true })
  redirectUri!: string | null;

  /** SHA-256 of the verifier (RFC 7636). */
  @Text({ hidden: true, null: true })
  codeChallenge!: string | null;

  @Integer({ hidden: true, default: 5 })
  intervalSeconds!: number;

  @Moment({ hidden: true, null: true })
  polledAt!: string | null;

  @Moment({ hidden: true })
  createdAt!: string;

  /** Of the code. */
  @Moment({ hidden: true })
  expiresAt!: string;

  @Moment({ hidden: true, null: true })
  decidedAt!: string | null;

  @Bool({ hidden: true, default: false })
  isDenied!: boolean;

  @Moment({ hidden: true, null: true })
  usedAt!: string | null;

  /** The newest token; those before it are revoked. */
  @Owner(() => HostCredential, { onDelete: 'set null', null: true })
  credentialId!: number | null;
}

/** Refresh token of a grant; used ones are kept, so that a second use is noticed. */
@Entity({ tableName: 'oauth_refresh_token' })
@Index<OauthRefreshToken>('oauth_refresh_token_by_grant', ['grantId'])
@Index<OauthRefreshToken>('oauth_refresh_token_hash', ['hash'], { unique: true })
@Retained<OauthRefreshToken>({ rows: 'as long as the grant' })
export class OauthRefreshToken {
  @Key()
  id!: number;

  @Owner(() => OauthGrant, { onDelete: 'cascade' })
  grantId!: number;

  @Bytes({ hidden: true })
  hash!: Buffer;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({ hidden: true })
  expiresAt!: string;

  @Moment({ hidden: true, null: true })
  usedAt!: string | null;
}
