import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, FieldResolver, ID, Info, Int, Resolver, Root } from 'type-graphql';
import {
  Blob,
  GitActor,
  GitObject,
  GitObjectKind,
  type GitObjectKindName,
  Tag,
  Tree,
  TreeEntry,
} from '../../../schema/hosting/git-object.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { badInput } from '../../errors/errors.ts';
import { isBinary } from '../../git/binary-content.ts';
import { entryKind } from '../../git/tree.ts';
import { type GitActorRow, toGitActor } from '../commits/commits.graph.ts';
import { trimTrailingNewlines } from '../commits/git-commit.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import { pathBelow, type TreeEntryRow, type TreeRow } from './find-tree-entry.ts';
import {
  base64Of,
  contentOf,
  findGitObject,
  type GitObjectRow,
  gitObjectRow,
  gitPathOf,
  kindOf,
  loadHeads,
  maxTextBytes,
  tagOf,
  treeOf,
} from './git-objects.queries.ts';

/** Entries of trees in one answer, about as many objects as a document may ask for. A part of a tree would pass for all of it. */
const maxEntries = 10_000;

/** Entries that the request has listed. */
const listed = new WeakMap<Context, number>();

/** @throws GraphQLError BAD_USER_INPUT, status 400, if the answer would hold more than `maxEntries` */
function takeEntries(context: Context, count: number): void {
  const sum = (listed.get(context) ?? 0) + count;
  if (sum > maxEntries) throw badInput(`The trees of the answer have more than ${maxEntries} entries.`, 'entries');
  listed.set(context, sum);
}

const commitPath = ({ place, oid }: GitObjectRow): string => `/${place.ownerLogin}/${place.name}/commit/${oid}`;

@Resolver(() => GitObject)
export class GitObjectFields {
  @FieldResolver(() => ID)
  id(@Root() { __typename, place, oid }: GitObjectRow): string {
    return encodeGlobalId(__typename, `${place.databaseId}:${oid}`);
  }

  @FieldResolver(() => String)
  abbreviatedOid(@Root() { oid }: GitObjectRow): string {
    return oid.slice(0, 7);
  }

  @FieldResolver(() => Uri)
  commitResourcePath(@Root() row: GitObjectRow): string {
    return commitPath(row);
  }

  @FieldResolver(() => Uri)
  commitUrl(@Root() row: GitObjectRow, @Ctx() { origin }: Context): string {
    return `${origin}${commitPath(row)}`;
  }

  @FieldResolver(() => GitObjectKind)
  kind(@Root() { __typename }: GitObjectRow): GitObjectKindName {
    return kindOf(__typename);
  }

  @FieldResolver(() => Uri)
  gitPath(@Root() { __typename, place, oid }: GitObjectRow): string {
    return gitPathOf(place, kindOf(__typename), oid);
  }

  @FieldResolver(() => Repository, { description: 'Repository of the object.' })
  repository(
    @Root() { place }: GitObjectRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return context.load(repositoriesByIds, selectionOf(info)).load(place.databaseId);
  }
}

@Resolver(() => Tree)
export class TreeFields {
  @FieldResolver(() => [TreeEntry], {
    nullable: true,
    description: `Entries in git order. More than ${maxEntries.toLocaleString('en')} in one answer are an error.`,
  })
  async entries(@Root() row: TreeRow, @Ctx() context: Context): Promise<TreeEntryRow[] | null> {
    const tree = await treeOf(context, row);
    if (!tree) return null;
    takeEntries(context, tree.entries.length);
    return tree.entries.map(entry => ({
      place: row.place,
      entry,
      path: row.path === undefined ? undefined : pathBelow(row.path, entry.name.toString('latin1')),
    }));
  }
}

const entryTypes = { file: 'blob', symlink: 'blob', directory: 'tree', submodule: 'commit' } as const;

/** The bytes of a path. */
const pathBytes = ({ path }: TreeEntryRow): Buffer | undefined =>
  path === undefined ? undefined : Buffer.from(path, 'latin1');

@Resolver(() => TreeEntry)
export class TreeEntryFields {
  @FieldResolver(() => String)
  name(@Root() { entry }: TreeEntryRow): string {
    return entry.name.toString();
  }

