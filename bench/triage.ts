import type { BenchPart } from './benchmark.ts';
import { measureDangerSets } from './danger-sets.ts';
import { loadAssessments } from './load-assessments.ts';
import { setsOf } from './sets-of.ts';
import { isNamed, namesOf, personOf, type TriageItem } from './triage-set.ts';

/** Counts of a group of vignettes. */
interface Tally {
  items: number;
  acceptable: number;
  over: number;
  under: number;
  emergencies: number;
  emergenciesUrgent: number;
  inRange: number;
  inRangeNamed: number;
  named: number;
}

interface Judged {
  item: TriageItem;
  level: string;
  tally: Tally;
}

const levels = ['self_care', 'routine', 'urgent', 'emergency'];
/** Shares of the bars. */
const bars = { acceptable: 0.85, emergencies: 1, named: 0.85 };
const rank = (level: string): number => levels.indexOf(level);

/**
 * Vignettes of lay people with what a clinician accepts as their triage. Over- and under-triage are told apart: the one costs a
 * visit, the other can cost a life. A diagnosis counts where it is among the first three causes, of all vignettes and of those
 * whose diagnosis the knowledge base has at all. Of sets that nobody reads only counts are printed.
 */
export const triageBench: BenchPart = {
  name: 'triage',
  about: 'triage and causes of assessments on sets of vignettes, and levels of messages on sets of texts',
  async measure(_url, _pinning, options) {
    const texts: string[] = [];
    const missed: string[] = [];
    const figures: Record<string, unknown> = {};
    for (const { half, items } of setsOf<TriageItem>('triage', options?.half)) {
      const file = `triage.${half}.json`;
      const judged = await judge(items);
      const groups = new Map<string, Judged[]>([['all', judged]]);
      for (const one of judged) groups.set(one.item.group, [...(groups.get(one.item.group) ?? []), one]);
      const rows = Object.fromEntries([...groups].map(([group, list]) => [group, sum(list)]));
      figures[file] = rows;
      texts.push(describe(file, rows), ...(half === 'tuning' ? failures(judged) : []));
      const all = rows.all;
      if (all) missed.push(...missedOf(file, all));
    }
    const messages = await measureDangerSets();
    return {
      text: [...texts, ...messages.lines].join('\n'),
      missed: [...missed, ...messages.missed.map(one => `triage: ${one}`)],
      figures: { ...figures, messages: messages.figures },
    };
  },
};

async function judge(items: readonly TriageItem[]): Promise<Judged[]> {
  const { evaluate, knowledge } = await loadAssessments();
  const named = new Map(
    knowledge().conditions.map(({ name, aliases }) => [name, [name, ...aliases].flatMap(namesOf)] as const),
  );
  return items.map(item => {
    const { result } = evaluate({
      subject: 'myself',
      symptoms: item.symptoms,
      duration: item.duration,
      hasOtherSymptoms: null,
      trend: item.trend,
      allergies: '',
      severity: item.severity,
      notes: '',
      person: personOf(item.person),
    });
    const level = result.triageLevel;
    const isAcceptable = item.acceptable.includes(level);
    const isOver = !isAcceptable && rank(level) > Math.max(...item.acceptable.map(rank));
    const isInRange = [...named.values()].some(names => isNamed(names, item.diagnosis));
    const isFound = result.possibleCauses
      .slice(0, 3)
      .some(({ condition }) => isNamed(named.get(condition) ?? [], item.diagnosis));
    const tally: Tally = {
      items: 1,
      acceptable: Number(isAcceptable),
      over: Number(isOver),
      under: Number(!isAcceptable && !isOver),
      emergencies: Number(item.emergency),
      emergenciesUrgent: Number(item.emergency && rank(level) >= rank('urgent')),
      inRange: Number(isInRange),
      inRangeNamed: Number(isInRange && isFound),
      named: Number(isFound),
    };
    return { item, level, tally };
  });
}

function sum(judged: readonly Judged[]): Tally {
  const total: Tally = {
    items: 0,
    acceptable: 0,
    over: 0,
    under: 0,
    emergencies: 0,
    emergenciesUrgent: 0,
    inRange: 0,
    inRangeNamed: 0,
    named: 0,
  };
  for (const { tally } of judged) for (const key of Object.keys(total) as (keyof Tally)[]) total[key] += tally[key];
  return total;
}

function describe(file: string, rows: Record<string, Tally>): string {
  const head = ['group', 'items', 'acceptable', 'over', 'under', 'emergencies ≥ urgent', 'named in range', 'named'];
  const lines = Object.entries(rows).map(([group, one]) => [
    group,
    String(one.items),
    `${one.acceptable}`,
    `${one.over}`,
    `${one.under}`,
    `${one.emergenciesUrgent} of ${one.emergencies}`,
    `${one.inRangeNamed} of ${one.inRange}`,
    `${one.named}`,
  ]);
  const widths = head.map((text, at) => Math.max(text.length, ...lines.map(line => line[at]?.length ?? 0)));
  const print = (cells: string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [`\n${file}`, print(head), ...lines.map(print)].join('\n');
}

function failures(judged: readonly Judged[]): string[] {
  const ids = (wanted: (tally: Tally) => boolean): string =>
    judged
      .filter(({ tally }) => wanted(tally))
      .map(({ item, level, tally }) => (tally.acceptable ? item.id : `${item.id} (${level})`))
      .join(', ') || 'none';
  return [
    `  over-triage: ${ids(tally => tally.over === 1)}`,
    `  under-triage: ${ids(tally => tally.under === 1)}`,
    `  emergency below urgent: ${ids(tally => tally.emergencies > tally.emergenciesUrgent)}`,
    `  diagnosis not among three: ${ids(tally => tally.named === 0)}`,
  ];
}

function missedOf(file: string, all: Tally): string[] {
  const shares: [string, number, number, number][] = [
    ['acceptable triage', all.acceptable, all.items, bars.acceptable],
    ['emergencies at least urgent', all.emergenciesUrgent, all.emergencies, bars.emergencies],
    ['diagnosis in range among three', all.inRangeNamed, all.inRange, bars.named],
  ];
  return shares
    .filter(([, there, of, bar]) => there < bar * of)
    .map(([name, there, of, bar]) => `triage: ${file}: ${name} ${there} of ${of}, wanted ${Math.round(bar * 100)} %`);
}
