import { Entity } from '@mikro-orm/decorators/legacy';
import { Moment, Owner } from '../vocabulary/columns.ts';
import { Retained } from '../vocabulary/retention.ts';
import { HostCredential } from './credential.ts';

/** Last use of a token. A table of its own: a change of `host_credential` empties the caches of credentials on all gateways. */
@Entity({ tableName: 'token_use' })
@Retained<TokenUse>({ rows: 'as long as the token: one row for each' })
export class TokenUse {
  @Owner(() => HostCredential, { onDelete: 'cascade', key: true })
  credentialId!: number;

  @Moment({ hidden: true })
  usedAt!: string;
}
