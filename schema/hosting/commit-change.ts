import { ArgsType, Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { ConnectionArgs, connectionOf } from '../vocabulary/connection.ts';
import { GitObjectId } from '../vocabulary/git-scalars.ts';
import { Uri } from '../vocabulary/scalars.ts';

export const PatchStatus = {
  ADDED: 'added',
  DELETED: 'deleted',
  RENAMED: 'renamed',
  MODIFIED: 'modified',
  CHANGED: 'type-changed',
} as const;
export type PatchStatusName = (typeof PatchStatus)[keyof typeof PatchStatus];
registerEnumType(PatchStatus, {
  name: 'PatchStatus',
  description: 'Kind of the change of a file.',
  valuesConfig: { CHANGED: { description: 'Another type, such as a symbolic link.' } },
});

@ObjectType({ description: 'File that a commit changes.', simpleResolvers: true })
export class CommitFile {
  @Computed(() => GitObjectId, 'Id of the blob; of a deleted file, of the blob before.')
  oid!: string;

  @Computed(() => String, 'Path from the root of the repository.')
  path!: string;

  @Computed(() => String, 'Path before a renaming; null for any other change.', { null: true })
  previousPath!: string | null;

  @Computed(() => PatchStatus, 'Kind of the change.')
  changeType!: PatchStatusName;

  @Computed(() => Int, 'Lines added; 0 for a binary file.')
  additions!: number;

  @Computed(() => Int, 'Lines deleted; 0 for a binary file.')
  deletions!: number;

  @Computed(() => Int, 'Lines added and deleted.')
  changedLines!: number;

  @Computed(() => Uri, 'URL of the page.')
  url!: string;

  @Computed(() => Uri, 'URL of the bytes. For a private repository it is valid for one download within 5 minutes.')
  rawUrl!: string;

  @Computed(() => Uri, 'URL of the contents in the API.')
  contentsUrl!: string;

  @Computed(() => String, 'Changes as a unified diff; null for binary files, and beyond 4 MB of the answer.', {
    null: true,
  })
  patch!: string | null;
}

/** Greatest page of the files of a commit. */
export const maxFilesOfPage = 300;

export const CommitFileConnection = connectionOf('CommitFile', () => CommitFile, 'changed files', {
  maxPageSize: maxFilesOfPage,
});

@ArgsType()
export class FilePageArgs extends ConnectionArgs {
  @Field(() => Int, {
    nullable: true,
    description: `Number of items from the start, 1 to ${maxFilesOfPage}; 20 by default.`,
  })
  declare first?: number | null;

  @Field(() => Int, { nullable: true, description: `Number of items from the end, 1 to ${maxFilesOfPage}.` })
  declare last?: number | null;
}
