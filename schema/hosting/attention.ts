import { Entity } from '@mikro-orm/decorators/legacy';
import { Moment, Owner } from '../vocabulary/columns.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { Repository } from './repository.ts';

/** Star of a repository by a user. */
@Entity({ tableName: 'star' })
@Index<Star>('star_by_time', ['accountId', 'starredAt', 'repositoryId'])
@Index<Star>('star_of_repository_by_time', ['repositoryId', 'starredAt', 'accountId'])
@Index<Star>('star_by_repository', ['repositoryId', 'accountId'])
@Retained<Star>({ rows: 'as long as the account and the repository' })
export class Star {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  accountId!: number;

  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repositoryId!: number;

  @Moment({ hidden: true })
  starredAt!: string;
}

/** Subscription of a user to the events of a repository. */
@Entity({ tableName: 'watch' })
@Index<Watch>('watch_of_repository_by_time', ['repositoryId', 'watchedAt', 'accountId'])
@Index<Watch>('watch_by_repository', ['repositoryId', 'accountId'])
@Retained<Watch>({ rows: 'as long as the account and the repository' })
export class Watch {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  accountId!: number;

  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repositoryId!: number;

  @Moment({ hidden: true })
  watchedAt!: string;
}

/** Subscription of a user to the events of another user. */
@Entity({ tableName: 'follow' })
@Index<Follow>('follow_by_time', ['followerId', 'followedAt desc', 'followedId'])
@Index<Follow>('follow_of_followed_by_time', ['followedId', 'followedAt desc', 'followerId'])
@Index<Follow>('follow_by_followed', ['followedId', 'followerId'])
@Retained<Follow>({ rows: 'as long as both accounts' })
export class Follow {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  followerId!: number;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  followedId!: number;

  @Moment({ hidden: true })
  followedAt!: string;
}
