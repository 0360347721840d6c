import { Entity } from '@mikro-orm/decorators/legacy';
import { Moment, Owner, PrimaryText, Text } from '../vocabulary/columns.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Repository } from './repository.ts';

/** Former name of a branch. It leads to the branch until another one has the name. Names are short. */
@Entity({ tableName: 'former_branch_name' })
@Retained<FormerBranchName>({ days: 1095, since: 'leftAt' })
export class FormerBranchName {
  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repositoryId!: number;

  @PrimaryText()
  name!: string;

  @Text({ hidden: true })
  newName!: string;

  /** Null where a gateway of an earlier version has written the row. */
  @Moment({ hidden: true, null: true })
  leftAt!: string | null;
}
