import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, Int, InterfaceType, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Base64String, GitObjectId, GitTimestamp } from '../vocabulary/git-scalars.ts';
import { longPageSize } from '../vocabulary/page-size.ts';
import { DateTime, Uri } from '../vocabulary/scalars.ts';
import { UniformResourceLocatable } from './actor.ts';

export const GitObjectKind = { COMMIT: 'commit', TREE: 'tree', BLOB: 'blob', TAG: 'tag' } as const;
export type GitObjectKindName = (typeof GitObjectKind)[keyof typeof GitObjectKind];
registerEnumType(GitObjectKind, { name: 'GitObjectKind', description: 'Kind of a git object.' });

@InterfaceType({ description: 'Object of a git repository: a commit, tree, blob or annotated tag.' })
export abstract class GitObject {
  @Computed(() => ID, 'Global id of the object. Pass it to `node(id:)`.')
  id!: string;

  @Computed(() => GitObjectId, 'Id of the object: 40 hexadecimal digits.')
  oid!: string;

  @Computed(() => String, 'First seven digits of the object id.')
  abbreviatedOid!: string;

  @Computed(() => Uri, 'Path of the page of the commit with this id.')
  commitResourcePath!: string;

  @Computed(() => Uri, 'URL of the page of the commit with this id.')
  commitUrl!: string;

  @Computed(() => GitObjectKind, 'Kind of the object.')
  kind!: GitObjectKindName;

  @Computed(() => Uri, 'Path of the object in the git data: `/owner/name/git/commits/…`.')
  gitPath!: string;
}

@ObjectType({ description: 'Author, committer or tagger, as the git object names them.', simpleResolvers: true })
export class GitActor {
  @Computed(() => String, 'Name of the person.')
  name!: string;

  @Computed(() => String, 'Email address of the person.')
  email!: string;

  @Computed(() => GitTimestamp, 'Time, with the UTC offset that the object states.')
  date!: string;
}

@ObjectType({ implements: [GitObject, UniformResourceLocatable], description: 'Commit of a git repository.' })
export class Commit {
  @Computed(() => String, 'Message without trailing line feeds.')
  message!: string;

  @Computed(() => String, 'First line of the message.')
  messageHeadline!: string;

  @Computed(() => String, 'Message after its first line.')
  messageBody!: string;

  @Computed(() => GitActor, 'Author of the commit.')
  author!: GitActor;

  @Computed(() => GitActor, 'Committer of the commit.')
  committer!: GitActor;

  @Computed(() => DateTime, 'Time of the author.')
  authoredDate!: string;

  @Computed(() => DateTime, 'Time of the committer.')
  committedDate!: string;

  @Computed(() => Boolean, 'Whether author and committer have the same name and email address.')
  authoredByCommitter!: boolean;

  @Computed(() => Uri, 'URL of the page of the root tree.')
  treeUrl!: string;

  @Computed(() => Uri, 'Path of the page of the root tree.')
  treeResourcePath!: string;

  @Computed(() => Uri, 'URL of a tar archive of the files.')
  tarballUrl!: string;

  @Computed(() => Uri, 'URL of a zip archive of the files.')
  zipballUrl!: string;
}

export const CommitConnection = connectionOf('Commit', () => Commit, 'commits', { maxPageSize: longPageSize });

/** Longest history that is counted: a longer one takes tenths of a second. */
export const maxCountedCommits = 10_000;

export const CommitHistoryConnection = connectionOf('CommitHistory', () => Commit, 'commits of a history', {
  edgesOf: CommitConnection,
  maxCounted: maxCountedCommits,
});

@ObjectType({ implements: GitObject, description: 'Tree: a directory.' })
export class Tree {}

@ObjectType({ description: 'Entry of a listing.', simpleResolvers: true })
export class TreeListingEntry {
  @Computed(() => String, 'Path from the listed tree.')
  path!: string;

  @Computed(() => String, 'Mode: six octal digits.')
  mode!: string;

  @Computed(() => String, 'Kind of the git object, in lower case; that of a submodule is `commit`.')
  type!: string;

  @Computed(() => GitObjectId, 'Object id; that of a submodule is a commit of another repository.')
  oid!: string;

  @Computed(() => GraphQLSafeInt, 'Size of a blob in bytes; null for others.', { null: true })
  byteSize!: number | null;

  @Computed(() => Uri, 'Path of the object in the git data; null for a submodule.', { null: true })
  gitPath!: string | null;
}

@ObjectType({ description: 'Listing of a tree.', simpleResolvers: true })
export class TreeListing {
  @Computed(() => Boolean, 'Whether entries are omitted: more than 100,000, or about 7 MB.')
  isTruncated!: boolean;

  @Computed(() => [TreeListingEntry], 'Entries in git order, a directory before its content.')
  entries!: TreeListingEntry[];
}

@ObjectType({ description: 'Entry of a tree: a file, directory, symbolic link or submodule.' })
export class TreeEntry {
  @Computed(() => String, 'Name; bytes that are not UTF-8 are replaced.')
  name!: string;

  @Computed(() => Base64String, 'Bytes of the name.')
  nameRaw!: string;

  @Computed(() => String, 'Path from the root of the repository; null when it is not known.', { null: true })
  path!: string | null;

  @Computed(() => Base64String, 'Bytes of the path; null when it is not known.', { null: true })
  pathRaw!: string | null;

  @Computed(() => Int, 'Mode as a number: 33188 (octal 100644) is a regular file.')
  mode!: number;

  @Computed(() => String, 'Type of the git object, in lower case; that of a submodule is `commit`.')
  type!: string;

  @Computed(() => GitObjectId, 'Object id; that of a submodule is a commit of another repository.')
  oid!: string;

  @Computed(() => String, 'Extension of the name with its dot; empty for none.', { null: true })
  extension!: string | null;
}

@ObjectType({ implements: GitObject, description: 'Blob: the content of a file.' })
export class Blob {
  @Computed(() => Int, 'Size in bytes.')
  byteSize!: number;

  @Computed(() => Boolean, 'Whether the content is binary; null above 512 KB.', { null: true })
  isBinary!: boolean | null;

  @Computed(() => Boolean, 'Whether the content is too large for `text`: above 512 KB.')
  isTruncated!: boolean;

  @Computed(() => String, 'Content as UTF-8 text; null for binary content and above 512 KB.', { null: true })
  text!: string | null;

  @Computed(() => String, 'Content in Base64, lines of 60 characters.')
  base64!: string;
}

@ObjectType({ implements: GitObject, description: 'Annotated tag of a git repository.' })
export class Tag {
  @Computed(() => String, 'Name in the tag object.')
  name!: string;

  @Computed(() => String, 'Message without trailing line feeds.')
  message!: string;

  @Computed(() => GitActor, 'Tagger; null for none.', { null: true })
  tagger!: GitActor | null;

  @Computed(() => GitObject, 'Object that the tag names.')
  target!: GitObject;
}
