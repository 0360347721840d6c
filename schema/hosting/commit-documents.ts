import { GraphQLSafeInt } from 'graphql-scalars';
import { createUnionType, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { ListSize } from '../vocabulary/list-size.ts';
import { Uri } from '../vocabulary/scalars.ts';
import { CommitFile } from './commit-change.ts';
import { Commit } from './git-object.ts';
import { Ref } from './ref.ts';

/** Requested representation of a commit. */
export const CommitForm = { JSON: 'JSON', SHA: 'SHA', DIFF: 'DIFF', PATCH: 'PATCH' } as const;
export type CommitFormName = keyof typeof CommitForm;
registerEnumType(CommitForm, {
  name: 'CommitForm',
  description: 'Representation of a commit: JSON, its id as text, or its changes as a diff or as a mail.',
});

@ObjectType({ description: 'Text.', simpleResolvers: true })
export class PlainText {
  @Computed(() => String, 'Text.')
  text!: string;
}

export const CommitContent = createUnionType({
  name: 'CommitContent',
  description: 'Commit in the requested form.',
  types: () => [Commit, PlainText] as const,
});

@ObjectType({ description: 'Branch that has the commit already.', simpleResolvers: true })
export class NothingToMerge {
  @Computed(() => String, 'Short name.')
  branch!: string;
}

export const MergeOutcome = createUnionType({
  name: 'MergeOutcome',
  description: 'Result of merging into a branch.',
  types: () => [Commit, NothingToMerge] as const,
});

@ObjectType({ description: 'Branch that has another name now.', simpleResolvers: true })
export class RenamedBranch {
  @Computed(() => String, 'Present name.')
  newName!: string;

  @Computed(() => Uri, 'URL of the branch by its present name in the API.')
  url!: string;
}

export const FoundBranch = createUnionType({
  name: 'FoundBranch',
  description: 'Result of looking for a branch by its name.',
  types: () => [Ref, RenamedBranch] as const,
});

@ObjectType({ description: 'Reference to a git object.', simpleResolvers: true })
export class GitLink {
  @Computed(() => String, 'Object id: 40 hexadecimal digits.')
  sha!: string;

  @Computed(() => String, 'REST URL.')
  url!: string;
}

@ObjectType({ description: 'Tag as the REST API publishes it.', simpleResolvers: true })
export class TagDocument {
  @Computed(() => String, 'Short name.')
  name!: string;

  @Computed(() => ID, 'Global identifier of the ref.')
  nodeId!: string;

  @Computed(() => GitLink, 'Commit that it names.')
  commit!: GitLink;

  @Computed(() => String, 'URL of a zip archive.')
  zipballUrl!: string;

  @Computed(() => String, 'URL of a tar archive.')
  tarballUrl!: string;
}

export const TagDocumentConnection = connectionOf('TagDocument', () => TagDocument, 'tags');

export const ComparisonStatus = {
  AHEAD: 'ahead',
  BEHIND: 'behind',
  DIVERGED: 'diverged',
  IDENTICAL: 'identical',
} as const;
export type ComparisonStatusName = (typeof ComparisonStatus)[keyof typeof ComparisonStatus];
registerEnumType(ComparisonStatus, { name: 'ComparisonStatus', description: 'Status of the head against the base.' });

@ObjectType({ description: 'Comparison of two commits of a repository.', simpleResolvers: true })
export class CommitComparison {
  @Computed(() => Uri, 'Path of the page.')
  resourcePath!: string;

  @Computed(() => Uri, 'Path of the page, by ids.')
  permalinkPath!: string;

  @Computed(() => Commit, 'Base.')
  baseCommit!: Commit;

  @Computed(() => Commit, 'Newest common ancestor.')
  mergeBaseCommit!: Commit;

  @Computed(() => ComparisonStatus, 'Status of the head.')
  status!: ComparisonStatusName;

  @Computed(() => Int, 'Commits that only the head reaches.')
  aheadBy!: number;

  @Computed(() => Int, 'Commits that only the base reaches.')
  behindBy!: number;

  @ListSize(250)
  @Computed(() => [Commit], 'Page of the commits that only the head reaches, oldest first.')
  commits!: Commit[];

  @ListSize(300)
  @Computed(
    () => [CommitFile],
    'Files that the head changes since the common ancestor, at most 300; on the first page.',
  )
  files!: CommitFile[];
}

export const ComparisonContent = createUnionType({
  name: 'ComparisonContent',
  description: 'Comparison of two commits in the requested form.',
  types: () => [CommitComparison, PlainText] as const,
});

/** The account's fields are null together. Flat, because the contract has them beside the number of commits. */
@ObjectType({ description: 'Author of commits of a repository.', simpleResolvers: true })
export class Contributor {
  @Computed(() => Int, 'Number of commits.')
  contributions!: number;

  @Computed(() => String, 'Type: `User`, or `Anonymous` of an author without an account.')
  type!: string;

  @Computed(() => String, 'Name in the newest commit; null of an author with an account.', { null: true })
  name!: string | null;

  @Computed(() => String, 'Email address; null of an author with an account.', { null: true })
  email!: string | null;

  @Computed(() => String, 'Login; null of an author without an account.', { null: true })
  login!: string | null;

  @Computed(() => GraphQLSafeInt, 'Number of the account.', { null: true })
  accountId!: number | null;

  @Computed(() => ID, 'Global identifier of the account.', { null: true })
  nodeId!: string | null;

  @Computed(() => String, 'URL of the avatar.', { null: true })
  avatarUrl!: string | null;

  @Computed(() => String, 'Path of the page.', { null: true })
  resourcePath!: string | null;

  @Computed(() => String, 'URL of the page.', { null: true })
  webUrl!: string | null;

  @Computed(() => Boolean, 'Whether the account administers the installation.', { null: true })
  isSiteAdmin!: boolean | null;
}

export const ContributorConnection = connectionOf('Contributor', () => Contributor, 'contributors');
