import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import type { TestGateway } from './gateway.ts';

/** A repository by its number. */
interface NumberedRepository {
  id: number;
}

/** The number of a repository: «harbor-lab/compass». */
export async function repositoryNamed(
  { database }: Pick<TestGateway, 'database'>,
  nameWithOwner: string,
): Promise<NumberedRepository> {
  const { rows } = await sql<NumberedRepository>`select r.id from repository r join account o on o.id = r.owner_id
    where o.login || '/' || r.name = ${nameWithOwner}`.execute(database.sql);
  return { id: rows[0]?.id ?? 0 };
}

export const refIdOf = ({ id }: NumberedRepository, name: string): string => encodeGlobalId('Ref', `${id}:${name}`);

const written = (fields: Record<string, string | boolean | undefined>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`]))
    .join(', ');

/** Text of a mutation that creates a ref. */
export const createRef = ({ id }: NumberedRepository, name: string, oid: string): string =>
  `createRef(input: { ${written({ repositoryId: encodeGlobalId('Repository', id), name, oid })} }) { ref { id } }`;

/** Text of a mutation that updates a ref. */
export const updateRef = (
  repository: NumberedRepository,
  name: string,
  oid: string,
  options: { force?: boolean; expectedOid?: string } = {},
): string => `updateRef(input: { ${written({ refId: refIdOf(repository, name), oid, ...options })} }) { ref { id } }`;

/** Text of a mutation that deletes a ref. */
export const deleteRef = (repository: NumberedRepository, name: string): string =>
  `deleteRef(input: { ${written({ refId: refIdOf(repository, name) })} }) { deletedId }`;

/** Field of an input that names a repository. */
export const inRepository = (owner: string, name: string): string =>
  `repository: { named: { owner: "${owner}", name: "${name}" } }`;

/** Fields of an input that name a branch. */
export const onBranch = (owner: string, name: string, branchName?: string): string =>
  `branch: { ${written({ repositoryNameWithOwner: `${owner}/${name}`, branchName })} }`;
