import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseHeaders, parseTag } from '../../git/commit.ts';
import { type DiskRepository, openDiskRepository, readDiskObjects } from '../../git/disk-repository.ts';
import { type GitLimits, type LimitedGitOptions, runLimitedGit, startLimitedGit } from '../../git/limited-git.ts';
import { type GitObject, isObjectType, type ObjectType, type Oid } from '../../git/object.ts';
import { parseIdentity } from '../../git/rewrite-identities.ts';
import { startGit } from '../../git/system-git.ts';
import { maxBlobBytes } from '../../git/write-blob.ts';
import { sourceImportError } from './source-import-error.ts';
import { maxLargeFiles } from './source-imports.queries.ts';

/** Files above this size count as large. */
export const largeFileBytes = 100_000_000;

const maxCounts = { authors: 100_000, refs: 100_000 };

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
  try {
    for await (const line of lines) {
      const [, type = '', size = '', oid = '', bytes = ''] = /^(\w+) (\d+) ([0-9a-f]{40}) ?(.*)$/.exec(line) ?? [];
      if (!isObjectType(type)) throw sourceImportError('The source lacks an object that it needs.');
      scan.objects++;
      if (type === 'commit') scan.commits++;
      const path = Buffer.from(bytes, 'latin1').toString().replaceAll('\0', '');
      if (`${path.toLowerCase()}/`.startsWith(options.workflowFolder)) scan.changesWorkflows = true;
      if (Number(size) > largeFileBytes) recordLargeFile(scan, { oid, path, refName: '', size: Number(size) }, type);
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
  if (file.size > maxBlobBytes) scan.tooLarge ??= file.path || file.oid;
  if (type !== 'blob') return;
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
  for await (const { oid, content } of commitsAndTags(disk, options)) {
    for (const { name, value } of parseHeaders(content, oid).headers) {
      if (name !== 'author' && name !== 'committer' && name !== 'tagger') continue;
      const found = parseIdentity(value);
      if (!found || authors.has(found.key)) continue;
      authors.set(found.key, { remoteId: found.key, name: found.name, email: found.email });
      if (authors.size > maxCounts.authors)
        throw sourceImportError(`The source has more than ${maxCounts.authors} authors.`);
    }
  }
  return [...authors.values()];
}

const objectListName = 'objects.txt';
/** Objects per git process. */
const objectsPerProcess = 20_000;

/** Reads the list that `scanSource` wrote, in batches. */
export async function* readObjectList(
  folder: string,
  wanted: (type: ObjectType) => boolean = () => true,
): AsyncGenerator<Oid[]> {
  let part: Oid[] = [];
  for await (const line of createInterface({ input: createReadStream(join(folder, objectListName)) })) {
    const [type = '', oid = ''] = line.split(' ');
    if (!isObjectType(type) || !wanted(type)) continue;
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
  const listed = await runLimitedGit(['rev-list', '--all', '--topo-order', '--reverse'], {
    folder: disk.folder,
    limits,
    signal,
  });
  const oids = listed.toString('latin1').split('\n').filter(Boolean);
  for (let at = 0; at < oids.length; at += objectsPerProcess)
    yield* readObjects(disk, oids.slice(at, at + objectsPerProcess));
  const tags: Oid[] = [];
  for await (const part of readObjectList(folder, type => type === 'tag')) tags.push(...part);
  const waiting = new Map<Oid, GitObject>();
  for await (const tag of readObjects(disk, tags)) waiting.set(tag.oid, tag);
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
