import { sql } from 'kysely';
import type { OfficialCall, OfficialCalls, OfficialWorld } from './official-world.ts';

const source = { vcs: 'git', vcs_url: 'https://source.example/project.git' };

/** An empty repository with an import that waits for a worker. */
async function importing(world: OfficialWorld): Promise<string> {
  const repository = await world.repository({ isEmpty: true });
  await world.send('PUT', `${repository}/import`, world.wren, source);
  return repository;
}

const waiting =
  (suffix: string, body?: object): OfficialCalls[string] =>
  async world => ({
    path: `${await importing(world)}/import${suffix}`,
    authorization: world.wren,
    ...(body ? { body } : {}),
  });

async function withAuthor(world: OfficialWorld): Promise<OfficialCall & { authorId: number }> {
  const repository = await importing(world);
  const [, , owner, name] = repository.split('/');
  const rows = await world.gateway.database.read<{ id: number }>(sql`
    insert into source_import_author (import_id, remote_id, remote_name, remote_email, email, name)
    select i.id, 'ada', 'Ada', 'ada@source.example', 'ada@source.example', 'Ada' from source_import i join repository r on r.id = i.repository_id
      join account o on o.id = r.owner_id where o.login = ${owner} and r.name = ${name} returning id`);
  return { path: `${repository}/import/authors`, authorization: world.wren, authorId: Number(rows[0]?.id) };
}

export const sourceImportCalls: OfficialCalls = {
  StartImport: async world => ({
    path: `${await world.repository({ isEmpty: true })}/import`,
    authorization: world.wren,
    body: source,
  }),
  GetImportStatus: waiting(''),
  UpdateImport: waiting('', { vcs_username: 'ada', vcs_password: 'secret' }),
  CancelImport: waiting(''),
  SetLfsPreference: waiting('/lfs', { use_lfs: 'opt_out' }),
  GetLargeFiles: waiting('/large_files'),
  GetCommitAuthors: withAuthor,
  MapCommitAuthor: async world => {
    const { path, authorId } = await withAuthor(world);
    return {
      path: `${path}/${authorId}`,
      authorization: world.wren,
      body: { email: 'ada@example.org', name: 'Ada L.' },
    };
  },
};
