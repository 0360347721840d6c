import { type RawBuilder, sql } from 'kysely';
import type { PeerSuggestion } from '../../../schema/health/peer-link.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { isReachable, strangerCardColumns } from '../people/person-card.ts';
import { requestWaitDays } from './request-peer.ts';

export type PeerSuggestionRow = PeerSuggestion;

/** Maximum profiles compared, among those that share one of the caller's rarest terms. */
const maxCandidates = 5000;
/** Points of 100 for the same band of ages. */
const ageBonusPoints = 5;
/**
 * SQL: the band of ten years of age of the row `alias`. It is all that a suggestion depends on of an age: a bonus for a difference of ages told
 * the date of birth of others to whoever changed the own one and read the score again.
 */
function ageBand(alias: string, now: string): RawBuilder<string> {
  const user = sql.raw(alias);
  const decade = sql`(extract(year from age(${now}::timestamptz::date, ${user}.date_of_birth))::int / 10 * 10)`;
  return sql`case when ${user}.age_group = 'minor' then 'under 18' when ${user}.date_of_birth is null then '18 or over'
    else greatest(18, ${decade})::text || '-' || (${decade} + 9)::text end`;
}

/** Maximum shared terms that are named. */
const maxNamedTerms = 3;

/**
 * Users with a similar health profile, the most similar first. Both sides must have opted in to the community. Terms
 * are weighted by inverse document frequency. Candidates share one of the caller's three rarest terms that others have
 * too: comparing all users with any shared term took twice the time for the same first page. A term is what both users show to
 * suggestions, or a tag of a group that both are in. Excludes users of the other age group or with an age that a
 * moderator has to decide on, and those whom the caller has asked, is connected
 * with, blocks or is blocked by.
 */
export async function peerSuggestions(
  { actor, now, origin, read }: Pick<Context, 'actor' | 'now' | 'origin' | 'read'>,
  limit: number,
): Promise<PeerSuggestionRow[]> {
  const { userId } = requirePerson(actor);
  const currentTime = now().toISOString();
  const answeredBefore = new Date(now().getTime() - requestWaitDays * 24 * 3_600_000).toISOString();
  const found = await read(sql<
    Pick<PeerSuggestionRow, 'ageBand' | 'score'> & PeerSuggestionRow['person'] & { terms: string[] }
  >`
    with me as (
      select h.terms, u.age_group, ${ageBand('u', currentTime)} as band from health_profile h join users u on u.id = h.user_id
      where h.user_id = ${userId} and u.is_visible_in_community and ${isReachable('u')}
        and not exists (select from held_age where user_id = ${userId})),
    weight as (
      select mine.term, coalesce(d.df, 1) > 1 as is_shared,
        ln(1 + greatest(coalesce((select df from term_df where term = '*'), 1), 1)::float / coalesce(d.df, 1)) as idf
      from me cross join unnest(me.terms) mine(term) left join term_df d on d.term = mine.term),
    rare as (select array_agg(term) as terms from (
      select term from weight order by is_shared desc, idf desc, term limit 3) few),
    candidate as (
      select h.user_id, h.terms from health_profile h, rare
      where h.terms && rare.terms and h.user_id <> ${userId} limit ${maxCandidates}),
    scored as (
      select c.user_id, sum(w.idf) as idf,
        array_agg(w.term order by w.idf desc, w.term) as terms
      from candidate c cross join lateral unnest(c.terms) theirs(term) join weight w on w.term = theirs.term
      group by c.user_id)
    select ${strangerCardColumns('u', origin)},
      ${ageBand('u', currentTime)} as "ageBand",
      least(100, round(100 * s.idf / (select sum(idf) from weight))::int
        + case when ${ageBand('u', currentTime)} = me.band then ${ageBonusPoints} else 0 end) as score,
      s.terms
    from scored s cross join me join users u on u.id = s.user_id
    where u.is_visible_in_community and u.age_group = me.age_group and ${isReachable('u')}
      and u.id not in (select user_id from held_age) and not exists (
      select 1 from peer_connection p
      where least(p.asker_id, p.asked_id) = least(${userId}::bigint, s.user_id)
        and greatest(p.asker_id, p.asked_id) = greatest(${userId}::bigint, s.user_id)
        and (p.status <> 'declined' or p.responded_at > ${answeredBefore}))
    order by score desc, u.id limit ${limit}`);
  return found.map(({ score, terms, ...person }) => {
    const sharedTerms = [...new Set(terms.slice(0, maxNamedTerms).map(term => term.slice(2)))];
    const reason = `Similar: ${sharedTerms.join(', ')}`;
    return { person: { ...person, age: null }, age: null, ageBand: person.ageBand, score, reason, sharedTerms };
  });
}
