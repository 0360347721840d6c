import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseTag } from '../../git/commit.ts';
import { type DiskRepository, openDiskRepository, readDiskObjects } from '../../git/disk-repository.ts';
import { type GitLimits, type LimitedGitOptions, runLimitedGit, startLimitedGit } from '../../git/limited-git.ts';
import { type GitObject, isObjectType, type ObjectType, type Oid } from '../../git/object.ts';
import { parseIdentity } from '../../git/rewrite-identities.ts';
import { startGit } from '../../git/system-git.ts';
import { maxBlobBytes } from '../../git/write-blob.ts';
import { WorkBudget } from '../../workers/work-budget.ts';
import { sourceImportError } from './source-import-error.ts';

/** Maximum large files that are recorded per import, and returned. */
export const maxLargeFiles = 1_000;
/** Files above this size count as large. */
export const largeFileBytes = 100_000_000;

const maxCounts = { authors: 100_000, refs: 100_000 };
/** Tags are in memory together, because nested ones are mapped after their targets. */
const maxTagBytes = 256 * 1024 * 1024;
/** Commits, trees and tags are read as a whole. */
const maxStructureBytes = 16 * 1024 * 1024;

/** Work of reading a line of the list of objects, some µs. */
const stepsPerLine = 4;

export interface SourceAuthor {
  remoteId: string;
  name: string;
  email: string;
}

export interface SourceLargeFile {
  oid: Oid;
  path: string;
  refName: string;
  size: number;
}

/** Facts about a fetched source, collected before anything is stored. */
export interface Scan {
  disk: DiskRepository;
  objects: number;
  commits: number;
  authors: SourceAuthor[];
  largeFiles: SourceLargeFile[];
  /** All large files, including those beyond `maxLargeFiles`. */
  large: { count: number; bytes: number };
  /** Path of the first file that is too large to be stored. */
  tooLarge: string | undefined;
  changesWorkflows: boolean;
}

export interface ScanOptions {
  /** The scratch directory; the object list is written into it. */
  folder: string;
  limits: GitLimits;
  signal: AbortSignal;
  /** Such as `.host/workflows/`. */
  workflowFolder: string;
}

/** Reads a fetched repository once: writes the list of its objects to a file, and collects authors and large files. */
export async function scanSource(options: ScanOptions): Promise<Scan> {
  const path = join(options.folder, 'repository.git');
  const disk = await openDiskRepository(path);
  if (disk.refs.length > maxCounts.refs) throw sourceImportError(`The source has more than ${maxCounts.refs} refs.`);
  const git: LimitedGitOptions = { folder: path, limits: options.limits, signal: options.signal };
  const scan: Scan = {
    disk,
    objects: 0,
    commits: 0,
    authors: [],
    largeFiles: [],
    large: { count: 0, bytes: 0 },
    tooLarge: undefined,
    changesWorkflows: false,
  };
  await listObjects(scan, git, options);
  scan.authors = await collectAuthors(disk, options);
  const ref = disk.head ?? disk.refs[0]?.name ?? '';
  for (const [at, file] of scan.largeFiles.entries()) {
    // Each lookup walks the whole history, so only the first 10 files are looked up; the rest get the default branch.
    file.refName = (at < 10 ? await findContainingRef(file.oid, git) : undefined) ?? ref;
  }
  return scan;
}

/** Lists all reachable objects as lines `<type> <id>` in a file: there may be millions. */
async function listObjects(scan: Scan, git: LimitedGitOptions, options: ScanOptions): Promise<void> {
  const lister = startLimitedGit(['rev-list', '--objects', '--all'], git);
  const format = '--batch-check=%(objecttype) %(objectsize) %(objectname) %(rest)';
  const measurer = startLimitedGit(['cat-file', format, '--buffer'], git);
  lister.process.stdin.end();
  lister.process.stdout.pipe(measurer.process.stdin);
  const list = createWriteStream(join(options.folder, objectListName));
  const lines = createInterface({ input: measurer.process.stdout.setEncoding('latin1') });
  // The deadline of the import is that of the signal, the time of git included.
  const turns = WorkBudget.unlimited(options.signal);
  try {
    for await (const line of lines) {
      turns.spendSteps(stepsPerLine);
      if (turns.isTurnDue) await turns.turn();
      const [, type = '', size = '', oid = '', bytes = ''] = /^(\w+) (\d+) ([0-9a-f]{40}) ?(.*)$/.exec(line) ?? [];
      if (!isObjectType(type)) throw sourceImportError('The source lacks an object that it needs.');
      scan.objects++;
      if (type === 'commit') scan.commits++;
      const path = Buffer.from(bytes, 'latin1').toString().replaceAll('\0', '');
      if (`${path.toLowerCase()}/`.startsWith(options.workflowFolder)) scan.changesWorkflows = true;
      if (Number(size) > (type === 'blob' ? largeFileBytes : maxStructureBytes))
        recordLargeFile(scan, { oid, path, refName: '', size: Number(size) }, type);
      if (!list.write(`${type} ${oid}\n`)) await once(list, 'drain', { signal: options.signal });
    }
    await Promise.all([lister.ended, measurer.ended]);
  } finally {
    lister.kill();
    measurer.kill();
    list.end();
  }
  await once(list, 'finish', { signal: options.signal });
}

function recordLargeFile(scan: Scan, file: SourceLargeFile, type: ObjectType): void {
  if (type !== 'blob') throw sourceImportError(`The ${type} ${file.oid} of the source has more than 16 MB.`);
  if (file.size > maxBlobBytes) scan.tooLarge ??= file.path || file.oid;
  scan.large.count++;
  scan.large.bytes += file.size;
  if (scan.largeFiles.length < maxLargeFiles) scan.largeFiles.push(file);
}

