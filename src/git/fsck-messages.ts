/**
 * Messages of `git fsck` that are warnings here, as on large hosts: old versions of git and converters from other systems have written
 * such objects into well-known repositories, and no git fails at them.
 */
const toleratedIds: ReadonlySet<string> = new Set(['badTimezone', 'missingSpaceBeforeDate', 'zeroPaddedFilemode']);

/** About a file that the checked objects refer to and that is not among them. */
const absentIds: ReadonlySet<string> = new Set(['gitmodulesMissing', 'gitattributesMissing']);

/** Settings that make warnings of the tolerated messages, for `git fsck` or, with the prefix `fetch.fsck`, for `git fetch`. */
export const fsckSettings = (prefix: 'fsck' | 'fetch.fsck' = 'fsck'): string[] =>
  [...toleratedIds].map(id => `${prefix}.${id}=warn`);

/** The arguments of a check that is as strict as the one of a push. What is missing is no matter of single objects. */
export const fsckArgs: readonly string[] = [
  'fsck',
  '--strict',
  '--full',
  '--no-dangling',
  '--no-reflogs',
  '--no-progress',
];

/** What git says about one object. */
export interface ObjectFinding {
  oid: string;
  /** `badTimezone: invalid author/committer line - bad time zone` */
  text: string;
  isTolerated: boolean;
}

/** `error: object <id>: <text>` of `git index-pack`, and `error in commit <id>: <text>` of `git fsck`. */
const findingLine = /^(?:error|warning)(?:: object| in (?:commit|tree|blob|tag)) ([0-9a-f]{40}): ([\x20-\x7e]{1,200})/;

/** Undefined for a line that is not about one object. */
export function parseFinding(line: string): ObjectFinding | undefined {
  const [, oid, text] = findingLine.exec(line) ?? [];
  if (oid === undefined || text === undefined) return undefined;
  const id = text.slice(0, text.indexOf(':'));
  return absentIds.has(id) ? undefined : { oid, text, isTolerated: toleratedIds.has(id) };
}

/** Lines that are kept. */
const maxKept = 10;

/** Takes the lines of git, and keeps the first findings and the number of the others. */
export class FsckFindings {
  readonly #isChecked: (oid: string) => boolean;
  readonly #warnings: ObjectFinding[] = [];
  readonly #errors: ObjectFinding[] = [];
  #warningCount = 0;

  /** @param isChecked whether findings of an object count */
  constructor(isChecked: (oid: string) => boolean = () => true) {
    this.#isChecked = isChecked;
  }

  readonly take = (line: string): void => {
    const finding = parseFinding(line);
    if (!finding || !this.#isChecked(finding.oid)) return;
    if (finding.isTolerated) this.#warningCount++;
    const kept = finding.isTolerated ? this.#warnings : this.#errors;
    if (kept.length < maxKept) kept.push(finding);
  };

  /** Why the objects are refused; empty when they are not. */
  get errors(): string[] {
    return this.#errors.map(({ oid, text }) => `error: object ${oid}: ${text}`);
  }

  /** What is odd about objects that are stored. */
  get warnings(): string[] {
    const lines = this.#warnings.map(({ oid, text }) => `warning: object ${oid}: ${text}`);
    const rest = this.#warningCount - this.#warnings.length;
    return rest > 0 ? [...lines, `warning: ${rest} more of these objects`] : lines;
  }
}
