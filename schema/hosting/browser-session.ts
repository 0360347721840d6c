import { Entity } from '@mikro-orm/decorators/legacy';
import { Moment, Owner, PrimaryUuid } from '../vocabulary/columns.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { HostCredential } from './credential.ts';

/** A browser that is signed in by a credential, from its sign-in to its sign-out. Its cookie names it. */
@Entity({ tableName: 'browser_session' })
@Index<BrowserSession>('browser_session_by_credential', ['credentialId'])
@Index<BrowserSession>('browser_session_expired', ['expiresAt'])
@Retained<BrowserSession>({ rows: '1 day after their end', job: 'credential-housekeeping' })
export class BrowserSession {
  @PrimaryUuid()
  id!: string;

  @Owner(() => HostCredential, { onDelete: 'cascade' })
  credentialId!: number;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({ hidden: true })
  expiresAt!: string;

  /** By signing out, or by a suspension of the account. */
  @Moment({ hidden: true, null: true })
  endedAt!: string | null;
}
