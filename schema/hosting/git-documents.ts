import { GraphQLSafeInt } from 'graphql-scalars';
import { createUnionType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { optionalField } from '../vocabulary/optional-field.ts';
import { RawContent } from './content.ts';
import { GitPerson } from './git-commit.ts';

@ObjectType({ description: 'Object that a ref or tag points to.', simpleResolvers: true })
export class GitTarget {
  @Computed(() => String, 'Type: `commit`, `tree`, `blob` or `tag`.')
  type!: string;

  @Computed(() => String, 'Object id: 40 hexadecimal digits.')
  sha!: string;

  @Computed(() => String, 'REST URL.')
  url!: string;
}

@ObjectType({ description: 'Ref as the REST API publishes it.', simpleResolvers: true })
export class GitRefDocument {
  @Computed(() => String, 'Full name, such as refs/heads/main.')
  ref!: string;

  @Computed(() => ID, 'Global identifier.')
  nodeId!: string;

  @Computed(() => String, 'REST URL.')
  url!: string;

  @Computed(() => GitTarget, 'Object that it points to.')
  object!: GitTarget;
}

@ObjectType({ description: 'Entry of a listed tree.', simpleResolvers: true })
export class GitTreeItem {
  @Computed(() => String, 'Path from the listed tree.')
  path!: string;

  @Computed(() => String, 'Mode: six octal digits.')
  mode!: string;

  @Computed(() => String, 'Type: `blob`, `tree`, or `commit` for a submodule.')
  type!: string;

  @Computed(() => String, 'Object id.')
  sha!: string;

  @Computed(() => GraphQLSafeInt, 'Bytes of a blob; null for others.', { null: true })
  size!: number | null;

  @Computed(() => String, 'REST URL; null for a submodule.', { null: true })
  url!: string | null;
}

@ObjectType({ description: 'Listing of a tree.', simpleResolvers: true })
export class GitTreeDocument {
  @Computed(() => String, 'Object id.')
  sha!: string;

  @Computed(() => String, 'REST URL.')
  url!: string;

  @Computed(() => Boolean, 'Whether entries are omitted: more than 100,000, or about 7 MB.')
  truncated!: boolean;

  @Computed(() => [GitTreeItem], 'Entries in git order.')
  tree!: GitTreeItem[];
}

@ObjectType({ description: 'Blob with its content.', simpleResolvers: true })
export class GitBlobDocument {
  @Computed(() => String, 'Object id.')
  sha!: string;

  @Computed(() => ID, 'Global identifier.')
  nodeId!: string;

  @Computed(() => String, 'REST URL.')
  url!: string;

  @Computed(() => GraphQLSafeInt, 'Bytes.')
  size!: number;

  @Computed(() => String, 'Content in Base64, lines of 60 characters.')
  content!: string;
}

/** A blob as JSON or as its bytes. */
export const GitBlobContent = createUnionType({
  name: 'GitBlobContent',
  description: 'Blob with its content, or a reference to its bytes.',
  types: () => [GitBlobDocument, RawContent] as const,
});

@ObjectType({ description: 'Blob that was stored.', simpleResolvers: true })
export class StoredGitBlob {
  @Computed(() => String, 'Object id.')
  sha!: string;

  @Computed(() => String, 'REST URL.')
  url!: string;
}

@ObjectType({ description: 'Annotated tag as the REST API publishes it.', simpleResolvers: true })
export class GitTagDocument {
  @Computed(() => String, 'Object id.')
  sha!: string;

  @Computed(() => ID, 'Global identifier.')
  nodeId!: string;

  @Computed(() => String, 'REST URL.')
  url!: string;

  @Computed(() => String, 'Name in the tag object.')
  tag!: string;

  @Computed(() => String, 'Message without trailing line feeds.')
  message!: string;

  @Computed(() => GitPerson, 'Tagger; null for none.', { null: true })
  tagger!: GitPerson | null;

  @Computed(() => GitTarget, 'Object that it names.')
  object!: GitTarget;
}

@InputType({ description: 'Entry of a new tree as the REST API takes it.' })
export class GitTreeItemInput {
  @Field(() => String, { description: 'Path from the root of the tree.' }) path!: string;
  @optionalField(() => String, 'Mode: 100644, 100755, 120000, 040000 or 160000.') mode?: string | null;
  @optionalField(() => String, 'Type of the object; the mode decides.') type?: string | null;
  @optionalField(() => String, 'Object id; null deletes the path from the base tree.') sha?: string | null;
  @optionalField(() => String, 'Content of a file, instead of an object id.') content?: string | null;
}
