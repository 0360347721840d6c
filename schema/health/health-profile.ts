import { Entity } from '@mikro-orm/decorators/legacy';
import { Owner, TextList } from '../vocabulary/columns.ts';
import { User } from './user.ts';

/** What people are matched by. A row for those who asked to be found, and for nobody else. */
@Entity({ tableName: 'health_profile' })
export class HealthProfile {
  @Owner(() => User, { onDelete: 'cascade', key: true })
  user!: User;

  @TextList({ hidden: true })
  terms!: string[];

  /** Those of the terms that are counted and never named. */
  @TextList({ hidden: true })
  quiet!: string[];
}
