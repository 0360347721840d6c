import { setImmediate } from 'node:timers/promises';
import type { Oid } from '../object.ts';
import { ScanObjectCache } from '../object-cache.ts';
import {
  type BlobContent,
  chunkBytes,
  findObjects,
  missingObject,
  openBlob,
  readObject,
  readTree,
  statObjects,
} from '../read-objects.ts';
import type { Repository } from '../repository.ts';
import { type EntryKind, entryKind } from '../tree.ts';
import { AttributeRules } from './attributes.ts';
import { type ArchivedCommit, type Conversion, conversionFor, maxConvertedBytes } from './conversions.ts';
import { convertFile } from './convert-file.ts';

/**
 * An entry of an archive, in the order of `git archive`. A directory precedes its entries; submodules are empty
 * directories.
 */
export interface ArchiveEntry {
  /** Bytes as latin1 characters; directories end in a slash. */
  path: string;
  kind: EntryKind;
  isExecutable: boolean;
  oid: Oid;
  /** Undefined for directories and submodules. */
  content: BlobContent | undefined;
}

interface WalkedEntry {
  /** Excluded by `export-ignore`. Still yielded by the walk: to git, its directory is not empty. */
  isExcluded: boolean;
  path: string;
  kind: EntryKind;
  isExecutable: boolean;
  oid: Oid;
  /** Undefined when the content is archived as it is stored. */
  conversion: Conversion | undefined;
}

/** Maximum number of entries whose sizes are read together, and of bytes that are read together. */
const maxBatch = { entries: 500, bytes: 2 * 1024 * 1024 };

/**
 * The entries of a commit without those that .gitattributes excludes (`export-ignore`), with the conversions it
 * requests (`eol=crlf`, `ident`, `export-subst`). At most `maxBatch.bytes` plus one converted file are in memory.
 */
export async function* archiveEntries(repository: Repository, archived: ArchivedCommit): AsyncGenerator<ArchiveEntry> {
  const reading = { ...repository, cache: new ScanObjectCache(repository.cache) };
  let group: WalkedEntry[] = [];
  for await (const found of walkTree(reading, archived.commit.tree, '', undefined)) {
    if (found.isExcluded) continue;
    group.push(found);
    if (group.length < maxBatch.entries) continue;
    yield* readContents(reading, group, archived);
    group = [];
  }
  yield* readContents(reading, group, archived);
}

/** Maximum size of a .gitattributes file; a larger one is ignored. git accepts up to 100 MB, but in its own process. */
const maxAttributesBytes = 256 * 1024;

/** Milliseconds of work after which the event loop gets a turn. */
const sliceMs = 10;

/** Walks depth first. A directory is yielded with its first entry, because `git archive` omits empty directories. */
async function* walkTree(
  repository: Repository,
  root: Oid,
  path: string,
  above: AttributeRules | undefined,
): AsyncGenerator<WalkedEntry> {
  const tree = await readTree(repository, root);
  const attributes = tree.get('.gitattributes');
  let rules = above;
  if (attributes && entryKind(attributes.mode) === 'file') {
    const { size } = (await statObjects(repository, [attributes.oid])).get(attributes.oid) ?? { size: 0 };
    if (size <= maxAttributesBytes) {
      const { content } = await readObject(repository, attributes.oid);
      rules = new AttributeRules(content.toString('latin1'), path, above);
    }
  }
  let sliceBegan = performance.now();
  for (const { mode, name, oid } of tree.entries) {
    if (performance.now() - sliceBegan > sliceMs) {
      await setImmediate();
      sliceBegan = performance.now();
    }
    const kind = entryKind(mode);
    const whole = `${path}${name.toString('latin1')}`;
    const isFolder = kind === 'directory' || kind === 'submodule';
    const isExcluded = rules?.find('export-ignore', whole, isFolder) === true;
    if (isExcluded && kind === 'directory') continue;
    const isExecutable = (Number.parseInt(mode, 8) & 0o100) !== 0;
    const conversion =
      rules && kind === 'file' ? conversionFor(attribute => rules?.find(attribute, whole, false)) : undefined;
    const found = { isExcluded, path: isFolder ? `${whole}/` : whole, kind, isExecutable, oid, conversion };
    if (kind !== 'directory') {
      yield found;
      continue;
    }
    let isEmpty = true;
    for await (const below of walkTree(repository, oid, `${whole}/`, rules)) {
      if (isEmpty) yield found;
      isEmpty = false;
      yield below;
    }
  }
}

async function* readContents(
  repository: Repository,
  group: readonly WalkedEntry[],
  archived: ArchivedCommit,
): AsyncGenerator<ArchiveEntry> {
  const blobs = group.filter(({ kind }) => kind === 'file' || kind === 'symlink');
  const stats = await statObjects(repository, [...new Set(blobs.map(({ oid }) => oid))]);
  for (let at = 0; at < group.length; ) {
    const part: WalkedEntry[] = [];
    for (let bytes = 0; at < group.length && bytes < maxBatch.bytes; at++) {
      const found = group[at];
      if (!found) break;
      part.push(found);
      bytes += sizeOf(found);
    }
    const small = part.filter(one => blobs.includes(one) && sizeOf(one) <= chunkBytes);
    const objects = await findObjects(
      repository,
      small.map(({ oid }) => oid),
    );
    for (const found of part) {
      const isBlob = found.kind === 'file' || found.kind === 'symlink';
      yield { ...found, content: isBlob ? await contentOf(found, objects.get(found.oid)?.content) : undefined };
    }
  }

  function sizeOf({ oid }: WalkedEntry): number {
    return stats.get(oid)?.size ?? 0;
  }

  async function contentOf({ oid, conversion }: WalkedEntry, known: Buffer | undefined): Promise<BlobContent> {
    const blob = known ? bufferContent(known) : await openBlob(repository, oid);
    if (!blob) throw missingObject(oid);
    if (!conversion || blob.size > maxConvertedBytes) return blob;
    const pieces: Buffer[] = [];
    for await (const piece of blob.pieces()) pieces.push(piece);
    return bufferContent(await convertFile({ content: Buffer.concat(pieces), conversion, oid, archived }));
  }
}

function bufferContent(bytes: Buffer): BlobContent {
  return {
    size: bytes.length,
    async *pieces() {
      yield bytes;
    },
  };
}
