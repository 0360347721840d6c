import { Entity } from '@mikro-orm/decorators/legacy';
import { Bytes, Moment, Owner, PrimaryUuid, Text } from '../vocabulary/columns.ts';
import { User } from './user.ts';

/** A picture, as it is sent. Its identifier is random: who knows the address may see it, as pages need. */
@Entity({ tableName: 'media' })
export class Media {
  @PrimaryUuid()
  id!: string;

  @Owner(() => User, { onDelete: 'cascade' })
  user!: User;

  @Text({ hidden: true })
  mediaType!: string;

  @Bytes({ hidden: true })
  content!: Uint8Array;

  @Moment({ hidden: true })
  createdAt!: Date;
}
