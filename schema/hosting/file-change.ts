import { createUnionType, Field, InputType, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { ContentEntry } from './content.ts';
import { Commit } from './git-object.ts';

@ObjectType({ description: 'Result of creating a file.', simpleResolvers: true })
export class FileCreated {
  @Computed(() => ContentEntry, 'File that was created.')
  content!: ContentEntry;

  @Computed(() => Commit, 'Commit that created it.')
  commit!: Commit;
}

@ObjectType({ description: 'Result of updating a file.', simpleResolvers: true })
export class FileUpdated {
  @Computed(() => ContentEntry, 'File with its new content.')
  content!: ContentEntry;

  @Computed(() => Commit, 'Commit that updated it.')
  commit!: Commit;
}

export const FileWritten = createUnionType({
  name: 'FileWritten',
  description: 'Result of writing a file.',
  types: () => [FileCreated, FileUpdated] as const,
});

@ObjectType({ description: 'Result of deleting a file.', simpleResolvers: true })
export class FileDeleted {
  @Computed(() => ContentEntry, 'Always null: the file is gone.', { null: true })
  content!: ContentEntry | null;

  @Computed(() => Commit, 'Commit that deleted it.')
  commit!: Commit;
}

@InputType({ description: 'Author or committer of a commit.' })
export class CommitPersonInput {
  @Field(() => String, { description: 'Name of the person.' }) name!: string;
  @Field(() => String, { description: 'E-mail address of the person.' }) email!: string;
  @Field(() => String, { nullable: true, description: 'Time in ISO 8601 with a zone; the current time by default.' })
  date?: string | null;
}
