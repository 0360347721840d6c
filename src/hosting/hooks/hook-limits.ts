import { type Kysely, sql } from 'kysely';
import { validationFailed } from '../../errors/errors.ts';
import { belongsTo, type OwningSource } from '../owning-source.ts';
import { hookProblem } from '../webhooks/webhook-problems.ts';
import { allEvents } from './hook-events.ts';

/** Maximum hooks of a repository or an organization, and those of them that get the same event. */
const maxHooks = { all: 250, perEvent: 20 };

/** @throws 422 when the source has more hooks than allowed, or two that send the same to the same receiver. */
export async function assertHooksAllowed(db: Kysely<unknown>, source: OwningSource, id: number): Promise<void> {
  // One for all events counts among those of each.
  const belongsToOther = belongsTo(source, 'other');
  const { rows } = await sql<{ total: number; fullEvent: string | null; isDuplicate: boolean }>`
    select (select count(*)::int from hook h where ${belongsTo(source, 'h')}) as total,
      (select e.event from hook own join hook other on ${belongsToOther}
          and (other.id = own.id or ${allEvents} = any(own.events))
        cross join lateral unnest(other.events) as e (event)
        where own.id = ${id} and (select count(*) from hook h
          where ${belongsTo(source, 'h')} and (e.event = any(h.events) or ${allEvents} = any(h.events))) > ${maxHooks.perEvent}
        limit 1) as "fullEvent",
      exists (select 1 from hook own join hook h on ${belongsTo(source, 'h')} and h.id <> own.id and h.url = own.url
          and h.content_type = own.content_type and h.insecure_ssl = own.insecure_ssl
          and h.events @> own.events and h.events <@ own.events
        where own.id = ${id}) as "isDuplicate"`.execute(db);
  const { total = 0, fullEvent = null, isDuplicate = false } = rows[0] ?? {};
  if (isDuplicate) throw refused(`Hook already exists on this ${source.kind}`);
  if (fullEvent !== null) throw refused(`The "${fullEvent}" event cannot have more than ${maxHooks.perEvent} hooks`);
  if (total > maxHooks.all) throw refused(`There can be no more than ${maxHooks.all} hooks`);
}

const refused = (message: string): Error => validationFailed([hookProblem(message)]);
