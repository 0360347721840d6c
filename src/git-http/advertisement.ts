import { listAllRefs } from '../git/list-all-refs.ts';
import type { Oid } from '../git/object.ts';
import type { Ref } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { peelTags } from '../git/revision.ts';
import { flushPkt, pktLine } from './pkt-line.ts';

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
  const lines: { oid: Oid; name: string }[] = [];
  let capabilities = receiveCapabilities;
  if (service === 'git-upload-pack') {
    const head = headOf(refs, defaultBranch);
    const peeled = await peelRefs(repository, refs);
    if (head) lines.push({ oid: head.oid, name: 'HEAD' });
    for (const { name, oid } of refs) {
      lines.push({ oid, name });
      const target = peeled.get(oid);
      if (target !== undefined) lines.push({ oid: target, name: `${name}^{}` });
    }
    capabilities = head ? `${uploadCapabilities} symref=HEAD:${head.name}` : uploadCapabilities;
  } else {
    lines.push(...refs);
  }
  if (lines.length === 0) lines.push({ oid: '0'.repeat(40), name: 'capabilities^{}' });
  return Buffer.concat([
    servicePkt(service),
    ...(version === 1 ? [pktLine('version 1\n')] : []),
    ...lines.map(({ oid, name }, at) => pktLine(`${oid} ${name}${at === 0 ? `\0${capabilities}` : ''}\n`)),
    flushPkt,
  ]);
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

/** Above this number of prefixes all refs are listed, as git does: the prefixes are a hint. */
const maxPrefixes = 65_536;

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
  const isWanted = prefixMatcher(prefixes);
  const all = await listAllRefs(repository);
  const refs = all.filter(({ name }) => isWanted(name));
  const head = isWanted('HEAD') ? headOf(all, defaultBranch) : undefined;
  const peeled = peel ? await peelRefs(repository, refs) : new Map<Oid, Oid>();
  const lines: string[] = [];
  const target = `refs/heads/${defaultBranch}`;
  if (head) lines.push(`${head.oid} HEAD${symrefs ? ` symref-target:${target}` : ''}\n`);
  else if (unborn && isWanted('HEAD')) lines.push(`unborn HEAD${symrefs ? ` symref-target:${target}` : ''}\n`);
  for (const { name, oid } of refs) {
    const end = peeled.get(oid);
    lines.push(`${oid} ${name}${end === undefined ? '' : ` peeled:${end}`}\n`);
  }
  return Buffer.concat([...lines.map(line => pktLine(line)), flushPkt]);
}

/** Most clients send a few prefixes; many are looked up by their lengths, so that a ref costs one look-up for each length. */
function prefixMatcher(prefixes: readonly string[]): (name: string) => boolean {
  if (prefixes.length === 0) return () => true;
  const known = new Set(prefixes);
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  return name => lengths.some(length => length <= name.length && known.has(name.slice(0, length)));
}
