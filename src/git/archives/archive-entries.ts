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

/** What an archive holds, in the order of `git archive`. Folders stand before what is in them; submodules are empty folders. */
export interface ArchiveEntry {
  /** Bytes as characters (latin1); folders end in a slash. */
  path: string;
  kind: EntryKind;
  isExecutable: boolean;
  oid: Oid;
  /** Of files and links. */
  content: BlobContent | undefined;
}

interface WalkedEntry {
  /** Kept out by attributes; told all the same, because the folder it is in then has something in it for git. */
  isExcluded: boolean;
  path: string;
  kind: EntryKind;
  isExecutable: boolean;
  oid: Oid;
  /** Undefined where content is archived as it is stored. */
  conversion: Conversion | undefined;
}

/** Entries whose sizes are asked for together, and bytes that are read together. */
const maxBatch = { entries: 500, bytes: 2 * 1024 * 1024 };

/**
 * The entries of a commit, without what .gitattributes keeps out of archives (`export-ignore`), and files as it has them
 * written (`eol=crlf`, `ident`, `export-subst`). At most `most.bytes` are held, and one file that is converted.
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

/** Bytes of a file of attributes; a larger one is left out. git takes up to 100 MB, which it reads in a process of its own. */
const maxAttributesBytes = 256 * 1024;

/** Milliseconds that entries are worked on before others are served. */
const sliceMs = 10;

/** Depth first. A folder comes once something in it does: git writes none that stays empty. */
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
