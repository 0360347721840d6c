import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { GitFileMode, type GitFileModeValue, GitPerson } from './git-commit.ts';

@ObjectType({ description: 'Blob: the content of a file.', simpleResolvers: true })
export class GitBlob {
  @Computed(() => String, 'Object id: 40 hexadecimal digits.')
  sha!: string;

  @Computed(() => Int, 'Size in bytes.')
  size!: number;

  @Computed(() => String, 'REST URL.')
  url!: string;
}

@ObjectType({ description: 'Entry of a tree.', simpleResolvers: true })
export class GitTreeEntry {
  @Computed(() => String, 'Name.')
  name!: string;

  @Computed(() => String, 'Mode as git writes it, such as 100644; 40000 is a tree.')
  mode!: string;

  @Computed(() => String, 'Type: blob, tree, or commit for a submodule.')
  type!: string;

  @Computed(() => String, 'Object id.')
  sha!: string;
}

@ObjectType({ description: 'Tree: a directory.', simpleResolvers: true })
export class GitTree {
  @Computed(() => String, 'Object id: 40 hexadecimal digits.')
  sha!: string;

  @Computed(() => String, 'REST URL.')
  url!: string;

  @Computed(() => [GitTreeEntry], 'Entries in git order.')
  entries!: GitTreeEntry[];
}

@ObjectType({ description: 'Ref: a name that points to an object, such as a branch or a tag.', simpleResolvers: true })
export class GitRef {
  @Computed(() => String, 'Full name: refs/heads/main.')
  name!: string;

  @Computed(() => String, 'Object id.')
  sha!: string;
}

@ObjectType({ description: 'Branch.', simpleResolvers: true })
export class GitBranch {
  @Computed(() => String, 'Short name: main.')
  name!: string;

  @Computed(() => String, 'Id of its latest commit.')
  sha!: string;
}

export const GitBranchConnection = connectionOf('GitBranch', () => GitBranch, 'branches');

@ObjectType({ description: 'Annotated tag object; a ref names it.', simpleResolvers: true })
export class GitTag {
  @Computed(() => String, 'Object id of the tag.')
  sha!: string;

  @Computed(() => String, 'Name in the tag object.')
  tag!: string;

  @Computed(() => String, 'Message.')
  message!: string;

  @Computed(() => String, 'Object id of the target.')
  target!: string;

  @Computed(() => String, 'Type of the target: commit, tree, blob or tag.')
  targetType!: string;

  @Computed(() => GitPerson, 'Tagger.')
  tagger!: GitPerson;
}

@InputType({ description: 'Entry of a new tree.' })
export class GitTreeChange {
  @Field(() => String, { description: 'Path from the root of the tree; directories are created as needed.' })
  path!: string;

  @Field(() => GitFileMode, { defaultValue: GitFileMode.FILE, description: 'Mode of the entry.' })
  mode!: GitFileModeValue;

  @Field(() => String, {
    nullable: true,
    description: 'Object id of a blob, or of a commit for a submodule; null removes the path.',
  })
  sha?: string | null;

  @Field(() => String, { nullable: true, description: 'Content of the file as text, instead of an object id.' })
  content?: string | null;
}

@InputType({ description: 'File that a commit adds or replaces.' })
export class GitFileAddition {
  @Field(() => String, { description: 'Path from the root of the repository.' })
  path!: string;

  @Field(() => String, { description: 'Content in Base64.' })
  contents!: string;

  @Field(() => GitFileMode, {
    nullable: true,
    description: 'Mode; by default that of the existing file, or a regular file for a new one.',
  })
  mode?: GitFileModeValue | null;
}
