import { sql } from 'kysely';
import type { InstallationActor } from '../../auth/actor.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { type OwnedRow, repositoryJoins, repositorySelectList } from '../repositories/repositories.queries.ts';

/** Repositories of the account of an installation that its token reaches, oldest first. */
export function installationRepositories(
  context: Pick<Context, 'actor' | 'read'>,
  { accountId, selection, installationId, credential }: InstallationActor,
): ListSource<OwnedRow> {
  const selected = {
    all: sql`true`,
    installation: sql`r.id in (select repository_id from installation_repository where installation_id = ${installationId})`,
    token: sql`r.id in (select repository_id from credential_repository where credential_id = ${credential.id})`,
  }[selection];
  const where = sql`r.owner_id = ${accountId} and ${selected}`;
  return {
    rows: ({ limit, offset, wanted }) =>
      context.read(sql<OwnedRow>`select ${repositorySelectList(wanted, context)} from ${repositoryJoins}
        where ${where} order by r.id limit ${limit} offset ${offset}`),
    async total() {
      const [found] = await context.read(
        sql<{ total: number }>`select count(*)::int as total from repository r where ${where}`,
      );
      return found?.total ?? 0;
    },
  };
}
