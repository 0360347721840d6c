import { createUnionType, Field, InputType, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { ContentEntry } from './content.ts';
import { GitCommit } from './git-commit.ts';

@ObjectType({ description: 'A file that was not there before.', simpleResolvers: true })
export class FileCreated {
  @Computed(() => ContentEntry, 'The file.')
  content!: ContentEntry;

  @Computed(() => GitCommit, 'The commit that made it.')
  commit!: GitCommit;
}

@ObjectType({ description: 'A file that was there and now is another.', simpleResolvers: true })
export class FileUpdated {
  @Computed(() => ContentEntry, 'The file.')
  content!: ContentEntry;

  @Computed(() => GitCommit, 'The commit that changed it.')
  commit!: GitCommit;
}

export const FileWritten = createUnionType({
  name: 'FileWritten',
  description: 'What writing a file came to.',
  types: () => [FileCreated, FileUpdated] as const,
});

@ObjectType({ description: 'A file that is gone.', simpleResolvers: true })
export class FileDeleted {
  @Computed(() => ContentEntry, 'Always null: there is none.', { null: true })
  content!: ContentEntry | null;

  @Computed(() => GitCommit, 'The commit that took it away.')
  commit!: GitCommit;
}

@InputType({ description: 'Who a commit is by.' })
export class CommitPersonInput {
  @Field(() => String, { description: 'Name.' }) name!: string;
  @Field(() => String, { description: 'E-mail address.' }) email!: string;
  @Field(() => String, { nullable: true, description: 'When: ISO 8601 with a zone. Now when left out.' }) date?:
    | string
    | null;
}
