import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

export const SourceControl = { SUBVERSION: 'subversion', GIT: 'git', MERCURIAL: 'mercurial', TFVC: 'tfvc' } as const;
export type SourceControlValue = (typeof SourceControl)[keyof typeof SourceControl];
registerEnumType(SourceControl, { name: 'SourceControl', description: 'What keeps the versions of a source.' });

export const SourceControlInput = { ...SourceControl, HG: 'hg' } as const;
export type SourceControlInputValue = (typeof SourceControlInput)[keyof typeof SourceControlInput];
registerEnumType(SourceControlInput, {
  name: 'SourceControlInput',
  description: 'What keeps the versions of a source; hg is another word for mercurial.',
});

export const SourceImportStatus = {
  DETECTING: 'detecting',
  IMPORTING: 'importing',
  MAPPING: 'mapping',
  PUSHING: 'pushing',
  COMPLETE: 'complete',
  AUTH_FAILED: 'auth_failed',
  ERROR: 'error',
  DETECTION_NEEDS_AUTH: 'detection_needs_auth',
  DETECTION_FOUND_NOTHING: 'detection_found_nothing',
  DETECTION_FOUND_MULTIPLE: 'detection_found_multiple',
} as const;
export type SourceImportStatusValue = (typeof SourceImportStatus)[keyof typeof SourceImportStatus];
registerEnumType(SourceImportStatus, { name: 'SourceImportStatus', description: 'How far an import is.' });

export const LfsPreference = { UNDECIDED: 'undecided', OPT_IN: 'opt_in', OPT_OUT: 'opt_out' } as const;
export type LfsPreferenceValue = (typeof LfsPreference)[keyof typeof LfsPreference];
registerEnumType(LfsPreference, {
  name: 'LfsPreference',
  description: 'Whether large files shall go to a store of their own (Git LFS).',
});

export const LfsChoice = { OPT_IN: 'opt_in', OPT_OUT: 'opt_out' } as const;
export type LfsChoiceValue = (typeof LfsChoice)[keyof typeof LfsChoice];
registerEnumType(LfsChoice, { name: 'LfsChoice', description: 'A decision about large files.' });

@ObjectType({ description: 'One of several things that were found at the address of a source.', simpleResolvers: true })
export class SourceProject {
  @Computed(() => SourceControl, 'What keeps its versions.')
  vcs!: SourceControlValue;

  @Computed(() => String, 'Name of the project, where there are projects.', { null: true })
  tfvcProject!: string | null;

  @Computed(() => String, 'What to call it.')
  humanName!: string;
}

@ObjectType({ description: 'The import of a repository from elsewhere.', simpleResolvers: true })
export class SourceImport {
  @Computed(() => SourceControl, 'What keeps the versions of the source; null until it is known.', { null: true })
  vcs!: SourceControlValue | null;

  @Computed(() => LfsPreference, 'What was decided about large files.')
  useLfs!: LfsPreferenceValue;

  @Computed(() => String, 'Address of the source.')
  vcsUrl!: string;

  @Computed(() => String, 'Project of the source, where one was chosen.', { null: true })
  tfvcProject!: string | null;

  @Computed(() => SourceImportStatus, 'How far it is.')
  status!: SourceImportStatusValue;

  @Computed(() => String, 'The same in words.', { null: true })
  statusText!: string | null;

  @Computed(() => String, 'The step that failed: detecting, importing, mapping or pushing.', { null: true })
  failedStep!: string | null;

  @Computed(() => String, 'Why it failed.', { null: true })
  errorMessage!: string | null;

  @Computed(() => Int, 'How much has been fetched, 0 to 100; null before.', { null: true })
  importPercent!: number | null;

  @Computed(() => Int, 'Commits of the source; null until they are counted.', { null: true })
  commitCount!: number | null;

  @Computed(() => Int, 'How much has been stored, 0 to 100; null before.', { null: true })
  pushPercent!: number | null;

  @Computed(() => Boolean, 'Whether there are files of more than 100 MB.')
  hasLargeFiles!: boolean;

  @Computed(() => Float, 'Their size in gigabytes.')
  largeFilesSize!: number;

  @Computed(() => Int, 'How many there are.')
  largeFilesCount!: number;

  @Computed(() => [SourceProject], 'What to choose from where several things were found; else null.', { null: true })
  projectChoices!: SourceProject[] | null;

  @Computed(() => Int, 'Authors of the source; null until they are counted.', { null: true })
  authorsCount!: number | null;

  @Computed(() => String, 'Its address in the REST API.')
  url!: string;

  @Computed(() => String, 'Its page.')
  webUrl!: string;

  @Computed(() => String, 'The authors in the REST API.')
  authorsUrl!: string;

  @Computed(() => String, 'The repository in the REST API.')
  repositoryUrl!: string;
}

@ObjectType({ description: 'Somebody who made commits or tags of an imported source.', simpleResolvers: true })
export class SourceImportAuthor {
  @Computed(() => GraphQLSafeInt, 'Number of the author. It stays as long as the import.')
  databaseId!: number;

  @Computed(() => String, 'How the source names the author: `Name <address>`.')
  remoteId!: string;

  @Computed(() => String, 'The name in the source.')
  remoteName!: string;

  @Computed(() => String, 'The address that the imported commits bear.')
  email!: string;

  @Computed(() => String, 'The name that the imported commits bear.')
  name!: string;

  @Computed(() => String, 'Its address in the REST API.')
  url!: string;

  @Computed(() => String, 'The import in the REST API.')
  importUrl!: string;
}

@ObjectType({ description: 'A file of more than 100 MB in an imported source.', simpleResolvers: true })
export class SourceImportLargeFile {
  @Computed(() => String, 'A ref whose history has it.')
  refName!: string;

  @Computed(() => String, 'Where it stands.')
  path!: string;

  @Computed(() => String, 'Id of its content.')
  oid!: string;

  @Computed(() => GraphQLSafeInt, 'Bytes.')
  size!: number;
}
