import { createUnionType, Field, InputType, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { ContentEntry } from './content.ts';

@ObjectType({ description: 'Who made a commit, and when.', simpleResolvers: true })
export class FileCommitPerson {
  @Computed(() => String, 'Name.')
  name!: string;

  @Computed(() => String, 'E-mail address.')
  email!: string;

  @Computed(() => String, 'When, in UTC.')
  date!: string;
}

@ObjectType({ description: 'A commit that another one goes back to.', simpleResolvers: true })
export class FileCommitParent {
  @Computed(() => String, 'Its id.')
  sha!: string;

  @Computed(() => String, 'Its address in the REST API.')
  url!: string;

  @Computed(() => String, 'Its page.')
  htmlUrl!: string;
}

@ObjectType({ description: 'The tree of a commit.', simpleResolvers: true })
export class FileCommitTree {
  @Computed(() => String, 'Its id.')
  sha!: string;

  @Computed(() => String, 'Its address in the REST API.')
  url!: string;
}

@ObjectType({ description: 'What is known of the signature of a commit.', simpleResolvers: true })
export class FileCommitVerification {
  @Computed(() => Boolean, 'Whether it is good.')
  verified!: boolean;

  @Computed(() => String, 'Why, or why not.')
  reason!: string;

  @Computed(() => String, 'The signature; null where there is none.', { null: true })
  signature!: string | null;

  @Computed(() => String, 'What was signed.', { null: true })
  payload!: string | null;

  @Computed(() => String, 'When it was found to be good.', { null: true })
  verifiedAt!: string | null;
}

@ObjectType({ description: 'The commit that changed a file.', simpleResolvers: true })
export class FileCommit {
  @Computed(() => String, 'Its id.')
  sha!: string;

  @Computed(() => String, 'Its identifier among all things there are.')
  nodeId!: string;

  @Computed(() => String, 'Its address in the REST API.')
  url!: string;

  @Computed(() => String, 'Its page.')
  htmlUrl!: string;

  @Computed(() => FileCommitPerson, 'Who wrote the change.')
  author!: FileCommitPerson;

  @Computed(() => FileCommitPerson, 'Who put it into the repository.')
  committer!: FileCommitPerson;

  @Computed(() => FileCommitTree, 'What the repository looks like after it.')
  tree!: FileCommitTree;

  @Computed(() => String, 'What it says about itself, without line feeds at its end.')
  message!: string;

  @Computed(() => [FileCommitParent], 'What it goes back to.')
  parents!: FileCommitParent[];

  @Computed(() => FileCommitVerification, 'What is known of its signature.')
  verification!: FileCommitVerification;
}

@ObjectType({ description: 'A file that was not there before.', simpleResolvers: true })
export class FileCreated {
  @Computed(() => ContentEntry, 'The file.')
  content!: ContentEntry;

  @Computed(() => FileCommit, 'The commit that made it.')
  commit!: FileCommit;
}

@ObjectType({ description: 'A file that was there and now is another.', simpleResolvers: true })
export class FileUpdated {
  @Computed(() => ContentEntry, 'The file.')
  content!: ContentEntry;

  @Computed(() => FileCommit, 'The commit that changed it.')
  commit!: FileCommit;
}

export const FileWritten = createUnionType({
  name: 'FileWritten',
  description: 'What writing a file came to.',
  types: () => [FileCreated, FileUpdated] as const,
  resolveType: value => (value as unknown as { __typename: string }).__typename,
});

@ObjectType({ description: 'A file that is gone.', simpleResolvers: true })
export class FileDeleted {
  @Computed(() => ContentEntry, 'Always null: there is none.', { null: true })
  content!: ContentEntry | null;

  @Computed(() => FileCommit, 'The commit that took it away.')
  commit!: FileCommit;
}

@InputType({ description: 'Who a commit is by.' })
export class CommitPersonInput {
  @Field(() => String, { description: 'Name.' }) name!: string;
  @Field(() => String, { description: 'E-mail address.' }) email!: string;
  @Field(() => String, { nullable: true, description: 'When: ISO 8601 with a zone. Now when left out.' }) date?:
    | string
    | null;
}
