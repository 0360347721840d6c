import { Entity } from '@mikro-orm/decorators/legacy';
import { Owner, PrimaryText, Text } from '../vocabulary/columns.ts';
import { Repository } from './repository.ts';

/** Former name of a branch. It leads to the branch until another one has the name. Names are short. */
@Entity({ tableName: 'former_branch_name' })
export class FormerBranchName {
  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repositoryId!: number;

  @PrimaryText()
  name!: string;

  @Text({ hidden: true })
  newName!: string;
}
