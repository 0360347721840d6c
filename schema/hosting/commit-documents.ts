import { GraphQLSafeInt } from 'graphql-scalars';
import { createUnionType, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { CommitDocument, GitCommit, GitLink } from './git-commit.ts';

/** Requested representation of a commit. */
export const CommitForm = { JSON: 'JSON', SHA: 'SHA', DIFF: 'DIFF', PATCH: 'PATCH' } as const;
export type CommitFormName = keyof typeof CommitForm;
registerEnumType(CommitForm, {
  name: 'CommitForm',
  description: 'Representation of a commit: JSON, its id as text, or its changes as a diff or as a mail.',
});

@ObjectType({ description: 'Commit of a repository as the REST API publishes it.', simpleResolvers: true })
export class RepositoryCommit extends CommitDocument {
  @Computed(() => String, 'REST URL of the combined status.')
  statusUrl!: string;

  @Computed(() => String, 'REST URL of the comments.')
  commentsUrl!: string;

  @Computed(() => GitCommit, 'Commit as git stores it.')
  commit!: GitCommit;

  @Computed(() => [GitLink], 'Parents.')
  parents!: GitLink[];
}

export const RepositoryCommitConnection = connectionOf('RepositoryCommit', () => RepositoryCommit, 'commits');

@ObjectType({ description: 'Changed lines of a commit.', simpleResolvers: true })
export class CommitStats {
  @Computed(() => Int, 'Lines added.')
  additions!: number;

  @Computed(() => Int, 'Lines deleted.')
  deletions!: number;

  @Computed(() => Int, 'Lines added and deleted.')
  total!: number;
}

@ObjectType({ description: 'File that a commit changes.', simpleResolvers: true })
export class CommitFile {
  @Computed(() => String, 'Id of the blob; of a removed file, of the blob before.')
  sha!: string;

  @Computed(() => String, 'Path.')
  filename!: string;

  @Computed(() => String, 'Status: `added`, `removed`, `modified` or `changed` (of the type).')
  status!: string;

  @Computed(() => Int, 'Lines added; 0 of a file that is not compared.')
  additions!: number;

  @Computed(() => Int, 'Lines deleted; 0 of a file that is not compared.')
  deletions!: number;

  @Computed(() => Int, 'Lines added and deleted.')
  changes!: number;

  @Computed(() => String, 'URL of the page.')
  blobUrl!: string;

  @Computed(() => String, 'URL of the bytes.')
  rawUrl!: string;

  @Computed(() => String, 'REST URL of the contents.')
  contentsUrl!: string;

  @Computed(() => String, 'Changes as a unified diff; null for binary and large files.', { null: true })
  patch!: string | null;
}

@ObjectType({ description: 'Text that is not sent as JSON.', simpleResolvers: true })
export class PlainText {
  @Computed(() => String, 'Text.')
  text!: string;
}

export const CommitContent = createUnionType({
  name: 'CommitContent',
  description: 'Commit in the requested form.',
  types: () => [RepositoryCommit, PlainText] as const,
});

/** Of the REST contract, which answers 204 where there is nothing to merge. */
@ObjectType({ description: 'Branch that has the commit already.', simpleResolvers: true })
export class NothingToMerge {
  @Computed(() => String, 'Short name.')
  branch!: string;
}

export const MergeOutcome = createUnionType({
  name: 'MergeOutcome',
  description: 'Result of merging into a branch.',
  types: () => [RepositoryCommit, NothingToMerge] as const,
});

@ObjectType({ description: 'Result of bringing a branch of a fork up to date.', simpleResolvers: true })
export class MergedUpstream {
  @Computed(() => String, 'What was done, as a sentence.')
  message!: string;

  @Computed(() => String, 'Kind: `merge`, `fast-forward` or `none`.')
  mergeType!: string;

  @Computed(() => String, 'Login of the owner of the upstream repository, a colon, and the branch.')
  baseBranch!: string;
}

@ObjectType({ description: 'Branch as the REST API publishes it.', simpleResolvers: true })
export class BranchDocument {
  @Computed(() => String, 'Short name.')
  name!: string;

  @Computed(() => GitLink, 'Commit at the tip.')
  commit!: GitLink;

  @Computed(() => String, 'REST URL.')
  url!: string;

  @Computed(() => String, 'REST URL of the protection.')
  protectionUrl!: string;

  @Computed(() => String, 'URL of the page.')
  webUrl!: string;
}

@ObjectType({ description: 'Where a branch is that was renamed, for the REST API.', simpleResolvers: true })
export class RenamedBranch {
  @Computed(() => String, 'REST URL of the branch by its present name.')
  url!: string;
}

export const FoundBranch = createUnionType({
  name: 'FoundBranch',
  description: 'Result of looking for a branch by its name.',
  types: () => [BranchDocument, RenamedBranch] as const,
});

export const BranchDocumentConnection = connectionOf('BranchDocument', () => BranchDocument, 'branches');

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

@ObjectType({ description: 'Comparison of two commits of a repository.', simpleResolvers: true })
export class CommitComparison {
  @Computed(() => String, 'REST URL.')
  url!: string;

  @Computed(() => String, 'URL of the page.')
  webUrl!: string;

  @Computed(() => String, 'URL of the page, by ids.')
  permalinkUrl!: string;

  @Computed(() => String, 'URL of the changes as a diff.')
  diffUrl!: string;

  @Computed(() => String, 'URL of the changes as a patch.')
  patchUrl!: string;

  @Computed(() => RepositoryCommit, 'Base.')
  baseCommit!: RepositoryCommit;

  @Computed(() => RepositoryCommit, 'Newest common ancestor.')
  mergeBaseCommit!: RepositoryCommit;

  @Computed(() => String, 'Status of the head: `ahead`, `behind`, `diverged` or `identical`.')
  status!: string;

  @Computed(() => Int, 'Commits that only the head reaches.')
  aheadBy!: number;

  @Computed(() => Int, 'Commits that only the base reaches.')
  behindBy!: number;

  @Computed(() => [RepositoryCommit], 'Page of the commits that only the head reaches, oldest first.')
  commits!: RepositoryCommit[];

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
