import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { GitFileMode, type GitFileModeValue, GitPerson } from './git-commit.ts';

@ObjectType({ description: 'The content of a file.', simpleResolvers: true })
export class GitBlob {
  @Computed(() => String, 'Its id: 40 hex digits.')
  sha!: string;

  @Computed(() => Int, 'Bytes.')
  size!: number;

  @Computed(() => String, 'Its address in the REST API.')
  url!: string;
}

@ObjectType({ description: 'What stands in a folder under one name.', simpleResolvers: true })
export class GitTreeEntry {
  @Computed(() => String, 'Its name.')
  name!: string;

  @Computed(() => String, 'Mode as git writes it, such as 100644; 40000 is a folder.')
  mode!: string;

  @Computed(() => String, 'blob, tree, or commit for a submodule.')
  type!: string;

  @Computed(() => String, 'Id of what is there.')
  sha!: string;
}

@ObjectType({ description: 'A folder.', simpleResolvers: true })
export class GitTree {
  @Computed(() => String, 'Its id: 40 hex digits.')
  sha!: string;

  @Computed(() => String, 'Its address in the REST API.')
  url!: string;

  @Computed(() => [GitTreeEntry], 'What is in it, in the order of git.')
  entries!: GitTreeEntry[];
}

@ObjectType({ description: 'A name that points to an object: a branch, a tag and the like.', simpleResolvers: true })
export class GitRef {
  @Computed(() => String, 'Its full name: refs/heads/main.')
  name!: string;

  @Computed(() => String, 'Id of the object.')
  sha!: string;
}

@ObjectType({ description: 'A branch.', simpleResolvers: true })
export class GitBranch {
  @Computed(() => String, 'Its short name: main.')
  name!: string;

  @Computed(() => String, 'Id of its last commit.')
  sha!: string;
}

export const GitBranchPage = pageOf('GitBranchPage', () => GitBranch, 'A page of branches.');

@ObjectType({ description: 'A tag with a message, as an object. A ref gives it its name.', simpleResolvers: true })
export class GitTag {
  @Computed(() => String, 'Id of the tag itself.')
  sha!: string;

  @Computed(() => String, 'The name it says it has.')
  tag!: string;

  @Computed(() => String, 'What was said about it.')
  message!: string;

  @Computed(() => String, 'Id of what it points to.')
  target!: string;

  @Computed(() => String, 'commit, tree, blob or tag.')
  targetType!: string;

  @Computed(() => GitPerson, 'Who made it.')
  tagger!: GitPerson;
}

@InputType({ description: 'What shall stand at a path of a new folder.' })
export class GitTreeChange {
  @Field(() => String, { description: 'Path from the root of the folder. Folders in between come by themselves.' })
  path!: string;

  @Field(() => GitFileMode, { defaultValue: GitFileMode.FILE, description: 'What it is.' })
  mode!: GitFileModeValue;

  @Field(() => String, {
    nullable: true,
    description: 'Id of a blob; of a commit for a submodule. Null removes the path.',
  })
  sha?: string | null;

  @Field(() => String, { nullable: true, description: 'Text of the file, in place of an id.' })
  content?: string | null;
}

@InputType({ description: 'A file that a commit puts at a path.' })
export class GitFileAddition {
  @Field(() => String, { description: 'Path from the root of the repository.' })
  path!: string;

  @Field(() => String, { description: 'Its bytes in Base64.' })
  contents!: string;

  @Field(() => GitFileMode, {
    nullable: true,
    description: 'What it is; left out, what stands there keeps its kind, and a new one is a plain file.',
  })
  mode?: GitFileModeValue | null;
}
