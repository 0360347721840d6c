import { createUnionType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
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

@ObjectType({ description: 'Commit in a form that is text: its id, a diff or a mail.', simpleResolvers: true })
export class PlainText {
  @Computed(() => String, 'Text in the requested form.')
  text!: string;
}

export const CommitContent = createUnionType({
  name: 'CommitContent',
  description: 'Commit in the requested form.',
  types: () => [Commit, PlainText] as const,
});

@ObjectType({ description: 'Branch that has the commit already.', simpleResolvers: true })
export class NothingToMerge {
  @Computed(() => String, 'Short name of the branch.')
  branch!: string;
}

export const MergeOutcome = createUnionType({
  name: 'MergeOutcome',
  description: 'Result of merging into a branch.',
  types: () => [Commit, NothingToMerge] as const,
});

@ObjectType({ description: 'Branch that has another name now.', simpleResolvers: true })
export class RenamedBranch {
  @Computed(() => String, 'Present short name of the branch.')
  newName!: string;

  @Computed(() => Uri, 'URL of the branch by its present name in the API.')
  url!: string;
}

export const FoundBranch = createUnionType({
  name: 'FoundBranch',
  description: 'Result of looking for a branch by its name.',
  types: () => [Ref, RenamedBranch] as const,
});

export const ComparisonStatus = {
  AHEAD: 'ahead',
  BEHIND: 'behind',
  DIVERGED: 'diverged',
  IDENTICAL: 'identical',
} as const;
export type ComparisonStatusName = (typeof ComparisonStatus)[keyof typeof ComparisonStatus];
registerEnumType(ComparisonStatus, { name: 'ComparisonStatus', description: 'Status of the head against the base.' });

@ObjectType({ description: 'Numbers of a page of a list.', simpleResolvers: true })
export class PageNumbers {
  @Computed(() => Int, 'Number of the page, from 1.')
  number!: number;

  @Computed(() => Int, 'Number of the last page.')
  last!: number;
}

@ObjectType({ description: 'Comparison of two commits of a repository.', simpleResolvers: true })
export class CommitComparison {
  @Computed(() => Uri, 'Path of the page.')
  resourcePath!: string;

  @Computed(() => Uri, 'Path of the page, by ids.')
  permalinkPath!: string;

  @Computed(() => Commit, 'Commit that is the base.')
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

  @Computed(() => PageNumbers, 'Page of the commits.')
  pageNumbers!: PageNumbers;

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
