import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Int, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import {
  Commit,
  CommitConnection,
  CommitHistoryConnection,
  GitActor,
  Tree,
  TreeEntry,
} from '../../../schema/hosting/git-object.ts';
import { GitSignature } from '../../../schema/hosting/git-signature.ts';
import { CommitAuthor } from '../../../schema/hosting/ref.ts';
import { ConnectionArgs, LongPageArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { GitTimestamp } from '../../../schema/vocabulary/git-scalars.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import type { Person } from '../../git/person.ts';
import { pathParts } from '../../git/tree-path.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { avatarUrl } from '../accounts/avatar-size.ts';
import { findTreeEntry, type TreeEntryRow, type TreeRow } from '../git-data/find-tree-entry.ts';
import { commitOf, type GitObjectRow, gitObjectRow } from '../git-data/git-objects.queries.ts';
import { historyOf } from './commit-history.ts';
import { verificationOf } from './commit-verification.ts';
import { loadUserIdsByEmail } from './git-actors.queries.ts';
import { commitMessage, takeCommitText, zonedTime } from './git-commit.ts';

@ArgsType()
class HistoryArgs extends ConnectionArgs {
  @optionalField(() => String, 'Path of a file or directory: only commits that changed it.') path?: string | null;
  @optionalField(() => CommitAuthor, 'Only commits of this author.') author?: CommitAuthor | null;
  @optionalField(() => GitTimestamp, 'Only commits from this committer date on.') since?: string | null;
  @Field(() => GitTimestamp, { nullable: true, description: 'Only commits up to this committer date.' })
  until?: string | null;
}

/** An author, committer or tagger of the graph. */
export interface GitActorRow extends Pick<Person, 'name' | 'email'> {
  date: string;
}

export const toGitActor = (person: Person): GitActorRow => ({
  name: person.name,
  email: person.email,
  date: zonedTime(person),
});

function actorOf(context: Context, person: Person): GitActorRow {
  takeCommitText(context, person.name.length + person.email.length);
  return toGitActor(person);
}

async function messageOf(context: Context, row: GitObjectRow): Promise<{ message: string; headline: string }> {
  const message = commitMessage(await commitOf(context, row));
  const end = message.indexOf('\n');
  return { message, headline: end < 0 ? message : message.slice(0, end) };
}

const pageOf = ({ place, oid }: GitObjectRow, word = 'commit'): string =>
  `/${place.ownerLogin}/${place.name}/${word}/${oid}`;

@Resolver(() => Commit)
export class CommitFields {
  @FieldResolver(() => String)
  async message(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<string> {
    const { message } = await messageOf(context, row);
    takeCommitText(context, message.length);
    return message;
  }

  @FieldResolver(() => String)
  async messageHeadline(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<string> {
    const { headline } = await messageOf(context, row);
    takeCommitText(context, headline.length);
    return headline;
  }

  @FieldResolver(() => String)
  async messageBody(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<string> {
    const { message, headline } = await messageOf(context, row);
    takeCommitText(context, message.length);
    return message.slice(headline.length).replace(/^\n{1,2}/, '');
  }

  @FieldResolver(() => GitActor)
  async author(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<GitActorRow> {
    return actorOf(context, (await commitOf(context, row)).author);
  }

  @FieldResolver(() => GitActor)
  async committer(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<GitActorRow> {
    return actorOf(context, (await commitOf(context, row)).committer);
  }

  @FieldResolver()
  async authoredDate(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<string> {
    return zonedTime((await commitOf(context, row)).author);
  }

  @FieldResolver()
  async committedDate(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<string> {
    return zonedTime((await commitOf(context, row)).committer);
  }

  @FieldResolver(() => Boolean)
  async authoredByCommitter(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<boolean> {
    const { author, committer } = await commitOf(context, row);
    return author.name === committer.name && author.email === committer.email;
  }

  @FieldResolver(() => Tree, { description: 'Root tree of the commit.' })
  async tree(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<TreeRow> {
    return { ...gitObjectRow('tree', row.place, (await commitOf(context, row)).tree), path: '' };
  }

  /** In the commit itself. */
  @Cost(0)
  @FieldResolver(() => CommitConnection, { description: 'Parents: none of a root commit, several of a merge.' })
  parents(
    @Root() row: GitObjectRow,
    @Args(() => LongPageArgs) args: LongPageArgs,
    @Ctx() context: Context,
  ): Connection<GitObjectRow> {
    const parents = async () => (await commitOf(context, row)).parents;
    const source = {
      async rows({ limit, offset }: { limit: number; offset: number }): Promise<GitObjectRow[]> {
        const oids = (await parents()).slice(offset, offset + limit);
        return oids.map(oid => gitObjectRow('commit', row.place, oid));
      },
      total: async () => (await parents()).length,
    };
    return new Connection(CommitConnection, source, args);
  }

  @Cost(5, { path: 100, author: 100, since: 20, until: 20 })
  @FieldResolver(() => CommitHistoryConnection, {
    nullable: true,
    description: 'Commits reachable from this one, newest first, itself included.',
  })
  history(
    @Root() row: GitObjectRow,
    @Args(() => HistoryArgs) args: HistoryArgs,
    @Ctx() context: Context,
  ): Connection<GitObjectRow> {
    return new Connection(CommitHistoryConnection, historyOf(context, row, args), args);
  }

  @FieldResolver(() => TreeEntry, { nullable: true, description: 'Tree entry at a path; null when there is none.' })
  async file(
    @Root() row: GitObjectRow,
    @Arg('path', () => String, { description: 'Path from the root.' }) path: string,
    @Ctx() context: Context,
  ): Promise<TreeEntryRow | null> {
    const root = gitObjectRow('tree', row.place, (await commitOf(context, row)).tree);
    return findTreeEntry(context, root, pathParts(path));
  }

  @Cost(1)
  @FieldResolver(() => GitSignature, { nullable: true, description: 'Signature with its verification; null for none.' })
  async signature(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<object | null> {
    const { reason, signature, payload, verifiedAt } = await verificationOf(context, row);
    if (signature === null) return null;
    takeCommitText(context, signature.length + (payload?.length ?? 0));
    return {
      __typename: signatureType(signature),
      email: (await commitOf(context, row)).committer.email,
      isValid: reason === 'valid',
      state: reason,
      payload: payload ?? '',
      signature,
      verifiedAt,
    };
  }

  @FieldResolver(() => Uri, { description: 'Path of the page.' })
  resourcePath(@Root() row: GitObjectRow): string {
    return pageOf(row);
  }

  @FieldResolver(() => Uri, { description: 'URL of the page.' })
  url(@Root() row: GitObjectRow, @Ctx() { origin }: Context): string {
    return `${origin}${pageOf(row)}`;
  }

  @FieldResolver(() => Uri)
  treeResourcePath(@Root() row: GitObjectRow): string {
    return pageOf(row, 'tree');
  }

  @FieldResolver(() => Uri)
  treeUrl(@Root() row: GitObjectRow, @Ctx() { origin }: Context): string {
    return `${origin}${pageOf(row, 'tree')}`;
  }

  @FieldResolver(() => Uri)
  tarballUrl(@Root() { place, oid }: GitObjectRow, @Ctx() { apiBaseUrl }: Context): string {
    return `${apiBaseUrl}/repos/${place.ownerLogin}/${place.name}/tarball/${oid}`;
  }

  @FieldResolver(() => Uri)
  zipballUrl(@Root() { place, oid }: GitObjectRow, @Ctx() { apiBaseUrl }: Context): string {
    return `${apiBaseUrl}/repos/${place.ownerLogin}/${place.name}/zipball/${oid}`;
  }
}

function signatureType(armor: string): 'GpgSignature' | 'SshSignature' | 'UnknownSignature' {
  if (armor.startsWith('-----BEGIN PGP SIGNATURE-----')) return 'GpgSignature';
  return armor.startsWith('-----BEGIN SSH SIGNATURE-----') ? 'SshSignature' : 'UnknownSignature';
}

@Resolver(() => GitActor)
export class GitActorFields {
  @FieldResolver(() => User, {
    nullable: true,
    description: 'User whose published or noreply address this is; null for none.',
  })
  async user(
    @Root() { email }: GitActorRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    const id = await context.load(loadUserIdsByEmail, noSelection).load(email);
    return id === null ? null : context.load(accountsByIds, selectionOf(info)).load(id);
  }

  @FieldResolver(() => Uri, { nullable: true, description: 'URL of the avatar of the user; null when there is none.' })
  async avatarUrl(
    @Root() { email }: GitActorRow,
    @Arg('size', () => Int, { nullable: true, description: 'Edge of the image in pixels.' })
    size: number | null | undefined,
    @Ctx() context: Context,
  ): Promise<string | null> {
    const id = await context.load(loadUserIdsByEmail, noSelection).load(email);
    return id === null ? null : avatarUrl(context, id, size);
  }
}
