import { setImmediate } from 'node:timers/promises';
import type { Oid } from '../object.ts';
import { PassingObjectCache } from '../object-cache.ts';
import {
  type BlobContent,
  chunkSize,
  findObjects,
  missing,
  openBlob,
  readObject,
  readTree,
  statObjects,
} from '../read-objects.ts';
import type { Repository } from '../repository.ts';
import { type EntryKind, kindOf } from '../tree.ts';
import { AttributeRules } from './attributes.ts';
import { type ArchivedCommit, type Conversion, conversionOf, largestConverted } from './conversions.ts';
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

interface Found {
  /** Kept out by attributes; told all the same, because the folder it is in then has something in it for git. */
  isLeftOut: boolean;
  path: string;
  kind: EntryKind;
  isExecutable: boolean;
  oid: Oid;
  /** Undefined where content is archived as it is stored. */
  conversion: Conversion | undefined;
}

/** Entries whose sizes are asked for together, and bytes that are read together. */
const most = { entries: 500, bytes: 2 * 1024 * 1024 };

/**
 * The entries of a commit, without what .gitattributes keeps out of archives (`export-ignore`), and files as it has them
 * written (`eol=crlf`, `ident`, `export-subst`). At most `most.bytes` are held, and one file that is converted.
 */
export async function* archiveEntries(repository: Repository, archived: ArchivedCommit): AsyncGenerator<ArchiveEntry> {
  const reading = { ...repository, cache: new PassingObjectCache(repository.cache) };
  let group: Found[] = [];
  for await (const found of walk(reading, archived.commit.tree, '', undefined)) {
    if (found.isLeftOut) continue;
    group.push(found);
    if (group.length < most.entries) continue;
    yield* withContent(reading, group, archived);
    group = [];
  }
  yield* withContent(reading, group, archived);
}

/** Bytes of a file of attributes; a larger one is left out. git takes up to 100 MB, which it reads in a process of its own. */
const maxAttributes = 256 * 1024;

/** Milliseconds that entries are worked on before others are served. */
const sliceMs = 10;

/** Depth first. A folder comes once something in it does: git writes none that stays empty. */
async function* walk(
  repository: Repository,
  root: Oid,
  path: string,
  above: AttributeRules | undefined,
): AsyncGenerator<Found> {
  const tree = await readTree(repository, root);
  const attributes = tree.get('.gitattributes');
  let rules = above;
  if (attributes && kindOf(attributes.mode) === 'file') {
    const { size } = (await statObjects(repository, [attributes.oid])).get(attributes.oid) ?? { size: 0 };
    if (size <= maxAttributes) {
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
    const kind = kindOf(mode);
    const whole = `${path}${name.toString('latin1')}`;
    const isFolder = kind === 'directory' || kind === 'submodule';
    const isLeftOut = rules?.valueOf('export-ignore', whole, isFolder) === true;
    if (isLeftOut && kind === 'directory') continue;
    const isExecutable = (Number.parseInt(mode, 8) & 0o100) !== 0;
    const conversion =
      rules && kind === 'file' ? conversionOf(attribute => rules?.valueOf(attribute, whole, false)) : undefined;
    const found = { isLeftOut, path: isFolder ? `${whole}/` : whole, kind, isExecutable, oid, conversion };
    if (kind !== 'directory') {
      yield found;
      continue;
    }
    let isEmpty = true;
    for await (const below of walk(repository, oid, `${whole}/`, rules)) {
      if (isEmpty) yield found;
      isEmpty = false;
      yield below;
    }
  }
}

async function* withContent(
  repository: Repository,
  group: readonly Found[],
  archived: ArchivedCommit,
): AsyncGenerator<ArchiveEntry> {
  const blobs = group.filter(({ kind }) => kind === 'file' || kind === 'symlink');
  const stats = await statObjects(repository, [...new Set(blobs.map(({ oid }) => oid))]);
  for (let at = 0; at < group.length; ) {
    const part: Found[] = [];
    for (let bytes = 0; at < group.length && bytes < most.bytes; at++) {
      const found = group[at];
      if (!found) break;
      part.push(found);
      bytes += sizeOf(found);
    }
    const small = part.filter(one => blobs.includes(one) && sizeOf(one) <= chunkSize);
    const objects = await findObjects(
      repository,
      small.map(({ oid }) => oid),
    );
    for (const found of part) {
      const isBlob = found.kind === 'file' || found.kind === 'symlink';
      yield { ...found, content: isBlob ? await contentOf(found, objects.get(found.oid)?.content) : undefined };
    }
  }

  function sizeOf({ oid }: Found): number {
    return stats.get(oid)?.size ?? 0;
  }

  async function contentOf({ oid, conversion }: Found, known: Buffer | undefined): Promise<BlobContent> {
    const blob = known ? contentIn(known) : await openBlob(repository, oid);
    if (!blob) throw missing(oid);
    if (!conversion || blob.size > largestConverted) return blob;
    const pieces: Buffer[] = [];
    for await (const piece of blob.pieces()) pieces.push(piece);
    return contentIn(await convertFile({ content: Buffer.concat(pieces), conversion, oid, archived }));
  }
}

function contentIn(bytes: Buffer): BlobContent {
  return {
    size: bytes.length,
    async *pieces() {
      yield bytes;
    },
  };
}
