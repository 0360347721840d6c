import { ID, Int, InterfaceType, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Base64String, GitObjectId, GitTimestamp } from '../vocabulary/git-scalars.ts';
import { DateTime, Uri } from '../vocabulary/scalars.ts';
import { UniformResourceLocatable } from './actor.ts';

@InterfaceType({ description: 'Object of a git repository: a commit, tree, blob or annotated tag.' })
export abstract class GitObject {
  @Computed(() => ID, 'Global id.')
  id!: string;

  @Computed(() => GitObjectId, 'Object id.')
  oid!: string;

  @Computed(() => String, 'First seven digits of the object id.')
  abbreviatedOid!: string;

  @Computed(() => Uri, 'Path of the page of the commit with this id.')
  commitResourcePath!: string;

  @Computed(() => Uri, 'URL of the page of the commit with this id.')
  commitUrl!: string;
}

@ObjectType({ description: 'Author, committer or tagger, as the git object names them.', simpleResolvers: true })
export class GitActor {
  @Computed(() => String, 'Name.', { null: true })
  name!: string | null;

  @Computed(() => String, 'Email address.', { null: true })
  email!: string | null;

  @Computed(() => GitTimestamp, 'Time, with the UTC offset that the object states.', { null: true })
  date!: string | null;
}

@ObjectType({ implements: [GitObject, UniformResourceLocatable], description: 'Commit.' })
export class Commit {
  @Computed(() => String, 'Message without trailing line feeds.')
  message!: string;

  @Computed(() => String, 'First line of the message.')
  messageHeadline!: string;

  @Computed(() => String, 'Message after its first line.')
  messageBody!: string;

  @Computed(() => GitActor, 'Author.', { null: true })
  author!: GitActor | null;

  @Computed(() => GitActor, 'Committer.', { null: true })
  committer!: GitActor | null;

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

export const CommitConnection = connectionOf('Commit', () => Commit, 'commits');

/** Longest history that is counted: a longer one takes tenths of a second. */
export const maxCountedCommits = 10_000;

export const CommitHistoryConnection = connectionOf('CommitHistory', () => Commit, 'commits of a history', {
  edgesOf: CommitConnection,
  maxCounted: maxCountedCommits,
});

@ObjectType({ implements: GitObject, description: 'Tree: a directory.' })
export class Tree {}

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
}

@ObjectType({ implements: GitObject, description: 'Annotated tag.' })
export class Tag {
  @Computed(() => String, 'Name in the tag object.')
  name!: string;

  @Computed(() => String, 'Message without trailing line feeds.', { null: true })
  message!: string | null;

  @Computed(() => GitActor, 'Tagger; null for none.', { null: true })
  tagger!: GitActor | null;

  @Computed(() => GitObject, 'Object that the tag names.', { null: true })
  target!: GitObject | null;
}
