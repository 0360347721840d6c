import { type RawBuilder, sql } from 'kysely';
import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { decodeNamedId } from '../../../schema/vocabulary/global-id.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { noSelection } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import type { AccountRow } from './accounts.queries.ts';
import { loginKey } from './login.ts';

const login = (name: string, description: string) => Arg(name, () => String, { description });

/** SQL: whether the account has the login. */
const hasLogin = (account: RawBuilder<unknown>, text: string) =>
  sql`${account} = (select a.id from account a where lower(a.login) = ${loginKey(text) ?? ''})`;

interface FollowKey {
  followerId: number;
  /** Number or login of the other user. */
  followed: number | string;
}

/** DataLoader batch function: whether users follow others, in one statement. */
async function loadFollows({ read }: Context, keys: readonly FollowKey[]): Promise<boolean[]> {
  const followerIds = keys.map(({ followerId }) => followerId);
  const ids = keys.map(({ followed }) => (typeof followed === 'number' ? followed : null));
  const logins = keys.map(({ followed }) => (typeof followed === 'string' ? (loginKey(followed) ?? '') : null));
  const rows = await read(sql<{ place: number }>`select w.place::int as place
    from unnest(${followerIds}::bigint[], ${ids}::bigint[], ${logins}::text[]) with ordinality as w (follower_id, id, login, place)
    join follow f on f.follower_id = w.follower_id
      and f.followed_id = coalesce(w.id, (select a.id from account a where lower(a.login) = w.login))
    where f.follower_id = any(${followerIds}::bigint[])`);
  const found = new Set(rows.map(({ place }) => place));
  return keys.map((_, index) => found.has(index + 1));
}

@Resolver()
export class FollowingRoots {
  @RestCorner('The contract has an error for no. Use `User.isFollowing`.')
  @Access('public')
  @Query(() => Boolean, { nullable: true, description: 'True; an error when the one user does not follow the other.' })
  async userFollows(
    @login('login', 'Login of the follower.') follower: string,
    @login('target', 'Login of the followed user.') target: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const [one, other] = [sql.ref('f.follower_id'), sql.ref('f.followed_id')];
    const rows = await context.read(
      sql`select 1 from follow f where ${hasLogin(one, follower)} and ${hasLogin(other, target)}`,
    );
    if (rows.length === 0) throw notFound();
    return true;
  }
}

@Resolver(() => User)
export class UserFollowing {
  @Cost(1)
  @FieldResolver(() => Boolean, { description: 'Whether the user follows another one; false if there is none.' })
  isFollowing(
    @Root() { databaseId }: AccountRow,
    @Arg('userId', () => ID, { description: 'Global id of the other user.' }) userId: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const [name] = decodeNamedId('User', userId) ?? [];
    const followed = name ?? numberOfId('User', userId, 'userId');
    return context.load(loadFollows, noSelection).load({ followerId: databaseId, followed });
  }
}
