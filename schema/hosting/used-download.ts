import { Entity } from '@mikro-orm/decorators/legacy';
import { Moment, PrimaryUuid } from '../vocabulary/columns.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index } from '../vocabulary/table-constraints.ts';

/** Download URL that was used. The row is kept until the URL's expiry. */
@Entity({ tableName: 'used_download' })
@Index<UsedDownload>('used_download_by_expiry', ['expiresAt'])
@Retained<UsedDownload>({ rows: 'until the link expires', job: 'download-housekeeping' })
export class UsedDownload {
  @PrimaryUuid()
  id!: string;

  @Moment({ hidden: true })
  expiresAt!: string;
}
