import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { addPack, createBareRepository, packedRefs, refLines } from './bare-repository.ts';
import { runLimitedGit } from './limited-git.ts';
import { listAllRefs } from './list-all-refs.ts';
import type { Oid } from './object.ts';
import { ScanObjectCache } from './object-cache.ts';
import { listGivenObjects } from './object-list.ts';
import { packSettings, processLimits } from './pack-limits.ts';
import { packStream } from './pack-stream.ts';
import { reachableObjects } from './reachable.ts';
import type { Repository } from './repository.ts';

export interface ExportOptions {
  /** Full name of the branch that HEAD points to. */
  head?: string;
  signal?: AbortSignal;
}

export interface ExportedRepository {
  objects: number;
  refs: number;
}

/** The folder or file of an export cannot be written. */
export class ExportTargetError extends Error {
  override name = 'ExportTargetError';
}

/**
 * Writes a bare repository into an empty or new directory: all refs, and every object they reach in one pack. The ids of all objects
 * are in memory, 100 bytes each, and their contents some megabytes at a time.
 * @throws ExportTargetError; GitError `missing`, `corrupt`
 */
export async function exportRepository(
  given: Repository,
  folder: string,
  { head = 'refs/heads/main', signal = neverAborted }: ExportOptions = {},
): Promise<ExportedRepository> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new ExportTargetError(`${folder} is not empty.`);
  const repository = { ...given, cache: new ScanObjectCache(given.cache) };
  const refs = await listAllRefs(repository);
  const oids: Oid[] = [];
  for await (const { oid } of reachableObjects(
    repository,
    refs.map(ref => ref.oid),
  )) {
    oids.push(oid);
  }
  await createBareRepository(folder, head);
  if (oids.length > 0)
    await addPack(folder, packStream(repository, await listGivenObjects(repository, oids)), { signal });
  await writeFile(join(folder, 'packed-refs'), packedRefs(refLines(refs)));
  return { objects: oids.length, refs: refs.length };
}

/**
 * Writes a bundle, a file from which git clones and fetches. It needs room for the repository twice, beside the file.
 * @throws ExportTargetError; GitError `missing`, `corrupt`
 */
export async function exportBundle(
  repository: Repository,
  file: string,
  { signal = neverAborted, ...options }: ExportOptions = {},
): Promise<ExportedRepository> {
  const path = resolve(file);
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new ExportTargetError(`${file} exists.`);
  await mkdir(dirname(path), { recursive: true });
  const folder = await mkdtemp(`${path}.`);
  try {
    const made = await exportRepository(repository, folder, { ...options, signal });
    if (made.refs === 0) throw new ExportTargetError('The repository has no refs, and git makes no empty bundles.');
    const limits = { folder, limits: processLimits, config: packSettings, signal };
    await runLimitedGit(['bundle', 'create', '--quiet', path, '--all'], limits);
    return made;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const neverAborted = new AbortController().signal;
