import { sql } from 'kysely';
import type { SourceImport } from '../../../schema/hosting/source-import.ts';
import { isCredentialLive } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import { openNotifiedStream } from '../../db/notified-stream.ts';
import { notFound } from '../../errors/errors.ts';
import { importsByRepositories } from './source-imports.queries.ts';

/** Channel of the trigger on `source_import`; the payload is the id of the repository. */
const channel = 'portico_source_import';

/**
 * Subscribes to the states of the import of a repository: the present one, and the newest one after each change, on whatever
 * gateway or worker it changes.
 * @throws 404 when there is no import that the caller can see
 */
export async function subscribeToImport(
  context: Context,
  repositoryId: number,
): Promise<AsyncIterableIterator<SourceImport>> {
  const read = async (): Promise<SourceImport | null> => {
    const [[found = null], [credential]] = await Promise.all([
      importsByRepositories(context, [repositoryId]),
      context.read(sql<{ isLive: boolean }>`select ${isCredentialLive(context.actor, context.now())} as "isLive"`),
    ]);
    if (found instanceof Error) throw found;
    return credential?.isLive ? found : null;
  };
  let last = '';
  return openNotifiedStream(context.notifications, {
    channel,
    topic: String(repositoryId),
    async prepare() {
      if (!(await read())) throw notFound();
      return async () => {
        const state = await read();
        if (!state) return null;
        const before = last;
        last = JSON.stringify(state);
        return { events: last === before ? [] : [state], hasMore: false };
      };
    },
    readsAtOnce: true,
  });
}
