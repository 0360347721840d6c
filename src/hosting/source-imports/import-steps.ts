import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { FsckFindings } from '../../git/fsck-messages.ts';
import { ownedFolderName } from '../../git/owned-folders.ts';
import { runLong } from '../../workers/long-task.ts';
import { workflowFolder } from '../pushes/push-rights.ts';
import { detectSource, findGit, type SourceQuery } from './detect-source.ts';
import { fetchSource } from './fetch-source.ts';
import { unsealCredentials } from './import-credentials.ts';
import { recordImportEvent } from './import-event.ts';
import { ImportMonitor } from './import-monitor.ts';
import { advanceImport, type ImportStep, type ImportWork, serializeChoices, updateImport } from './import-state.ts';
import { mapSource } from './map-source.ts';
import { pushSource } from './push-source.ts';
import type { Scan } from './scan-source.ts';
import { scanTask } from './scan-task.ts';
import { credentialsRefused, SourceImportError, sourceImportError } from './source-import-error.ts';
import { gitLimits, type ImportServices, type StepContext, scratchRoot } from './step-context.ts';

/**
 * Runs the current step of an import and advances it.
 * @throws SourceImportError, SupersededError, or an unexpected error, which is retried
 */
export async function runStep(services: ImportServices, work: ImportWork, signal: AbortSignal): Promise<void> {
  const step = work.status as ImportStep;
  const { config, context } = services;
  const path = join(scratchRoot(config), step === 'importing' ? ownedFolderName() : (work.scratch ?? 'none'));
  const monitor = new ImportMonitor(context, work, {
    signal,
    timeoutSeconds: config.SOURCE_IMPORT_SECONDS,
    ...(step === 'importing' ? { folder: { path, maxBytes: config.SOURCE_IMPORT_MAX_MB * 1e6 } } : {}),
  });
  const credentials = unsealCredentials(services.keys, work.repositoryId, work.credentials);
  try {
    await steps[step]({ services, work, monitor, credentials }, path);
  } finally {
    await monitor.stop();
  }
}

const steps: Record<ImportStep, (step: StepContext, path: string) => Promise<void>> = {
  detecting: detect,
  importing: fetchAndScan,
  async mapping(step, path) {
    if (step.work.isStored || (await hasScratch(path))) await mapSource(step, path);
    else await restartFetch(step);
  },
  async pushing(step, path) {
    if (!step.work.isStored && !(await hasScratch(path))) {
      await restartFetch(step);
      return;
    }
    await pushSource(step, path);
    await rm(path, { recursive: true, force: true });
  },
};

async function hasScratch(path: string): Promise<boolean> {
  return stat(join(path, 'objects.txt')).then(
    found => found.isFile(),
    () => false,
  );
}

/** The fetched files are on another machine or deleted, so the source is fetched again. */
function restartFetch({ services: { context }, work }: StepContext): Promise<void> {
  const changes = { import_percent: 0, push_percent: null, scratch: null, status_text: statusTexts.importing };
  return context.transaction(db => advanceImport(db, work, 'importing', changes, context.now()));
}

const statusTexts = { importing: 'Importing...', mapping: 'Mapping...' };

function sourceQueryOf({ services, work, monitor, credentials }: StepContext): SourceQuery {
  const timeoutMs = Math.min(15_000, services.config.SOURCE_IMPORT_SECONDS * 1000);
  const { vcsUrl: url, tfvcProject } = work;
  return { url, credentials, tfvcProject, signal: monitor.signal, timeoutMs };
}

async function detect(step: StepContext): Promise<void> {
  const { services, work } = step;
  const { context, outbound } = services;
  const found = await detectSource(outbound, sourceQueryOf(step));
  switch (found.kind) {
    case 'needs-auth':
      throw new SourceImportError('detection_needs_auth', 'The source wants a name and a password.');
    case 'nothing':
      throw new SourceImportError('detection_found_nothing', 'No repository was found at this address.');
    case 'multiple':
      throw new SourceImportError(
        'detection_found_multiple',
        'Several projects were found. Choose one.',
        found.choices,
      );
    case 'found': {
      const changes = { vcs: found.vcs, import_percent: 0, status_text: statusTexts.importing };
      await context.transaction(db => advanceImport(db, work, 'importing', changes, context.now()));
    }
  }
}

/** Other systems would need programs that are not installed, and are not tested. */
const unsupported =
  'This installation imports git repositories alone. Convert the source to git first, or import a copy of it that git serves.';

