import { Entity } from '@mikro-orm/decorators/legacy';
import { Moment, PrimaryUuid } from '../vocabulary/columns.ts';

/** A download address that has been used. Kept until it would have expired by itself. */
@Entity({ tableName: 'used_download' })
export class UsedDownload {
  @PrimaryUuid()
  id!: string;

  @Moment({ hidden: true })
  expiresAt!: Date;
}
