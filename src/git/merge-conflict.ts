/** Two sides cannot be merged. Nothing is stored. */
export class MergeConflict extends Error {
  /** Bytes as latin1 characters; empty where the histories cannot be merged. */
  readonly path: string;

  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

/** The first conflict in the output of `git merge-tree --write-tree -z --messages`. */
export function parseConflict(output: Buffer): MergeConflict {
  const fields = output.toString('latin1').split('\0');
  const modesByPath = new Map<string, string>();
  // The id of the tree; a line for each stage of a path; an empty field; the messages.
  let at = 1;
  for (; fields[at]; at++) {
    const [, mode = '', path = ''] = /^(\d+) [0-9a-f]+ \d\t(.*)$/s.exec(fields[at] ?? '') ?? [];
    modesByPath.set(path, mode);
  }
  for (at++; at < fields.length; ) {
    const paths = Number(fields[at]);
    if (!Number.isInteger(paths) || fields[at] === '') break;
    const [path = '', type = '', text = ''] = [fields[at + 1], fields[at + paths + 1], fields[at + paths + 2]];
    at += paths + 3;
    if (type.startsWith('CONFLICT')) return new MergeConflict(path, reasonOf(type, text, modesByPath.get(path)));
  }
  const [path = ''] = modesByPath.keys();
  return new MergeConflict(path, 'Both sides change the file.');
}

const reasons: readonly [part: string, reason: string][] = [
  ['binary', 'Both sides change the binary file.'],
  ['modify/delete', 'One side changes the file and the other deletes it.'],
  ['rename/delete', 'One side renames the file and the other deletes it.'],
  ['rename/rename', 'Both sides rename the file, or rename different files to one name.'],
  ['rename involved in collision', 'One side renames the file to a name that the other uses.'],
  ['directory rename suggested', 'One side renames the directory, and the other adds files to it.'],
  ['directory rename', 'One side divides the directory, and the other adds files to it.'],
  ['file location', 'One side renames the directory, and the other adds files to it.'],
  ['implicit dir rename', 'One side renames the directory, and the other adds files to it.'],
  ['file/directory', 'One side has a file where the other has a directory.'],
  ['distinct', 'The sides have different types of files.'],
  ['submodule', 'Both sides change the submodule.'],
];

/** `type` and `text` are of git: its text names commits that exist for the merge only. */
function reasonOf(type: string, text: string, mode: string | undefined): string {
  const start = text.slice(0, text.indexOf(':'));
  const known = reasons.find(([part]) => type.includes(part) || start.includes(part));
  if (known) return known[1];
  return mode === '120000' ? 'Both sides change the symlink.' : 'Both sides change the same lines.';
}