async function fetchAndScan(step: StepContext, folder: string): Promise<void> {
  const { services, work, monitor, credentials } = step;
  const { config, outbound, pool, longWork } = services;
  if (work.vcs !== 'git') throw sourceImportError(`The source is kept by ${work.vcs}. ${unsupported}`);
  const found = await findGit(outbound, sourceQueryOf(step));
  if (found.kind === 'needs-auth') throw credentialsRefused();
  if (found.kind === 'nothing') throw sourceImportError('No git repository is served at this address.');
  const limits = gitLimits(config);
  const isOwn = new URL(found.url).host === new URL(work.vcsUrl).host;
  const findings = new FsckFindings();
  monitor.report({ import_percent: 0 });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await fetchSource(outbound, {
      url: found.url,
      // A redirect to another host does not get the credentials.
      credentials: isOwn ? credentials : undefined,
      folder,
      signal: monitor.signal,
      limits,
      stallTimeoutSeconds: Math.min(60, config.SOURCE_IMPORT_SECONDS),
      onProgress: percent => monitor.report({ import_percent: percent }),
      findings,
    });
    const input = { repositoryId: work.repositoryId, folder, limits, workflowFolder: workflowFolder(config) };
    const scan = await runLong(longWork, scanTask, input, { pool, signal: monitor.signal });
    if ('refusal' in scan) throw sourceImportError(scan.refusal);
    monitor.report({ import_percent: 100, commit_count: scan.commits });
    await saveScan(step, scan, { folder, warnings: findings.warnings });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Stores the result of the scan and advances the import, unless the source is refused. */
async function saveScan(
  { services: { context }, work }: StepContext,
  scan: Scan,
  { folder, warnings }: { folder: string; warnings: readonly string[] },
): Promise<void> {
  const { authors, largeFiles, disk } = scan;
  const refusal = findRefusal(work, scan);
  const scratch = folder.slice(folder.lastIndexOf('/') + 1);
  await context.transaction(async db => {
    const changes = {
      import_percent: 100,
      commit_count: scan.commits,
      scratch,
      head: disk.head ?? null,
      status_text: statusTexts.mapping,
      warnings: warnings.length === 0 ? null : warnings.join('\n'),
    };
    // First, because it takes the row lock that protects the rows below.
    if (!refusal) await advanceImport(db, work, 'mapping', changes, context.now());
    // The figures of a refused source are stored for the client.
    else await updateImport(db, work, sql`import_percent = 100, commit_count = ${scan.commits}`);
    await sql`insert into source_import_author (import_id, remote_id, remote_name, remote_email, name, email)
      select ${work.id}, remote_id, name, email, name, email
      from unnest(${authors.map(one => one.remoteId)}::text[], ${authors.map(one => one.name)}::text[],
        ${authors.map(one => one.email)}::text[]) as n (remote_id, name, email)
      on conflict (import_id, remote_id) do nothing`.execute(db);
    await sql`delete from source_import_large_file where import_id = ${work.id}`.execute(db);
    await sql`insert into source_import_large_file (import_id, oid, ref_name, path, size)
      select ${work.id}, oid, ref_name, path, size from unnest(
        ${largeFiles.map(one => Buffer.from(one.oid, 'hex'))}::bytea[], ${largeFiles.map(one => one.refName)}::text[],
        ${largeFiles.map(one => one.path)}::text[], ${largeFiles.map(one => one.size)}::bigint[])
        as n (oid, ref_name, path, size) on conflict do nothing`.execute(db);
    await sql`delete from source_import_ref where import_id = ${work.id}`.execute(db);
    const refs = disk.refs.map(({ name, oid }) => ({ name: Buffer.from(name, 'latin1'), oid }));
    const readable = refs.filter(({ name }) => Buffer.from(name.toString()).equals(name));
    await sql`insert into source_import_ref (import_id, name, oid)
      select ${work.id}, name, oid from unnest(${readable.map(one => one.name.toString())}::text[],
        ${readable.map(one => Buffer.from(one.oid, 'hex'))}::bytea[]) as n (name, oid)`.execute(db);
    await sql`update source_import set large_files_count = ${scan.large.count}, large_files_size = ${scan.large.bytes},
      authors_count = (select count(*) from source_import_author where import_id = ${work.id})
      where id = ${work.id}`.execute(db);
  });
  if (refusal) throw refusal;
}

function findRefusal(work: ImportWork, scan: Scan): SourceImportError | undefined {
  if (scan.tooLarge !== undefined) {
    return sourceImportError(
      `${scan.tooLarge.slice(0, 200)} is larger than the 100 MiB that a file can have here, and there is no Git LFS store for it.`,
    );
  }
  if (scan.changesWorkflows && !work.mayChangeWorkflows) {
    return sourceImportError(
      'The source has workflow files; the token that started the import lacks the scope workflow.',
    );
  }
  return undefined;
}

/** Stores a failure that the client can fix. */
export async function failImport(
  tools: ImportServices,
  work: ImportWork,
  failure: SourceImportError,
  message: string,
): Promise<void> {
  const { context } = tools;
  await context.transaction(async db => {
    const changes = {
      status_text: message,
      failed_step: work.status,
      error_message: message,
      scratch: null,
      project_choices: failure.choices ? serializeChoices(failure.choices) : null,
    };
    await advanceImport(db, work, failure.status, changes, context.now());
    await recordImportEvent(
      db,
      { repositoryId: work.repositoryId, accountId: work.accountId },
      'failure',
      context.now(),
    );
  });
}
