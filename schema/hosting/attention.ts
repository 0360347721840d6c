import { Entity } from '@mikro-orm/decorators/legacy';
import { Moment, Owner } from '../vocabulary/columns.ts';
import { Account } from './account.ts';
import { Repository } from './repository.ts';

/** That a user marked a repository to find it again. */
@Entity({ tableName: 'star' })
export class Star {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  account!: Account;

  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repository!: Repository;

  @Moment({ hidden: true })
  starredAt!: Date;
}

/** That a user wants to hear what happens in a repository. */
@Entity({ tableName: 'watch' })
export class Watch {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  account!: Account;

  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repository!: Repository;

  @Moment({ hidden: true })
  watchedAt!: Date;
}

/** That a user wants to hear what another one does. */
@Entity({ tableName: 'follow' })
export class Follow {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  follower!: Account;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  followed!: Account;

  @Moment({ hidden: true })
  followedAt!: Date;
}
