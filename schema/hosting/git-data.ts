import { Field, InputType } from 'type-graphql';
import { Base64String, GitObjectId } from '../vocabulary/git-scalars.ts';
import { LargeInput } from '../vocabulary/large-input.ts';
import { MaxItems } from '../vocabulary/max-items.ts';
import { optionalField } from '../vocabulary/optional-field.ts';
import { GitFileMode, type GitFileModeValue } from './git-commit.ts';

/**
 * Bytes of a GraphQL request with content for git. It is held in memory, up to six times: as bytes, text, values, content and object.
 * REST streams the content of one file, up to 100 MiB.
 */
export const maxGitRequestBytes = 40 * 1024 * 1024;

/** About the input field that the mutations of git objects share. */
export const branchRequired = 'Whether a repository without a branch is refused.';

@InputType({ description: 'Entry of a new tree.' })
export class GitTreeChange {
  @Field(() => String, { description: 'Path from the root of the tree; directories are created as needed.' })
  path!: string;

  @Field(() => GitFileMode, { defaultValue: GitFileMode.FILE, description: 'Mode of the entry.' })
  mode!: GitFileModeValue;

  @optionalField(() => GitObjectId, 'Id of a blob, or of a commit for a submodule; null removes the path.')
  oid?: string | null;

  @optionalField(() => String, 'Content of the file as text, instead of an object id.')
  content?: string | null;
}

@InputType({ description: 'Entry of a new tree in the spelling of git.' })
export class GitTreeItemInput {
  @Field(() => String, { description: 'Path from the root of the tree.' }) path!: string;
  @optionalField(() => String, 'Mode: 100644, 100755, 120000, 040000 or 160000.') mode?: string | null;
  @optionalField(() => String, 'Type of the object; the mode decides.') type?: string | null;
  @optionalField(() => String, 'Object id; null deletes the path from the base tree.') sha?: string | null;
  @optionalField(() => String, 'Content of a file, instead of an object id.') content?: string | null;
}

@InputType({ description: 'File that a commit adds or replaces.' })
export class FileAddition {
  @Field(() => String, { description: 'Path from the root of the repository.' })
  path!: string;

  @Field(() => Base64String, { description: 'Content of the file, in Base64.' })
  contents!: string;

  @optionalField(() => GitFileMode, 'Mode; by default that of the existing file, or a regular file for a new one.')
  mode?: GitFileModeValue | null;
}

@InputType({ description: 'File that a commit deletes.' })
export class FileDeletion {
  @Field(() => String, { description: 'Path from the root of the repository.' })
  path!: string;
}

/** Files that one commit changes. */
const maxFiles = 5_000;
const sentAsVariable = `at most ${maxFiles.toLocaleString('en')}, sent in a variable.`;

@InputType({ description: 'Files that a commit changes.' })
export class FileChanges {
  @MaxItems(maxFiles)
  @LargeInput(maxGitRequestBytes)
  @Field(() => [FileAddition], {
    nullable: true,
    defaultValue: [],
    description: `Files to add or replace: ${sentAsVariable}`,
  })
  additions?: FileAddition[] | null;

  @MaxItems(maxFiles)
  @Field(() => [FileDeletion], { nullable: true, defaultValue: [], description: `Files to delete: ${sentAsVariable}` })
  deletions?: FileDeletion[] | null;
}

@InputType({ description: 'Message of a commit.' })
export class CommitMessage {
  @Field(() => String, { description: 'First line of the message.' })
  headline!: string;

  @optionalField(() => String, 'Text after the first line and an empty one.')
  body?: string | null;
}
