import type { Matches, MatchGroup, TextPattern } from './match-group.ts';
import { buildViolation, type FileRule, maxNamedOffenders, type RuleViolation, timeoutViolation } from './rule.ts';
import type { ChangedFile } from './rule-input.ts';

/** Evaluates one rule over all changed files, in batches. */
export interface FileRuleEvaluator {
  needsSizes: boolean;
  /** Texts and patterns to match for a batch; undefined for a rule without patterns. */
  matchGroupFor(files: readonly ChangedFile[]): MatchGroup | undefined;
  /** `matches` is the match result of the group that was returned for this batch. */
  addBatch(files: readonly ChangedFile[], matches: Matches | undefined): void;
  violation(): RuleViolation | undefined;
}

/** Creates an evaluator for one push. */
export function fileRuleEvaluator(rule: FileRule): FileRuleEvaluator {
  const { isCandidate, matchedText, patterns } = filePredicate(rule);
  const offenders = new Set<string>();
  let total = 0;
  let isTimedOut = false;
  return {
    needsSizes: rule.type === 'max_file_size',
    matchGroupFor: files => (patterns ? { patterns, texts: files.filter(isCandidate).map(matchedText) } : undefined),
    addBatch(files, matches) {
      if (matches?.includes(undefined)) isTimedOut = true;
      for (const [at, file] of files.filter(isCandidate).entries()) {
        if (matches && matches[at] !== true) continue;
        if (offenders.size < maxNamedOffenders) offenders.add(truncatePath(file.path));
        total++;
      }
    },
    violation: () => {
      if (total > 0) return buildViolation(violationMessage(rule), [...offenders], Math.max(total, offenders.size));
      return isTimedOut ? timeoutViolation(rule) : undefined;
    },
  };
}

/** A file violates the rule when it is a candidate and, if the rule has patterns, its text matches one of them. */
interface FilePredicate {
  isCandidate(file: ChangedFile): boolean;
  matchedText(file: ChangedFile): string;
  patterns?: readonly TextPattern[];
}

const bytesPerMegabyte = 1024 * 1024;
const pathOf = ({ path }: ChangedFile): string => path;

function filePredicate(rule: FileRule): FilePredicate {
  switch (rule.type) {
    case 'file_path_restriction': {
      const patterns = rule.parameters.restricted_file_paths.map(pattern => ({ operator: 'glob', pattern }) as const);
      // Deleting a file also changes its path.
      return { isCandidate: () => true, matchedText: pathOf, patterns };
    }
    case 'max_file_path_length': {
      const max = rule.parameters.max_file_path_length;
      const isLong = (path: string): boolean => path.length > max && [...path].length > max;
      return { isCandidate: ({ path, after }) => after !== undefined && isLong(path), matchedText: pathOf };
    }
    case 'file_extension_restriction': {
      const patterns = rule.parameters.restricted_file_extensions.map(
        one => ({ operator: 'ends_with', pattern: normalizeExtension(one) }) as const,
      );
      const name = ({ path }: ChangedFile): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();
      return { isCandidate: ({ after }) => after !== undefined, matchedText: name, patterns };
    }
    case 'max_file_size': {
      const max = rule.parameters.max_file_size * bytesPerMegabyte;
      return { isCandidate: ({ after }) => (after?.size ?? 0) > max, matchedText: pathOf };
    }
  }
}

/** Treats `jar`, `.jar` and `*.jar` as equal. */
function normalizeExtension(extension: string): string {
  return `.${extension.replace(/^\*?\./, '').toLowerCase()}`;
}

function violationMessage(rule: FileRule): string {
  switch (rule.type) {
    case 'file_path_restriction':
      return 'Changes to these file paths are restricted.';
    case 'max_file_path_length':
      return `File paths must not be longer than ${rule.parameters.max_file_path_length} characters.`;
    case 'file_extension_restriction':
      return 'Files with these extensions are restricted.';
    case 'max_file_size':
      return `Files must not be larger than ${rule.parameters.max_file_size} MB.`;
  }
}

function truncatePath(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200).toWellFormed()}…` : path;
}
