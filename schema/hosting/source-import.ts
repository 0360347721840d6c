import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Uri } from '../vocabulary/scalars.ts';

export const SourceControl = { SUBVERSION: 'subversion', GIT: 'git', MERCURIAL: 'mercurial', TFVC: 'tfvc' } as const;
export type SourceControlValue = (typeof SourceControl)[keyof typeof SourceControl];
registerEnumType(SourceControl, {
  name: 'SourceControl',
  description: 'Version control system of a source.',
  valuesConfig: { TFVC: { description: 'Team Foundation Version Control.' } },
});

export const SourceControlInput = { ...SourceControl, HG: 'hg' } as const;
export type SourceControlInputValue = (typeof SourceControlInput)[keyof typeof SourceControlInput];
registerEnumType(SourceControlInput, {
  name: 'SourceControlInput',
  description: 'Version control system of a source; hg is a synonym of mercurial.',
  valuesConfig: {
    TFVC: { description: 'Team Foundation Version Control.' },
    HG: { description: 'Synonym of `MERCURIAL`.' },
  },
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
registerEnumType(SourceImportStatus, {
  name: 'SourceImportStatus',
  description: 'Status of an import.',
  valuesConfig: {
    DETECTING: { description: 'Import that looks for the version control system of the source.' },
    IMPORTING: { description: 'Import that fetches the source.' },
    MAPPING: { description: 'Import that gives the commits their mapped authors.' },
    PUSHING: { description: 'Import that writes to the repository.' },
    COMPLETE: { description: 'Import that has ended with success.' },
    AUTH_FAILED: { description: 'Import whose user name and password the source refuses, or misses.' },
    ERROR: { description: 'Import that has failed for another reason.' },
    DETECTION_NEEDS_AUTH: { description: 'Import of a source that wants a user name and a password.' },
    DETECTION_FOUND_NOTHING: { description: 'Import of a URL with no repository.' },
    DETECTION_FOUND_MULTIPLE: { description: 'Import of a URL with several projects; one has to be chosen.' },
  },
});

export const LfsPreference = { UNDECIDED: 'undecided', OPT_IN: 'opt_in', OPT_OUT: 'opt_out' } as const;
export type LfsPreferenceValue = (typeof LfsPreference)[keyof typeof LfsPreference];
registerEnumType(LfsPreference, {
  name: 'LfsPreference',
  description: 'Preference for Git LFS for large files.',
  valuesConfig: {
    OPT_IN: { description: 'Preference that no import has: there is no Git LFS store.' },
    OPT_OUT: { description: 'Import of large files as ordinary files.' },
  },
});

export const LfsChoice = { OPT_IN: 'opt_in', OPT_OUT: 'opt_out' } as const;
export type LfsChoiceValue = (typeof LfsChoice)[keyof typeof LfsChoice];
registerEnumType(LfsChoice, {
  name: 'LfsChoice',
  description: 'Choice of Git LFS for large files.',
  valuesConfig: {
    OPT_IN: { description: 'Refused: there is no Git LFS store.' },
    OPT_OUT: { description: 'Import of large files as ordinary files, up to 100 MiB each.' },
  },
});

@ObjectType({ description: 'Project found at the URL of a source.', simpleResolvers: true })
export class SourceProject {
  @Computed(() => SourceControl, 'Version control system.')
  vcs!: SourceControlValue;

  @Computed(() => String, 'Name of the TFVC project; null for other systems.', { null: true })
  tfvcProject!: string | null;

  @Computed(() => String, 'Display name of the project.')
  humanName!: string;
}

@ObjectType({ description: 'Import of a repository from another host.', simpleResolvers: true })
export class SourceImport {
  @Computed(() => SourceControl, 'Version control system of the source; null until detected.', { null: true })
  vcs!: SourceControlValue | null;

  @Computed(() => LfsPreference, 'Preference for Git LFS.')
  lfsPreference!: LfsPreferenceValue;

  @Computed(() => Uri, 'URL of the source.')
  sourceUrl!: string;

  @Computed(() => String, 'Chosen TFVC project; null for none.', { null: true })
  tfvcProject!: string | null;

  @Computed(() => SourceImportStatus, 'Status of the import.')
  status!: SourceImportStatusValue;

  @Computed(() => String, 'Status as text; null for none.', { null: true })
  statusText!: string | null;

  @Computed(() => String, 'Step that failed; null for none.', { null: true })
  failedStep!: string | null;

  @Computed(() => String, 'Error message; null for none.', { null: true })
  errorMessage!: string | null;

  @Computed(() => Int, 'Progress of fetching in percent, 0 to 100; null before it starts.', { null: true })
  importPercent!: number | null;

  @Computed(() => Int, 'Number of commits of the source; null until counted.', { null: true })
  commitCount!: number | null;

  @Computed(() => Int, 'Progress of storing in percent, 0 to 100; null before it starts.', { null: true })
  pushPercent!: number | null;

  @Computed(() => Boolean, 'Whether the source has files above 100 MB.')
  hasLargeFiles!: boolean;

  @Computed(() => Float, 'Total size of the large files in gigabytes.')
  largeFilesSize!: number;

  @Computed(() => GraphQLSafeInt, 'Total size of the large files in bytes.')
  largeFilesBytes!: number;

  @Computed(() => Int, 'Number of large files.')
  largeFileCount!: number;

  @Computed(() => [SourceProject], 'Projects to choose from; null where at most one was found.', { null: true })
  projectChoices!: SourceProject[] | null;

  @Computed(() => Int, 'Number of authors of the source; null until counted.', { null: true })
  authorCount!: number | null;

  @Computed(() => Uri, 'URL of the page.')
  url!: string;

  @Computed(() => String, 'Path of the repository, such as `/owner/name`.')
  repositoryPath!: string;

  /** Key of the row, for the lists below it. */
  importId!: number;

  /** For the URLs of authors. */
  repositoryId!: number;
}

@ObjectType({ description: 'Author of commits or tags of an imported source.', simpleResolvers: true })
export class SourceImportAuthor {
  /** Stable for the lifetime of the import. */
  databaseId!: number;

  @Computed(() => String, 'Author as the source names them: `Name <address>`.')
  remoteId!: string;

  @Computed(() => String, 'Name in the source.')
  remoteName!: string;

  @Computed(() => String, 'E-mail address in the imported commits.')
  email!: string;

  @Computed(() => String, 'Name in the imported commits.')
  name!: string;

  @Computed(() => String, 'Path of the author, such as `/owner/name/import/authors/1`.')
  authorPath!: string;

  @Computed(() => String, 'Path of the repository, such as `/owner/name`.')
  repositoryPath!: string;
}

@ObjectType({ description: 'File above 100 MB in an imported source.', simpleResolvers: true })
export class SourceImportLargeFile {
  @Computed(() => String, 'Name of a ref whose history contains the file.')
  refName!: string;

  @Computed(() => String, 'Path of the file.')
  path!: string;

  @Computed(() => String, 'Object id of the content.')
  oid!: string;

  @Computed(() => GraphQLSafeInt, 'Size in bytes.')
  size!: number;
}

/** Greatest page of the lists of an import, which clients of the contract take as a whole. */
export const maxImportPage = 1_000;

export const SourceImportAuthorConnection = connectionOf('SourceImportAuthor', () => SourceImportAuthor, 'authors', {
  maxPageSize: maxImportPage,
});
export const SourceImportLargeFileConnection = connectionOf(
  'SourceImportLargeFile',
  () => SourceImportLargeFile,
  'large files',
  { maxPageSize: maxImportPage },
);
