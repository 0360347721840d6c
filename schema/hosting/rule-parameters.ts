import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Limits } from '../vocabulary/limits.ts';
import { ListSize } from '../vocabulary/list-size.ts';

/** Maximum objects in a list of a rule's parameters. */
export const maxParameterObjects = 50;

export const MergeQueueGroupingStrategy = { ALLGREEN: 'ALLGREEN', HEADGREEN: 'HEADGREEN' } as const;
registerEnumType(MergeQueueGroupingStrategy, {
  name: 'MergeQueueGroupingStrategy',
  description: 'Commits of a merge queue that must pass their checks: all of a group, or its head.',
});

export const MergeQueueMergeMethod = { MERGE: 'MERGE', REBASE: 'REBASE', SQUASH: 'SQUASH' } as const;
registerEnumType(MergeQueueMergeMethod, {
  name: 'MergeQueueMergeMethod',
  description: 'Method by which a merge queue merges.',
});

/** Least and greatest values of the parameters that are integers. */
export const parameterRanges = {
  checkResponseTimeoutMinutes: [1, 360],
  maxEntriesToBuild: [0, 100],
  maxEntriesToMerge: [0, 100],
  minEntriesToMerge: [0, 100],
  minEntriesToMergeWaitMinutes: [0, 360],
  requiredApprovingReviewCount: [0, 10],
  minimumApprovals: [0, 10],
  maxFilePathLength: [1, 32_767],
  maxFileSize: [1, 100],
} as const;

interface ParameterField {
  type: (side: Side) => object;
  about: string;
  /** Absent in an input, and its value in the output then; null for none. */
  fallback?: boolean | null;
  /** Whether it is a list of objects, at most `maxParameterObjects`. */
  isObjectList?: boolean;
  /** Least and greatest value of an integer. */
  range?: readonly [number, number];
  /** Only in outputs: name of the field whose stored value it is, null where that is absent. */
  of?: string;
}

type Side = 'output' | 'input';
type Sides = Readonly<Record<Side, new () => object>>;
type Fields = Readonly<Record<string, ParameterField>>;

/** Parameters of one rule type: its class in outputs, and that in inputs. */
export interface ParameterTypes extends Sides {
  /** Values of the fields that a stored document may lack. */
  readonly fallbacks: Readonly<Record<string, boolean | null>>;
  /** Fields that are stored under the name of another one. */
  readonly copies: Readonly<Record<string, string>>;
}

const ofType = (type: ParameterField['type'], about: string): ParameterField => ({ type, about });
const optional = (field: ParameterField): ParameterField => ({ ...field, fallback: null });
const objects = (sides: Sides, about: string): ParameterField => ({
  ...optional(ofType(side => [sides[side]], `${about}, at most ${maxParameterObjects}; null for none.`)),
  isObjectList: true,
});
const texts = (about: string): ParameterField => ofType(() => [String], about);
const flag = (about: string): ParameterField => ofType(() => Boolean, about);
const count = (about: string, range: readonly [number, number]): ParameterField => ({
  ...ofType(() => Int, about),
  range,
});

/** Declares both classes, so that what is read can be written back. */
function bothSides(name: string, description: string, fields: Fields): Sides {
  @ObjectType(name, { description, simpleResolvers: true })
  class Output {}

  @InputType(`${name}Input`, { description })
  class Input {}

  for (const [field, { type, about, fallback, of, range, isObjectList = false }] of Object.entries(fields)) {
    const outputs = { description: about, nullable: fallback === null };
    Field((() => type('output')) as never, outputs)(Output.prototype, field);
    if (isObjectList) ListSize(maxParameterObjects)(Output.prototype, field);
    const inputs = { description: about, nullable: fallback !== undefined };
    if (of === undefined) Field((() => type('input')) as never, inputs)(Input.prototype, field);
    if (range) Limits({ minimum: range[0], maximum: range[1] })(Input.prototype, field);
  }
  return { output: Output, input: Input };
}

function parametersOf(name: string, about: string, fields: Fields): ParameterTypes {
  const sides = bothSides(`${name}Parameters`, `Parameters of ${about}.`, fields);
  const fallbacks = Object.entries(fields).flatMap(([field, { fallback }]) =>
    fallback === undefined ? [] : [[field, fallback] as const],
  );
  const copies = Object.entries(fields).flatMap(([field, { of }]) => (of === undefined ? [] : [[field, of] as const]));
  return {
    ...sides,
    ...{ fallbacks: Object.fromEntries(fallbacks), copies: Object.fromEntries(copies) },
  };
}

const patternFields = {
  name: optional(ofType(() => String, 'Name of the pattern, at most 255 characters; null for none.')),
  negate: { ...flag('Whether the pattern must not match.'), fallback: false },
  givenNegate: {
    ...flag('Value of `negate` that was given; null where it is false because none was.'),
    fallback: null,
    of: 'negate',
  },
  operator: ofType(
    () => String,
    'How the pattern matches, in the spelling of the guide to rules, such as `starts_with`.',
  ),
  pattern: ofType(() => String, 'Pattern, at most 511 characters; a regular expression has the syntax of RE2.'),
};

