import { describe, expect, test } from '@jest/globals';
import { knowledge } from 'triage/knowledge/knowledge';
import { levels, type RedFlag } from 'triage/knowledge/knowledge-schema';
import { type PersonFacts, unknownPerson, type Who } from 'triage/knowledge/person-facts';
import { raisedFlags } from 'triage/knowledge/red-flags';
import { evaluate } from '../../../src/health/assessments/evaluate.ts';

const { redFlags, symptoms } = knowledge();
const rules = redFlags.map(flag => [flag.id, flag] as const);

/** Somebody whom the rule is about. */
function insider(who: Who = {}): PersonFacts {
  const from = Math.max(who.from_months ?? 0, (who.from_years ?? 0) * 12);
  const hasAge = [who.from_months, who.from_years, who.below_months, who.below_years].some(one => one !== undefined);
  return {
    ...unknownPerson,
    ageMonths: hasAge ? from : null,
    sex: who.sex ?? null,
    pregnant: who.pregnant ?? null,
    pregnancyWeeks: who.from_week ?? (who.below_week === undefined ? null : who.below_week - 1),
  };
}

/** People who differ from the insider in one part of `who` each. */
function outsiders(who: Who): PersonFacts[] {
  const inside = insider(who);
  const below = Math.min(who.below_months ?? Infinity, (who.below_years ?? Infinity) * 12);
  return [
    ...(inside.ageMonths !== null && inside.ageMonths > 0 ? [{ ...inside, ageMonths: inside.ageMonths - 1 }] : []),
    ...(below < Infinity ? [{ ...inside, ageMonths: below }] : []),
    ...(inside.ageMonths === null ? [] : [{ ...inside, ageMonths: null }]),
    ...(who.sex === undefined
      ? []
      : [
          { ...inside, sex: who.sex === 'male' ? ('female' as const) : ('male' as const) },
          { ...inside, sex: null },
        ]),
    ...(who.pregnant === undefined
      ? []
      : [
          { ...inside, pregnant: !who.pregnant },
          { ...inside, pregnant: null },
        ]),
    ...(who.from_week === undefined ? [] : [{ ...inside, pregnancyWeeks: who.from_week - 1 }]),
    ...(who.below_week === undefined ? [] : [{ ...inside, pregnancyWeeks: who.below_week }]),
  ];
}

const isRaised = (flag: RedFlag, ids: readonly string[], person: PersonFacts): boolean =>
  raisedFlags([flag], { present: new Set(ids), person, days: null, isWorsening: false }).length === 1;

describe.each(rules)('%s', (_, flag) => {
  const person = insider(flag.who);

  test('fires on one sign of each group', () => {
    for (const [at, group] of flag.when.entries())
      for (const id of group) {
        const others = flag.when.filter((_, other) => other !== at).map(one => one[0] ?? '');
        expect({ id, raised: isRaised(flag, [id, ...others], person) }).toEqual({ id, raised: true });
      }
  });

  test('does not fire without one of them', () => {
    for (const [at, group] of flag.when.entries()) {
      const others = flag.when.flatMap((one, other) => (other === at ? [] : one.filter(id => !group.includes(id))));
      expect(isRaised(flag, others, person)).toBe(false);
    }
  });

  test('does not fire for anybody else', () => {
    const all = flag.when.flat();
    for (const other of outsiders(flag.who ?? {}))
      expect({ other, raised: isRaised(flag, all, other) }).toEqual({ other, raised: false });
  });

  test('is silent where it is told that the sign is over, and only then', () => {
    if (!flag.unless) return;
    const { signs, days } = flag.unless;
    const ids = [...flag.when.map(group => group[0] ?? ''), signs[0] ?? ''];
    const raised = (more: { days: number | null; isWorsening: boolean }): boolean =>
      raisedFlags([flag], { present: new Set(ids), person, ...more }).length === 1;
    expect(raised({ days, isWorsening: false })).toBe(false);
    expect(raised({ days, isWorsening: true })).toBe(true);
    expect(raised({ days: null, isWorsening: false })).toBe(true);
    if (days > 0) expect(raised({ days: days - 1, isWorsening: false })).toBe(true);
  });

  test('decides the level of words that tell it', () => {
    const words = flag.when.map(group => {
      const id = group.find(one => symptoms.get(one)?.terms.some(term => !term.includes('{'))) ?? group[0] ?? '';
      return symptoms.get(id)?.terms.find(term => !term.includes('{')) ?? symptoms.get(id)?.label ?? '';
    });
    const { result } = evaluate({
      subject: 'myself',
      symptoms: words,
      duration: null,
      hasOtherSymptoms: null,
      trend: null,
      allergies: '',
      severity: null,
      notes: '',
      person,
    });
    expect(levels.indexOf(result.triageLevel)).toBeGreaterThanOrEqual(levels.indexOf(flag.level));
    expect(result.redFlags).toContain(flag.label);
  });
});
