import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import {
  LfsChoice,
  type LfsChoiceValue,
  maxImportPage,
  SourceControlInput,
  type SourceControlInputValue,
} from '../../../schema/hosting/source-import.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { importLimits } from './import-limits.ts';

const pageRange = `1 to ${maxImportPage.toLocaleString('en')}`;

@ArgsType()
export class ImportListArgs extends ConnectionArgs {
  @Field(() => Int, { nullable: true, description: `Number of items from the start, ${pageRange}; 20 by default.` })
  declare first?: number | null;
  @Field(() => Int, { nullable: true, description: `Number of items from the end, ${pageRange}.` })
  declare last?: number | null;
}

@ArgsType()
export class ImportAuthorArgs extends ImportListArgs {
  @Field(() => GraphQLSafeInt, { defaultValue: 0, description: 'Only authors with a larger number.' })
  since!: number;
}

@InputType({ description: 'Input of `cancelSourceImport`.' })
export class CancelSourceImportInput {
  @Field(() => RepositoryRef, { description: 'Repository of the import.' }) repository!: RepositoryRef;
}

@InputType({ description: 'Input of `updateSourceImport`.' })
export class UpdateSourceImportInput {
  @Field(() => RepositoryRef, { description: 'Repository of the import.' }) repository!: RepositoryRef;
  @optionalField(() => SourceControlInput, 'Version control system of the source; detected when absent.')
  vcs?: SourceControlInputValue | null;
  @Limits(importLimits.credential)
  @optionalField(() => String, 'User name for the source.')
  username?: string | null;
  @Limits(importLimits.credential)
  @optionalField(() => String, 'Password for the source.')
  password?: string | null;
  @Limits(importLimits.project)
  @optionalField(() => String, 'TFVC project, when the source has several.')
  tfvcProject?: string | null;
}

@InputType({ description: 'Input of `startSourceImport`.' })
export class StartSourceImportInput extends UpdateSourceImportInput {
  @Limits(importLimits.url)
  @Field(() => String, { description: 'URL of the source, at most 2,048 characters.' })
  sourceUrl!: string;
}

@InputType({ description: 'Input of `mapSourceImportAuthor`.' })
export class MapSourceImportAuthorInput {
  @Field(() => RepositoryRef, { description: 'Repository of the import.' }) repository!: RepositoryRef;
  @Field(() => ID, { description: 'Author to change.' }) authorId!: string;
  @Limits(importLimits.author)
  @optionalField(() => String, 'New name; unchanged when absent.')
  name?: string | null;
  @Limits(importLimits.author)
  @optionalField(() => String, 'New e-mail address; unchanged when absent.')
  email?: string | null;
}

@InputType({ description: 'Input of `setSourceImportLfs`.' })
export class SetSourceImportLfsInput {
  @Field(() => RepositoryRef, { description: 'Repository of the import.' }) repository!: RepositoryRef;
  @Field(() => LfsChoice, { description: 'Treatment of large files. Only `OPT_OUT` is supported.' })
  preference!: LfsChoiceValue;
}
