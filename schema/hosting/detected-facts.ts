import { Int, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';

/** Facts about the files of a repository that clients ask for. Licenses are not detected. */

@ObjectType({ description: 'Programming language that files of a repository are written in.', simpleResolvers: true })
export class Language {
  @Computed(() => String, 'Name of the language.')
  name!: string;

  @Computed(() => String, 'Color for displays, in hexadecimal; null for none.', { null: true })
  color!: string | null;
}

export const LanguageConnection = connectionOf('Language', () => Language, 'languages', {
  edgeFields: { size: [() => Int, 'Bytes of code in the language.'] },
});

@ObjectType({ description: 'License of the files of a repository.', simpleResolvers: true })
export class License {
  @Computed(() => String, 'Key in lower case.')
  key!: string;

  @Computed(() => String, 'Full name of the license.')
  name!: string;

  @Computed(() => String, 'Usual short name; null for none.', { null: true })
  nickname!: string | null;

  @Computed(() => String, 'Identifier in the SPDX list; null for none.', { null: true })
  spdxId!: string | null;
}
