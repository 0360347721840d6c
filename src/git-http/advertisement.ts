import { listAllRefs } from '../git/list-all-refs.ts';
import type { Oid } from '../git/object.ts';
import { maxRefNameBytes } from '../git/ref-name.ts';
import type { Ref } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { peelTags } from '../git/revision.ts';
import type { WorkBudget } from '../workers/work-budget.ts';
import { flushPkt, pktLine, pktText } from './pkt-line.ts';

export type GitService = 'git-upload-pack' | 'git-receive-pack';

const agent = 'agent=portico';

/** What `uploadPackSettings` lets the system's git serve. */
const uploadCapabilities = [
  'multi_ack thin-pack side-band side-band-64k ofs-delta shallow deepen-since deepen-not deepen-relative no-progress include-tag',
  'multi_ack_detailed allow-tip-sha1-in-want allow-reachable-sha1-in-want no-done filter object-format=sha1',
  agent,
].join(' ');

/** `no-thin`: a pack must be complete, because it is checked apart from the repository. */
const receiveCapabilities = [
  'report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta push-options object-format=sha1 no-thin',
  agent,
].join(' ');

/** The capabilities of version 2, in which refs are asked for by `ls-refs`. */
export function versionTwoAdvertisement(): Buffer {
  return Buffer.concat([
    servicePkt('git-upload-pack'),
    ...[
      'version 2',
      agent,
      'ls-refs=unborn',
      'fetch=shallow wait-for-done filter',
      'server-option',
      'object-format=sha1',
    ].map(line => pktLine(`${line}\n`)),
    flushPkt,
  ]);
}

const servicePkt = (service: GitService): Buffer => Buffer.concat([pktLine(`# service=${service}\n`), flushPkt]);

/** The refs and capabilities of versions 0 and 1. */
export async function refAdvertisement(
  repository: Repository,
  { service, version, defaultBranch }: { service: GitService; version: 0 | 1; defaultBranch: string },
): Promise<Buffer> {
  const refs = await listAllRefs(repository);
  const isUpload = service === 'git-upload-pack';
  const head = isUpload ? headOf(refs, defaultBranch) : undefined;
  const peeled = isUpload ? await peelRefs(repository, refs) : new Map<Oid, Oid>();
  const uploads = head ? `${uploadCapabilities} symref=HEAD:${head.name}` : uploadCapabilities;
  const lines = function* (): Generator<string> {
    if (head) yield `${head.oid} HEAD`;
    for (const { name, oid } of refs) {
      yield `${oid} ${name}`;
      const target = peeled.get(oid);
      if (target !== undefined) yield `${target} ${name}^{}`;
    }
    if (refs.length === 0) yield `${'0'.repeat(40)} capabilities^{}`;
  };
  const body = await pktLines(lines(), repository.workBudget, `\0${isUpload ? uploads : receiveCapabilities}`);
  return Buffer.concat([servicePkt(service), version === 1 ? pktLine('version 1\n') : noBytes, body, flushPkt]);
}

const noBytes = Buffer.alloc(0);

/** The lines as packets, each with a line feed. `afterFirst` is appended to the first. */
async function pktLines(lines: Iterable<string>, workBudget: WorkBudget, afterFirst = ''): Promise<Buffer> {
  const packets: string[] = [];
  for (const line of lines) {
    packets.push(pktText(`${line}${packets.length === 0 ? afterFirst : ''}\n`));
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
  }
  return Buffer.from(packets.join(''));
}

/** The default branch, when it exists. */
function headOf(refs: readonly Ref[], defaultBranch: string): Ref | undefined {
  return refs.find(({ name }) => name === `refs/heads/${defaultBranch}`);
}

/** The objects that annotated tags lead to. Branches point to commits only. */
async function peelRefs(repository: Repository, refs: readonly Ref[]): Promise<Map<Oid, Oid>> {
  const tips = new Set(refs.filter(({ name }) => !name.startsWith('refs/heads/')).map(({ oid }) => oid));
  const peeled = new Map<Oid, Oid>();
  for (const [from, { oid }] of await peelTags(repository, [...tips])) if (from !== oid) peeled.set(from, oid);
  return peeled;
}

/** The arguments of the command `ls-refs`. */
export interface LsRefsArguments {
  peel: boolean;
  symrefs: boolean;
  unborn: boolean;
  prefixes: string[];
}

/** Above this number of prefixes all refs are listed, as git does above 65,536: the prefixes are a hint. */
const maxPrefixes = 10_000;

export function parseLsRefs(lines: readonly string[]): LsRefsArguments {
  const prefixes = lines.flatMap(line => (line.startsWith('ref-prefix ') ? [line.slice('ref-prefix '.length)] : []));
  return {
    peel: lines.includes('peel'),
    symrefs: lines.includes('symrefs'),
    unborn: lines.includes('unborn'),
    prefixes: prefixes.length > maxPrefixes ? [] : prefixes,
  };
}

/** The answer to `ls-refs`. */
export async function lsRefs(
  repository: Repository,
  { peel, symrefs, unborn, prefixes }: LsRefsArguments,
  defaultBranch: string,
): Promise<Buffer> {
  const { workBudget } = repository;
  const isWanted = prefixMatcher(prefixes);
  const all = await listAllRefs(repository);
  const refs: Ref[] = [];
  for (const ref of all) {
    if (isWanted(ref.name)) refs.push(ref);
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
  }
  const head = isWanted('HEAD') ? headOf(all, defaultBranch) : undefined;
  const peeled = peel ? await peelRefs(repository, refs) : new Map<Oid, Oid>();
  const lines = function* (): Generator<string> {
    const symref = symrefs ? ` symref-target:refs/heads/${defaultBranch}` : '';
    if (head) yield `${head.oid} HEAD${symref}`;
    else if (unborn && isWanted('HEAD')) yield `unborn HEAD${symref}`;
    for (const { name, oid } of refs) {
      const end = peeled.get(oid);
      yield `${oid} ${name}${end === undefined ? '' : ` peeled:${end}`}`;
    }
  };
  return Buffer.concat([await pktLines(lines(), workBudget), flushPkt]);
}

/**
 * Whether a name begins with one of the prefixes. Of prefixes that begin with each other only the shortest is kept: then the only one
 * that can match a name is the greatest that is not above it, which a binary search finds.
 */
function prefixMatcher(prefixes: readonly string[]): (name: string) => boolean {
  if (prefixes.length === 0) return () => true;
  const shortest: string[] = [];
  // No name of a ref is longer.
  for (const prefix of prefixes.filter(({ length }) => length <= maxRefNameBytes).sort()) {
    const last = shortest.at(-1);
    if (last === undefined || !prefix.startsWith(last)) shortest.push(prefix);
  }
  return name => {
    let [low, high] = [0, shortest.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((shortest[middle] ?? '') <= name) low = middle + 1;
      else high = middle;
    }
    const greatest = shortest[low - 1];
    return greatest !== undefined && name.startsWith(greatest);
  };
}
