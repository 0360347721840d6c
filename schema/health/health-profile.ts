import { Entity } from '@mikro-orm/decorators/legacy';
import { Owner, TextList } from '../vocabulary/columns.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { User } from './user.ts';

/** What people are matched by. A row for those who asked to be found, and for nobody else. */
@Entity({ tableName: 'health_profile' })
@Index<HealthProfile>('health_profile_terms', ['terms'], { using: 'gin', with: 'fastupdate = off' })
export class HealthProfile {
  @Owner(() => User, { onDelete: 'cascade', key: true })
  userId!: number;

  @TextList({ hidden: true })
  terms!: string[];

  /** Those of the terms that are counted and never named. */
  @TextList({ hidden: true })
  quiet!: string[];
}
