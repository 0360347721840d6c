import { type RawBuilder, sql } from 'kysely';
import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { decodeNamedId } from '../../../schema/vocabulary/global-id.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { notFound } from '../../errors/errors.ts';
import type { AccountRow } from './accounts.queries.ts';
import { loginKey } from './login.ts';

const login = (name: string, description: string) => Arg(name, () => String, { description });

/** SQL: whether the account has the login. */
const hasLogin = (account: RawBuilder<unknown>, text: string) =>
  sql`${account} = (select a.id from account a where lower(a.login) = ${loginKey(text) ?? ''})`;

async function follows({ read }: Context, follower: RawBuilder<unknown>, followed: RawBuilder<unknown>) {
  return (await read(sql`select 1 from follow f where ${follower} and ${followed}`)).length > 0;
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
    if (!(await follows(context, hasLogin(one, follower), hasLogin(other, target)))) throw notFound();
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
    const followed = sql.ref('f.followed_id');
    const isOther =
      name === undefined ? sql`${followed} = ${numberOfId('User', userId, 'userId')}` : hasLogin(followed, name);
    return follows(context, sql`f.follower_id = ${databaseId}`, isOther);
  }
}
