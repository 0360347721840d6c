import type { GraphQLError } from 'graphql';
import {
  absent,
  conflict,
  forbidden,
  notAcceptable,
  notFound,
  unsupportedMediaType,
  validationFailed,
} from '../errors/errors.ts';
import type { GitError } from '../git/git-error.ts';

/** Input quoted in a message is cut to this many characters. */
const maxQuoted = { name: 300, date: 200 };

const invalid = (message: string): GraphQLError => validationFailed([], message);

/** The published form of input that has the wrong shape. */
const invalidRequest = (line: string): Error => invalid(`Invalid request.\n\n${line}`);

const malformedPath = (message: string): Error =>
  validationFailed([{ resource: 'Commit', field: 'path', code: 'invalid' }], message);

const quotedDate = (text: string): string =>
  text
    .slice(0, maxQuoted.date)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ');

/**
 * The wording of every problem with git data that a client can cause: commits, contents, refs and pushes throw these and
 * contain no sentences of their own. The sentences are published; clients match on them.
 */
export const gitProblems = {
  // Refs and branches.
  branchAbsent: (branch: string) => absent({}, `Branch ${branch} not found`),
  branchAbsentHere: () => absent({}, 'Branch not found'),
  branchNotFound: (branch: string) => notFound({}, `Branch ${branch} not found`),
  commitAbsent: (ref: string) => absent({}, `No commit found for the ref ${ref}`),
  defaultBranchDeleted: () => invalid('The default branch cannot be deleted.'),
  noCommonAncestor: (base: string, head: string) => absent({}, `No common ancestor between ${base} and ${head}.`),
  invalidBranchName: () => validationFailed([{ resource: 'Reference', field: 'branch', code: 'invalid' }]),
  invalidExpectedHead: () => invalid('expectedHead must be a whole id of a commit.'),
  invalidExpectedId: () => invalid('expected must be a whole id.'),
  invalidRefName: (ref: string) => invalid(`${ref.slice(0, maxQuoted.name)} is not a valid ref name.`),
  notFastForward: () => invalid('Update is not a fast forward'),
  refExists: () => invalid('Reference already exists'),
  refMissing: () => invalid('Reference does not exist'),
  repositoryEmpty: () => conflict({ reason: 'empty' }, 'Git Repository is empty.'),
  refRefused: (messages: readonly string[]) =>
    validationFailed(
      [...new Set(messages)].map(message => ({ resource: 'Reference', field: 'ref', code: 'custom', message })),
      'Reference update failed',
    ),
  tooManyBranches: (max: number) =>
    invalid(`The protection of at most ${max} branches is evaluated. List all branches instead.`),
  tooManyRefs: (max: number) => invalid(`More than ${max} refs match. Send a longer beginning of their names.`),
  repositoryCopying: () =>
    conflict({ reason: 'copying' }, 'The contents of this fork are still being copied. Try again later.'),
  directoryWithoutBytes: () =>
    unsupportedMediaType(
      {},
      "Unsupported 'Accept' header: a directory has no raw form. Must accept 'application/json'.",
    ),
  repositoryWithoutContents: () => absent({}, 'This repository is empty.'),

  // Concurrent pushes. `reason` tells a client whether to try again.
  pushRefused: (messages: readonly string[]) =>
    conflict({ metadata: {} }, ['Repository rule violations found', '', ...new Set(messages)].join('\n')),
  refBusy: (ref: string) => conflict({ reason: 'busy' }, `Others are writing ${ref} at this moment. Try again.`),
  refMoved: ({ actual, expected }: { actual: string | undefined; expected: string | undefined }) =>
    conflict({ reason: 'moved' }, `is at ${actual ?? 'nothing'} but expected ${expected ?? 'nothing'}`),
  branchMoved: ({ actual, expected }: { actual: string; expected: string }) =>
    conflict({}, `is at ${actual} but expected ${expected}`),

  // Merges.
  baseAbsent: () => absent({}, 'Base does not exist'),
  mergeConflict: (path: string, reason: string) =>
    conflict(
      {
        errors: [{ resource: 'Merge', ...(path === '' ? {} : { field: path }), code: 'custom', message: reason }],
      },
      'Merge conflict',
    ),
  notAFork: () => invalid('The repository is no fork of a repository that you can read.'),
  notSyncable: (branch: string) =>
    invalid(`The branch ${branch.slice(0, maxQuoted.name)} does not exist in the fork and in its upstream repository.`),

  // Commits as text.
  diffTooLarge: () =>
    notAcceptable(
      { errors: [{ resource: 'Commit', field: 'diff', code: 'too_large' }] },
      'Sorry, the diff exceeds the limits: 3,000 files, 1 MB for a binary file of a patch, and 4 MB of text.',
    ),
  tooManyPatches: (max: number) =>
    notAcceptable(
      { errors: [{ resource: 'Commit', field: 'patch', code: 'too_large' }] },
      `Sorry, a patch has at most ${max} commits.`,
    ),

  // Objects.
  baseTreeInvalid: () => invalid('base_tree is not a valid tree oid'),
  blobTooLargeToShow: (megabytes: number) =>
    forbidden(
      { errors: [{ resource: 'Blob', field: 'data', code: 'too_large' }] },
      `This API returns blobs up to ${megabytes} MB in size. The requested blob is too large to fetch via the API.`,
    ),
  blobTooLargeToStore: () => validationFailed([{ resource: 'Blob', field: 'content', code: 'too_large' }]),
  contentNotBase64: () => invalid('content is not valid Base64'),
  invalidIds: () => invalid('Each SHA must be exactly 40 characters and contain only [0-9a-f].'),
  invalidParentIds: () =>
    invalid("Each SHA in the 'parents' parameter must be exactly 40 characters and contain only [0-9a-f]."),
  invalidId: (parameter: 'object' | 'sha' | 'tree') =>
    invalid(`The ${parameter} parameter must be exactly 40 characters and contain only [0-9a-f].`),
  invalidTagName: (tag: string) => invalid(`${tag.slice(0, maxQuoted.name)} is not a valid tag name.`),
  objectMissing: () => invalid('Object does not exist'),
  repositoryFull: (megabytes: number) =>
    forbidden({}, `The repository has more than ${megabytes} MB, which is the limit, and takes no further objects.`),
  parentMissing: () => invalid('Parent SHA does not exist or is not a commit object'),
  tooManyParents: (max: number) => invalid(`A commit has at most ${max} parents.`),
  treeEntryAmbiguous: () => invalid('Must supply either tree.sha or tree.content, not both'),
  tooManyTreeEntries: (max: number) => invalid(`A new tree has at most ${max} entries.`),
  treeEntryIncomplete: () => invalid('Must supply tree.sha or tree.content, and tree.mode'),
  treeEntryMode: () => invalid('tree.mode must be one of 100644, 100755, 040000, 160000 or 120000'),
  treeEntryNotTree: (sha: string) => invalid(`tree.sha ${sha} is not a valid tree`),
  tagTypeWrong: (type: string) => invalid(`object is not a ${type}`),
  unknownEncoding: () => invalid('encoding must be utf-8 or base64'),
  treeEntryNotBlob: (sha: string) => invalid(`tree.sha ${sha} is not a valid blob`),
  treeMissing: () => invalid('Tree SHA does not exist'),
  treeWrongType: () => invalid('Tree SHA is not a tree object'),

  // Files.
  pathStartsWithSlash: () => invalid('path cannot start with a slash'),
  pathMalformed: () => malformedPath('path contains a malformed path component'),
  pathThroughFile: () => malformedPath('path leads through a file as if it were a folder'),
  shaMismatch: (path: string, sha: string) => conflict({}, `${path} does not match ${sha}`),
  shaNotSupplied: () => invalidRequest('"sha" wasn\'t supplied.'),

  // Authors and other parameters.
  dateBefore1970: (text: string) =>
    invalidRequest(`${quotedDate(text)} is before 1970-01-01T00:00:00Z; git cannot store it.`),
  invalidDate: (text: string) => invalidRequest(`${quotedDate(text)} is not a valid date-time.`),
  nullNotAllowed: (type: 'object' | 'array' | 'string', parameter: string) =>
    invalidRequest(`For 'properties/${parameter}', nil is not ${type === 'string' ? 'a' : 'an'} ${type}.`),
  personIncomplete: (resource: 'author' | 'committer' | 'tagger', fields: readonly ('name' | 'email')[]) =>
    validationFailed(fields.map(field => ({ resource, code: 'missing_field' as const, field }))),
  personNotStorable: (resource: 'author' | 'committer' | 'tagger', field: string) =>
    validationFailed([
      {
        resource,
        field,
        code: 'custom',
        message: `${field} must not contain <, >, line feeds or NUL, nor begin or end with white space`,
      },
    ]),
} satisfies Record<string, (...data: never[]) => Error>;

/** The problem that a GitError stands for; the error itself where it is a defect of ours and not of the request. */
export function gitErrorProblem(error: GitError): Error {
  switch (error.code) {
    case 'bad-path':
      return error.subject.startsWith('/') ? gitProblems.pathStartsWithSlash() : gitProblems.pathMalformed();
    case 'not-a-repository':
      return notFound();
    case 'corrupt':
      return error;
    default:
      // The messages of the other codes name the object, path or ref and are meant for clients.
      return invalid(error.message);
  }
}
