import { absent, conflict, forbidden, notFound, validationFailed } from '../errors/errors.ts';
import type { GitError } from '../git/git-error.ts';

/** Input quoted in a message is cut to this many characters. */
const maxQuoted = { name: 300, date: 200 };

const invalid = (message: string): Error => validationFailed([], message);

/** The published form of input that has the wrong shape. */
const invalidRequest = (line: string): Error => invalid(`Invalid request.\n\n${line}`);

const malformedPath = (message: string): Error =>
  validationFailed([{ resource: 'Commit', field: 'path', code: 'invalid' }], message);

/**
 * The wording of every problem with git data that a client can cause: commits, contents, refs and pushes throw these and
 * contain no sentences of their own. The sentences are published; clients match on them.
 */
export const gitProblems = {
  // Refs and branches.
  branchAbsent: (branch: string) => absent({}, `Branch ${branch} not found`),
  branchNotFound: (branch: string) => notFound({}, `Branch ${branch} not found`),
  commitAbsent: (ref: string) => absent({}, `No commit found for the ref ${ref}`),
  defaultBranchDeleted: () => invalid('The default branch cannot be deleted.'),
  invalidBranchName: () => validationFailed([{ resource: 'Reference', field: 'branch', code: 'invalid' }]),
  invalidExpectedHead: () => invalid('expectedHead must be a whole id of a commit.'),
  invalidExpectedId: () => invalid('expected must be a whole id.'),
  invalidRefName: (ref: string) => invalid(`${ref.slice(0, maxQuoted.name)} is not a valid ref name.`),
  notFastForward: () => invalid('Update is not a fast forward'),
  refExists: () => invalid('Reference already exists'),
  refMissing: () => invalid('Reference does not exist'),
  repositoryEmpty: () => conflict({ reason: 'empty' }, 'Git Repository is empty.'),
  repositoryWithoutContents: () => absent({}, 'This repository is empty.'),

  // Concurrent pushes. `reason` tells a client whether to try again.
  pushRefused: (messages: readonly string[]) =>
    conflict({ metadata: {} }, ['Repository rule violations found', '', ...new Set(messages)].join('\n')),
  refBusy: (ref: string) => conflict({ reason: 'busy' }, `Others are writing ${ref} at this moment. Try again.`),
  refMoved: ({ actual, expected }: { actual: string | undefined; expected: string | undefined }) =>
    conflict({ reason: 'moved' }, `is at ${actual ?? 'nothing'} but expected ${expected ?? 'nothing'}`),
  branchMoved: ({ actual, expected }: { actual: string; expected: string }) =>
    conflict({}, `is at ${actual} but expected ${expected}`),

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
  invalidId: (parameter: 'sha' | 'tree') =>
    invalid(`The ${parameter} parameter must be exactly 40 characters and contain only [0-9a-f].`),
  invalidTagName: (tag: string) => invalid(`${tag.slice(0, maxQuoted.name)} is not a valid tag name.`),
  objectMissing: () => invalid('Object does not exist'),
  repositoryFull: (megabytes: number) =>
    forbidden({}, `The repository has more than ${megabytes} MB, which is the limit, and takes no further objects.`),
  parentMissing: () => invalid('Parent SHA does not exist or is not a commit object'),
  tooManyParents: (max: number) => invalid(`A commit has at most ${max} parents.`),
  treeEntryAmbiguous: () => invalid('Must supply either tree.sha or tree.content, not both'),
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
  invalidDate: (text: string) => {
    const quoted = text
      .slice(0, maxQuoted.date)
      .toWellFormed()
      .replace(/\p{Cc}/gu, ' ');
    return invalidRequest(`${quoted} is not a valid date-time.`);
  },
  nullNotAllowed: (type: 'object' | 'array' | 'string', parameter: string) =>
    invalidRequest(`For 'properties/${parameter}', nil is not ${type === 'string' ? 'a' : 'an'} ${type}.`),
  personIncomplete: (resource: 'author' | 'committer' | 'tagger', fields: readonly ('name' | 'email')[]) =>
    validationFailed(fields.map(field => ({ resource, code: 'missing_field' as const, field }))),
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
