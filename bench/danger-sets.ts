import { join } from 'node:path';
import { isOrdinary, isRight, readSets, type SetItem } from '../packages/triage/sets/read-sets.ts';

/** Sets of `packages/triage` that no model is trained on, and the halves of them. */
const sets = ['plain', 'lay', 'typed'];
const halves = ['tuning', 'second'] as const;
/** Largest share of ordinary messages that alarm, and least share of dangers that are found, in percent. */
const aims = { ordinary: 1, dangers: 98 } as const;

interface Counts {
  ordinary: number;
  alarms: number;
  dangers: number;
  found: number;
  /** Dangers of the level `urgent`, and those of them that have exactly this level. */
  urgent: number;
  exact: number;
}

/** Counts of the sets of messages, by half and language. Their texts are printed nowhere. */
export async function measureDangerSets(): Promise<{ lines: string[]; missed: string[]; figures: unknown }> {
  const { findDanger } = (await import('../dist/packages/triage/src/triage.js' as string)) as typeof import('triage');
  const lines: string[] = [];
  const missed: string[] = [];
  const figures: Record<string, Record<string, Counts>> = {};
  for (const name of sets) {
    const items = readSets(join(import.meta.dirname, '../packages/triage/sets', name));
    for (const half of halves) {
      const rows = new Map<string, Counts>();
      for (const item of items.filter(one => one.half === half)) {
        const found = await findDanger(item.text);
        for (const row of ['all', item.lang]) rows.set(row, count(rows.get(row), item, found));
      }
      const title = `${name}, ${half} half`;
      lines.push(`\n${title}`, ...[...rows].map(([lang, counts]) => `  ${lang}: ${describe(counts)}`));
      figures[title] = Object.fromEntries(rows);
      const all = rows.get('all');
      if (all && 100 * all.alarms > aims.ordinary * all.ordinary) missed.push(`${title}: ${all.alarms} false alarms`);
      if (all && 100 * all.found < aims.dangers * all.dangers)
        missed.push(`${title}: ${all.found} of ${all.dangers} dangers found`);
    }
  }
  return { lines, missed, figures };
}

function count(
  before: Counts = { ordinary: 0, alarms: 0, dangers: 0, found: 0, urgent: 0, exact: 0 },
  item: SetItem,
  found: Parameters<typeof isRight>[1],
): Counts {
  const right = Number(isRight(item, found));
  if (isOrdinary(item)) return { ...before, ordinary: before.ordinary + 1, alarms: before.alarms + 1 - right };
  const urgent = Number(item.level === 'urgent');
  return {
    ...before,
    dangers: before.dangers + 1,
    found: before.found + right,
    urgent: before.urgent + urgent,
    exact: before.exact + (found.level === 'urgent' ? urgent : 0),
  };
}

const describe = ({ ordinary, alarms, dangers, found, urgent, exact }: Counts): string =>
  `${alarms} of ${ordinary} ordinary messages alarm, ${found} of ${dangers} dangers found, ${exact} of ${urgent} urgent ones exactly`;
