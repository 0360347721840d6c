import type { BranchDocument, TagDocument } from '../../../schema/hosting/commit-documents.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { isOid, type Oid } from '../../git/object.ts';
import { statObject } from '../../git/read-objects.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { listRefs, readRef } from '../../git/refs.ts';
import { openRepository } from '../../git/repository.ts';
import { peelTags } from '../../git/revision.ts';
import { openContents } from '../commits/git-commits.queries.ts';
import { commitLink } from '../commits/repository-commits.queries.ts';
import { encodePath } from '../contents/content-location.ts';
import { gitProblems } from '../git-problems.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { branchKey, rulesetsOfBranches } from '../rulesets/branch-rules.queries.ts';
import { findRenamedBranch } from './former-branch-names.ts';
import { foundIn } from './git-documents.ts';
import { refsOf } from './refs.queries.ts';

/** A branch of the REST API. */
export interface BranchRow extends BranchDocument {
  place: OwnedRow;
}

/** The branch of this short name with this tip. */
export function toBranch(context: Context, place: OwnedRow, name: string, oid: Oid): BranchRow {
  const path = `${place.ownerLogin}/${place.name}`;
  const url = `${context.apiBaseUrl}/repos/${path}/branches/${encodePath(name)}`;
  return {
    place,
    name,
    commit: commitLink(context, place, oid),
    url,
    protectionUrl: `${url}/protection`,
    webUrl: `${context.origin}/${path}/tree/${encodePath(name)}`,
  };
}

const prefix = 'refs/heads/';

/** Whether an active rule applies to the branch. Those of one request are evaluated together. */
export async function isProtected(context: Context, { place, name }: BranchRow): Promise<boolean> {
  const rulesets = await context.load(rulesetsOfBranches, noSelection).load(branchKey(place.databaseId, name));
  return rulesets.some(({ rules }) => rules.length > 0);
}

/** Branches whose protection is evaluated for one answer. */
const maxEvaluated = 1_000;

/** Branches by name; with `wanted`, those that are protected, or those that are not. @throws 422 for too many branches to evaluate */
export async function listBranches(
  context: Context,
  address: RepositoryAddress,
  wanted: boolean | null | undefined,
): Promise<ListSource<BranchRow>> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const toRow = (fullName: string, oid: Oid) => toBranch(context, row, fullName.slice(prefix.length), oid);
  if (wanted == null) {
    const refs = refsOf(context, row, { refPrefix: prefix });
    return {
      total: refs.total,
      rows: async slice => (await refs.rows(slice)).map(({ fullName, oid }) => toRow(fullName, oid)),
    };
  }
  const refs = await listRefs(store, { prefix, limit: maxEvaluated + 1 });
  if (refs.length > maxEvaluated) throw gitProblems.tooManyBranches(maxEvaluated);
  const all = refs.map(({ name, oid }) => toRow(name, oid));
  const flags = await Promise.all(all.map(one => isProtected(context, one)));
  const chosen = all.filter((_, at) => flags[at] === wanted);
  return {
    rows: async ({ limit, offset }) => chosen.slice(offset, offset + limit),
    total: async () => chosen.length,
  };
}

/** @throws 404 */
export async function findBranch(context: Context, address: RepositoryAddress, name: string): Promise<BranchRow> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const oid = isBranchName(name) ? await readRef(store, `${prefix}${name}`) : undefined;
  if (oid === undefined) throw gitProblems.branchAbsentHere();
  return toBranch(context, row, name, oid);
}

/** A branch, or where the branch is that had this name before. @throws 404 */
export async function findBranchOrRenamed(
  context: Context,
  address: RepositoryAddress,
  name: string,
): Promise<(BranchRow & { __typename: 'BranchDocument' }) | { __typename: 'RenamedBranch'; url: string }> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const oid = isBranchName(name) ? await readRef(store, `${prefix}${name}`) : undefined;
  if (oid !== undefined) return { ...toBranch(context, row, name, oid), __typename: 'BranchDocument' };
  const newName = await findRenamedBranch(context, row.databaseId, name);
  if (newName === undefined) throw gitProblems.branchAbsentHere();
  const url = `${context.apiBaseUrl}/repos/${row.ownerLogin}/${row.name}/branches/${encodePath(newName)}`;
  return { __typename: 'RenamedBranch', url };
}

/** Branches in one answer. */
const maxHeads = 100;

/** The branches whose tip is a commit, by name, at most 100. @throws 404, 409; 422 for no id */
export async function branchesWithHead(
  context: Context,
  address: RepositoryAddress,
  sha: string,
): Promise<BranchRow[]> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const oid = sha.toLowerCase();
  if (!isOid(oid)) throw gitProblems.invalidId('sha');
  await foundIn(store, await statObject(store, oid));
  const heads = await listRefs(store, { prefix, oid, limit: maxHeads });
  return heads.map(({ name }) => toBranch(context, row, name.slice(prefix.length), oid));
}

const tagPrefix = 'refs/tags/';

/** Tags by name, each with the commit that it leads to. */
export async function listTags(context: Context, address: RepositoryAddress): Promise<ListSource<TagDocument>> {
  const { row } = await openContents(context, address, 'contents:read');
  const refs = refsOf(context, row, { refPrefix: tagPrefix });
  const base = `${context.apiBaseUrl}/repos/${row.ownerLogin}/${row.name}`;
  return {
    total: refs.total,
    async rows(slice) {
      const page = await refs.rows(slice);
      const peeled = await peelTags(openRepository(context, row.databaseId), [...new Set(page.map(({ oid }) => oid))]);
      return page.map(({ fullName, oid }) => ({
        name: fullName.slice(tagPrefix.length),
        nodeId: encodeGlobalId('Ref', `${row.databaseId}:${fullName}`),
        commit: commitLink(context, row, peeled.get(oid)?.oid ?? oid),
        zipballUrl: `${base}/zipball/${fullName}`,
        tarballUrl: `${base}/tarball/${fullName}`,
      }));
    },
  };
}
