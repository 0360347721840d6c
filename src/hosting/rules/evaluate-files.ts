import type { Matches, MatchGroup, TextPattern } from './match-group.ts';
import type { ChangedFile } from './push-facts.ts';
import { type Broken, brokenBy, type FileRule, mostNamed, unevaluated } from './rule.ts';

/** Judges changed files, batch by batch. */
export interface FileJudge {
  needsSizes: boolean;
  /** What is to be matched of a batch; undefined where the rule has no patterns. */
  textsOf(files: readonly ChangedFile[]): MatchGroup | undefined;
  /** `matches`: what came of `textsOf(files)`. */
  look(files: readonly ChangedFile[], matches: Matches | undefined): void;
  verdict(): Broken | undefined;
}

/** A judge who has seen no file yet. */
export function fileJudge(rule: FileRule): FileJudge {
  const { isAsked, text, patterns } = offence(rule);
  const offenders = new Set<string>();
  let all = 0;
  let isUnevaluated = false;
  return {
    needsSizes: rule.type === 'max_file_size',
    textsOf: files => (patterns ? { patterns, texts: files.filter(isAsked).map(text) } : undefined),
    look(files, matches) {
      if (matches?.includes(undefined)) isUnevaluated = true;
      for (const [at, file] of files.filter(isAsked).entries()) {
        if (matches && matches[at] !== true) continue;
        if (offenders.size < mostNamed) offenders.add(shortened(file.path));
        all++;
      }
    },
    verdict: () => {
      if (all > 0) return brokenBy(messageFor(rule), [...offenders], Math.max(all, offenders.size));
      return isUnevaluated ? unevaluated(rule) : undefined;
    },
  };
}

/** An offence is a file that is asked and, where there are patterns, whose text matches one of them. */
interface Offence {
  isAsked(file: ChangedFile): boolean;
  text(file: ChangedFile): string;
  patterns?: readonly TextPattern[];
}

const megabyte = 1024 * 1024;
const pathOf = ({ path }: ChangedFile): string => path;

function offence(rule: FileRule): Offence {
  switch (rule.type) {
    case 'file_path_restriction': {
      const patterns = rule.parameters.restricted_file_paths.map(pattern => ({ operator: 'glob', pattern }) as const);
      // A file that goes is a change at its path as well.
      return { isAsked: () => true, text: pathOf, patterns };
    }
    case 'max_file_path_length': {
      const most = rule.parameters.max_file_path_length;
      const isLong = (path: string): boolean => path.length > most && [...path].length > most;
      return { isAsked: ({ path, after }) => after !== undefined && isLong(path), text: pathOf };
    }
    case 'file_extension_restriction': {
      const patterns = rule.parameters.restricted_file_extensions.map(
        one => ({ operator: 'ends_with', pattern: endingOf(one) }) as const,
      );
      const name = ({ path }: ChangedFile): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();
      return { isAsked: ({ after }) => after !== undefined, text: name, patterns };
    }
    case 'max_file_size': {
      const most = rule.parameters.max_file_size * megabyte;
      return { isAsked: ({ after }) => (after?.size ?? 0) > most, text: pathOf };
    }
  }
}

/** `jar`, `.jar` and `*.jar` are the same. */
function endingOf(extension: string): string {
  return `.${extension.replace(/^\*?\./, '').toLowerCase()}`;
}

function messageFor(rule: FileRule): string {
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

function shortened(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200).toWellFormed()}…` : path;
}
