import { fnmatch } from './fnmatch.ts';
import type { ChangedFile } from './push-facts.ts';
import { type Broken, brokenBy, type FileRule, mostNamed } from './rule.ts';

/** Judges changed files, batch by batch. */
export interface FileJudge {
  needsSizes: boolean;
  look(files: readonly ChangedFile[]): void;
  verdict(): Broken | undefined;
}

/** A judge who has seen no file yet. */
export function fileJudge(rule: FileRule): FileJudge {
  const isOffence = offence(rule);
  const offenders = new Set<string>();
  let all = 0;
  return {
    needsSizes: rule.type === 'max_file_size',
    look(files) {
      for (const file of files) {
        if (!isOffence(file)) continue;
        if (offenders.size < mostNamed) offenders.add(shortened(file.path));
        all++;
      }
    },
    verdict: () => (all === 0 ? undefined : brokenBy(messageFor(rule), [...offenders], Math.max(all, offenders.size))),
  };
}

const megabyte = 1024 * 1024;

function offence(rule: FileRule): (file: ChangedFile) => boolean {
  switch (rule.type) {
    case 'file_path_restriction': {
      const patterns = rule.parameters.restricted_file_paths.flatMap(one => fnmatch(one) ?? []);
      // A file that goes is a change at its path as well.
      return ({ path }) => patterns.some(matches => matches(path));
    }
    case 'max_file_path_length': {
      const most = rule.parameters.max_file_path_length;
      return ({ path, after }) => after !== undefined && path.length > most && [...path].length > most;
    }
    case 'file_extension_restriction': {
      const endings = rule.parameters.restricted_file_extensions.map(endingOf);
      return ({ path, after }) => {
        const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
        return after !== undefined && endings.some(ending => name.endsWith(ending));
      };
    }
    case 'max_file_size': {
      const most = rule.parameters.max_file_size * megabyte;
      return ({ after }) => (after?.size ?? 0) > most;
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