async function findContainingRef(oid: Oid, git: LimitedGitOptions): Promise<string | undefined> {
  const found = await runLimitedGit(['log', '--all', '--format=%H', '-1', `--find-object=${oid}`], git);
  const commit = found.toString().trim();
  if (commit === '') return undefined;
  const refs = await runLimitedGit(['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${commit}`], git);
  return refs.toString().trim() || undefined;
}

async function collectAuthors(disk: DiskRepository, options: ScanOptions): Promise<SourceAuthor[]> {
  const authors = new Map<string, SourceAuthor>();
  const turns = WorkBudget.unlimited(options.signal);
  for await (const { content } of commitsAndTags(disk, options)) {
    const encoding = encodingOf(content);
    for (const value of identityValues(content)) {
      turns.spendSteps();
      if (turns.isTurnDue) await turns.turn();
      const found = value && parseIdentity(value, encoding);
      if (!found || authors.has(found.key)) continue;
      authors.set(found.key, { remoteId: found.key, name: found.name, email: found.email });
      if (authors.size > maxCounts.authors)
        throw sourceImportError(`The source has more than ${maxCounts.authors} authors.`);
    }
  }
  return [...authors.values()];
}

/** The header `encoding` of a commit; no other line of the headers begins so. */
function encodingOf(content: Buffer): string | undefined {
  const start = content.indexOf('\nencoding ');
  if (start < 0 || content.subarray(0, start + 1).includes('\n\n')) return undefined;
  return content.toString('latin1', start + '\nencoding '.length, content.indexOf(lineFeed, start + 1));
}

const identityHeaders = ['author ', 'committer ', 'tagger '].map(name => Buffer.from(name));
const lineFeed = 0x0a;
/** Lines between two turns, at most 0.1 ms. */
const linesPerStep = 1_000;

/**
 * The values of the headers of a commit or tag that name people, and undefined after every thousand other lines. Byte by byte: 16 MB of
 * headers may have 8 million lines, for which `parseHeaders` has no memory, and a view and a search for each take 9 s instead of 50 ms.
 */
function* identityValues(content: Buffer): Generator<Buffer | undefined> {
  let lines = 0;
  for (let at = 0; at < content.length && content[at] !== lineFeed; ) {
    const start = at;
    while (at < content.length && content[at] !== lineFeed) at++;
    const header = identityHeaders.find(
      name => content[start] === name[0] && content.subarray(start, start + name.length).equals(name),
    );
    if (header) yield content.subarray(start + header.length, at);
    else if (++lines % linesPerStep === 0) yield undefined;
    at++;
  }
}

const objectListName = 'objects.txt';
/** Objects per git process. */
const objectsPerProcess = 20_000;

/** Reads the list that `scanSource` wrote, in batches. */
export async function* readObjectList(
  folder: string,
  wanted: (type: ObjectType) => boolean = () => true,
): AsyncGenerator<Oid[]> {
  const lines = createInterface({ input: createReadStream(join(folder, objectListName)) });
  const oids = async function* (): AsyncGenerator<Oid> {
    for await (const line of lines) {
      const [type = '', oid = ''] = line.split(' ');
      if (isObjectType(type) && wanted(type)) yield oid;
    }
  };
  yield* inParts(oids());
}

async function* inParts(oids: AsyncIterable<Oid>): AsyncGenerator<Oid[]> {
  let part: Oid[] = [];
  for await (const oid of oids) {
    part.push(oid);
    if (part.length < objectsPerProcess) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Commits after their parents, then tags after their targets. */
export async function* commitsAndTags(
  disk: DiskRepository,
  { folder, limits, signal }: Pick<ScanOptions, 'folder' | 'limits' | 'signal'>,
): AsyncGenerator<GitObject> {
  const lister = startLimitedGit(['rev-list', '--all', '--topo-order', '--reverse'], {
    folder: disk.folder,
    limits,
    signal,
  });
  lister.process.stdin.end();
  try {
    for await (const part of inParts(createInterface({ input: lister.process.stdout }))) yield* readObjects(disk, part);
    await lister.ended;
  } finally {
    lister.kill();
  }
  const waiting = new Map<Oid, GitObject>();
  let bytes = 0;
  for await (const part of readObjectList(folder, type => type === 'tag')) {
    for await (const tag of readObjects(disk, part)) {
      waiting.set(tag.oid, tag);
      bytes += tag.content.length;
      if (bytes > maxTagBytes) throw sourceImportError('The tags of the source have more than 256 MB.');
    }
  }
  yield* targetsFirst(waiting);
}

/** Nested tags in the order in which their ids can be replaced; empties `waiting`. */
export function* targetsFirst(waiting: Map<Oid, GitObject>): Generator<GitObject> {
  for (const first of [...waiting.values()]) {
    const chain: GitObject[] = [];
    for (let tag: GitObject | undefined = first; tag && waiting.delete(tag.oid); ) {
      chain.push(tag);
      tag = waiting.get(parseTag(tag.content, tag.oid).target);
    }
    yield* chain.reverse();
  }
}

async function* readObjects(disk: DiskRepository, oids: readonly Oid[]): AsyncGenerator<GitObject> {
  for await (const object of readDiskObjects(oids, args => startGit(disk.folder, args))) {
    yield { oid: object.oid, type: object.type, content: Buffer.from(await object.readAll()) };
  }
}
