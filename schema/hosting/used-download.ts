import { Entity } from '@mikro-orm/decorators/legacy';
import { Moment, PrimaryUuid } from '../vocabulary/columns.ts';
import { Index } from '../vocabulary/table-constraints.ts';

/** A download address that has been used. Kept until it would have expired by itself. */
@Entity({ tableName: 'used_download' })
@Index<UsedDownload>('used_download_by_expiry', ['expiresAt'])
export class UsedDownload {
  @PrimaryUuid()
  id!: string;

  @Moment({ hidden: true })
  expiresAt!: string;
}
