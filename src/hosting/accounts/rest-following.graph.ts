import { sql } from 'kysely';
import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../../schema/vocabulary/access.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from './caller.ts';
import { loginKey } from './login.ts';

const login = (name: string, description: string) => Arg(name, () => String, { description });

/** True. @throws 404 when the one does not follow the other */
async function requireFollow({ read }: Context, follower: string | number, followed: string): Promise<boolean> {
  const who =
    typeof follower === 'number' ? sql`f.follower_id = ${follower}` : sql`lower(a.login) = ${loginKey(follower) ?? ''}`;
  const found = await read(sql`select 1 from follow f join account a on a.id = f.follower_id
    join account b on b.id = f.followed_id where ${who} and lower(b.login) = ${loginKey(followed) ?? ''}`);
  if (found.length === 0) throw notFound();
  return true;
}

/** Follows by logins, for the REST contract. */
@Resolver()
export class RestFollowingRoots {
  @RestCorner('The contract has an error for no. Use `User.viewerIsFollowing`.')
  @Access('user')
  @Query(() => Boolean, { nullable: true, description: 'True; an error when you do not follow the user.' })
  viewerFollows(@login('login', 'Login of the user.') text: string, @Ctx() context: Context): Promise<boolean> {
    return requireFollow(context, callingUser(context.actor).accountId, text);
  }

  @RestCorner('The contract has an error for no. Use `User.following`.')
  @Access('public')
  @Query(() => Boolean, { nullable: true, description: 'True; an error when the one user does not follow the other.' })
  userFollows(
    @login('login', 'Login of the follower.') follower: string,
    @login('target', 'Login of the followed user.') target: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return requireFollow(context, follower, target);
  }
}
