import { Entity } from '@mikro-orm/decorators/legacy';
import { Bytes, Moment, Owner, PrimaryUuid, Text } from '../vocabulary/columns.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

/** Picture as it is served. Its random identifier is the only access control, because pages embed its URL. */
@Entity({ tableName: 'media' })
@Index<Media>('media_by_user', ['userId'])
@Personal({
  what: 'Profile picture',
  purpose: 'show it beside your name',
  kept: 'until it is replaced',
  seenBy: 'whoever sees your name',
  inExport: 'The profile has its address.',
})
export class Media {
  @PrimaryUuid()
  id!: string;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Text({ hidden: true })
  mediaType!: string;

  @Bytes({ hidden: true })
  content!: Buffer;

  @Moment({ hidden: true })
  createdAt!: string;
}
