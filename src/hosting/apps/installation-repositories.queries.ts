import { sql } from 'kysely';
import type { InstallationActor } from '../../auth/actor.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { type OwnedRow, repositoryPage } from '../repositories/repositories.queries.ts';
import { reachOf } from '../repositories/repository-access.ts';

/** Repositories that the token of an installation reaches now, oldest first. */
export const installationRepositories = (context: Context, actor: InstallationActor): ListSource<OwnedRow> =>
  repositoryPage(context, reachOf(actor), sql.raw('r.id'));