const ruleActor = bothSides('RuleActor', 'Actor that a rule names; whether there is one is not looked up.', {
  databaseId: optional(ofType(() => GraphQLSafeInt, 'Number of the actor; null where none was sent.')),
  type: optional(ofType(() => String, 'Type of the actor, as it was sent; null where none was.')),
});

const requiredReviewers = bothSides(
  'RequiredReviewerConfiguration',
  'Reviewer of the files that match patterns; it is not evaluated.',
  {
    filePatterns: optional(texts('Patterns of the files, at most 200; null where none were sent.')),
    minimumApprovals: optional(
      count('Least number of approvals, 0 to 10; null where none was sent.', parameterRanges.minimumApprovals),
    ),
    reviewer: optional(ofType(side => ruleActor[side], 'Required reviewer; null where none was sent.')),
  },
);

const dismissalRestriction = bothSides(
  'DismissalRestriction',
  'Restriction of those who may dismiss reviews; it is not evaluated.',
  {
    allowedActors: objects(ruleActor, 'Actors that may dismiss'),
    enabled: optional(flag('Whether dismissing is restricted; null where that was not sent.')),
  },
);

/** Types of the parameters by rule type; other rule types have none. */
export const parameterTypes = {
  update: parametersOf('Update', 'a rule on updates', {
    updateAllowsFetchAndMerge: flag('Whether the branch of a fork can be updated from its upstream; not evaluated.'),
  }),
  pull_request: parametersOf('PullRequest', 'a rule that requires pull requests; they are not evaluated', {
    allowedMergeMethods: optional(texts('Allowed methods, in lower case; null for all.')),
    dismissalRestriction: optional(
      ofType(side => dismissalRestriction[side], 'Restriction of those who may dismiss reviews; null for none.'),
    ),
    dismissStaleReviewsOnPush: flag('Whether a push dismisses approvals.'),
    requireCodeOwnerReview: flag('Whether an owner of the changed code must approve.'),
    requireLastPushApproval: flag('Whether another user than the last pusher must approve.'),
    requiredApprovingReviewCount: count('Number of approvals, 0 to 10.', parameterRanges.requiredApprovingReviewCount),
    requiredReviewThreadResolution: flag('Whether all threads must be resolved.'),
    requiredReviewers: objects(requiredReviewers, 'Reviewers of some files'),
  }),
  merge_queue: parametersOf('MergeQueue', 'a rule that requires a merge queue; they are not evaluated', {
    checkResponseTimeoutMinutes: count(
      'Minutes in which a check must report, 1 to 360.',
      parameterRanges.checkResponseTimeoutMinutes,
    ),
    groupingStrategy: ofType(() => MergeQueueGroupingStrategy, 'Commits of a group that must pass.'),
    maxEntriesToBuild: count('Maximum entries that are built at a time, 0 to 100.', parameterRanges.maxEntriesToBuild),
    maxEntriesToMerge: count('Maximum entries that are merged together, 0 to 100.', parameterRanges.maxEntriesToMerge),
    mergeMethod: ofType(() => MergeQueueMergeMethod, 'Method by which entries are merged.'),
    minEntriesToMerge: count('Minimum entries that are merged together, 0 to 100.', parameterRanges.minEntriesToMerge),
    minEntriesToMergeWaitMinutes: count(
      'Minutes to wait for the minimum of entries, 0 to 360.',
      parameterRanges.minEntriesToMergeWaitMinutes,
    ),
  }),
  commit_message_pattern: parametersOf('CommitMessagePattern', 'a rule on commit messages', patternFields),
  commit_author_email_pattern: parametersOf('CommitAuthorEmailPattern', 'a rule on emails of authors', patternFields),
  committer_email_pattern: parametersOf('CommitterEmailPattern', 'a rule on emails of committers', patternFields),
  branch_name_pattern: parametersOf('BranchNamePattern', 'a rule on names of branches', patternFields),
  tag_name_pattern: parametersOf('TagNamePattern', 'a rule on names of tags', patternFields),
  file_path_restriction: parametersOf('FilePathRestriction', 'a rule on paths of files', {
    restrictedFilePaths: texts('Patterns of paths that no commit may change, at most 200.'),
  }),
  max_file_path_length: parametersOf('MaxFilePathLength', 'a rule on the length of paths', {
    maxFilePathLength: count('Maximum characters of a path, 1 to 32,767.', parameterRanges.maxFilePathLength),
  }),
  file_extension_restriction: parametersOf('FileExtensionRestriction', 'a rule on extensions of files', {
    restrictedFileExtensions: texts('Extensions that no commit may add or change, at most 200.'),
  }),
  max_file_size: parametersOf('MaxFileSize', 'a rule on the size of files', {
    maxFileSize: count('Maximum megabytes of a file, 1 to 100.', parameterRanges.maxFileSize),
  }),
} as const satisfies Record<string, ParameterTypes>;