  @FieldResolver()
  nameRaw(@Root() { entry }: TreeEntryRow): string {
    return entry.name.toString('base64');
  }

  @FieldResolver(() => String)
  path(@Root() row: TreeEntryRow): string | null {
    return pathBytes(row)?.toString() ?? null;
  }

  @FieldResolver()
  pathRaw(@Root() row: TreeEntryRow): string | null {
    return pathBytes(row)?.toString('base64') ?? null;
  }

  @FieldResolver(() => Int)
  mode(@Root() { entry }: TreeEntryRow): number {
    return Number.parseInt(entry.mode, 8);
  }

  @FieldResolver(() => String)
  type(@Root() { entry }: TreeEntryRow): string {
    return entryTypes[entryKind(entry.mode)];
  }

  @FieldResolver()
  oid(@Root() { entry }: TreeEntryRow): string {
    return entry.oid;
  }

  @FieldResolver(() => String)
  extension(@Root() { entry }: TreeEntryRow): string {
    return /.(\.[^.]+)$/.exec(entry.name.toString())?.[1] ?? '';
  }

  @FieldResolver(() => GitObject, { nullable: true, description: 'Git object of the entry; null for a submodule.' })
  async object(@Root() { place, entry, path }: TreeEntryRow, @Ctx() context: Context): Promise<GitObjectRow | null> {
    if (entryKind(entry.mode) === 'submodule') return null;
    const found = await findGitObject(context, place, entry.oid);
    return found && path !== undefined ? ({ ...found, path } as TreeRow) : found;
  }

  @FieldResolver(() => Int, { description: 'Size of the blob in bytes; 0 for a directory or submodule.' })
  async size(@Root() { place, entry }: TreeEntryRow, @Ctx() context: Context): Promise<number> {
    if (entryTypes[entryKind(entry.mode)] !== 'blob') return 0;
    return (await context.load(loadHeads, noSelection).load({ place, oid: entry.oid }))?.size ?? 0;
  }

  @FieldResolver(() => Repository, { description: 'Repository of the tree.' })
  repository(
    @Root() { place }: TreeEntryRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return context.load(repositoriesByIds, selectionOf(info)).load(place.databaseId);
  }
}

/** The content of a blob; null above `maxTextBytes`. */
async function bytesOf(context: Context, row: GitObjectRow): Promise<Buffer | null> {
  return (await contentOf(context, row))?.content?.content ?? null;
}

@Resolver(() => Blob)
export class BlobFields {
  @FieldResolver(() => Int)
  async byteSize(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<number> {
    return (await context.load(loadHeads, noSelection).load(row))?.size ?? 0;
  }

  @FieldResolver(() => Boolean)
  async isTruncated(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<boolean> {
    return ((await context.load(loadHeads, noSelection).load(row))?.size ?? 0) > maxTextBytes;
  }

  @FieldResolver(() => Boolean)
  async isBinary(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<boolean | null> {
    const bytes = await bytesOf(context, row);
    return bytes && isBinary(bytes);
  }

  @FieldResolver(() => String)
  async text(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<string | null> {
    const bytes = await bytesOf(context, row);
    return bytes && !isBinary(bytes) ? bytes.toString() : null;
  }

  @FieldResolver(() => String)
  base64(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<string> {
    return base64Of(context, row);
  }
}

@Resolver(() => Tag)
export class TagFields {
  @FieldResolver(() => String)
  async name(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<string> {
    return (await tagOf(context, row)).name.toString();
  }

  @FieldResolver(() => String)
  async message(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<string> {
    return trimTrailingNewlines((await tagOf(context, row)).message.toString());
  }

  @FieldResolver(() => GitActor)
  async tagger(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<GitActorRow | null> {
    const { tagger } = await tagOf(context, row);
    return tagger ? toGitActor(tagger) : null;
  }

  @FieldResolver(() => GitObject)
  async target(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<GitObjectRow> {
    const { type, target } = await tagOf(context, row);
    return gitObjectRow(type as GitObjectKindName, row.place, target);
  }
}
