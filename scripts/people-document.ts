import {
  actingKinds,
  conditions,
  type DeedName,
  deedNames,
  deeds,
  doors,
  isGranted,
  otherKinds,
  type PersonKind,
  persons,
  type Relation,
  relations,
  relationsOf,
} from '../test/health/people/people-rules.ts';

const list = (entries: Record<string, string>): string =>
  Object.entries(entries)
    .map(([name, about]) => `| ${name} | ${about} |`)
    .join('\n');

const cell = (deed: DeedName, me: PersonKind, other: PersonKind, relation: Relation): string =>
  isGranted(deed, { me, other, relation }) ? 'yes' : '–';

/** The rows of one acting kind: what is alike for several relations, and then for several kinds of others, is one row. */
function rowsOf(me: PersonKind): string {
  const byRow = new Map<string, string[]>();
  for (const other of otherKinds) {
    const byCells = new Map<string, Relation[]>();
    for (const relation of relationsOf(me)) {
      const cells = deedNames.map(deed => cell(deed, me, other, relation)).join(' | ');
      byCells.set(cells, [...(byCells.get(cells) ?? []), relation]);
    }
    for (const [cells, alike] of byCells) {
      const relation = alike.length === relationsOf(me).length ? 'any' : alike.join(', ');
      const row = `${relation} | ${cells}`;
      byRow.set(row, [...(byRow.get(row) ?? []), other]);
    }
  }
  return [...byRow].map(([row, others]) => `| ${others.join(', ')} | ${row} |`).join('\n');
}

/** The number of the cells that the test tries: each deed at each of its doors. */
const cellCount = (): number => {
  const doorCount = deedNames.reduce((sum, name) => sum + Object.keys(deeds[name].at).length, 0);
  return actingKinds.reduce((sum, me) => sum + otherKinds.length * relationsOf(me).length * doorCount, 0);
};

/** The text of `docs/people.md`. */
export function peopleDocument(): string {
  const deedRows = deedNames.map(name => {
    const { about, at, needs }: { about: string; at: Record<string, string>; needs: readonly string[] } = deeds[name];
    const where = Object.entries(at).map(([door, what]) => `${doors[door as keyof typeof doors]}: ${what}`);
    return `| ${name} | ${about} | ${where.join('; ')} | ${needs.join(', ')} |`;
  });
  const conditionRows = Object.entries(conditions).map(
    ([name, { about, because }]) => `| ${name} | ${about} | ${because} |`,
  );
  const head = `| the other | relation | ${deedNames.join(' | ')} |\n|---|---|${'---|'.repeat(deedNames.length)}`;
  const tables = actingKinds.map(me => `### ${me}\n\n${persons[me]}\n\n${head}\n${rowsOf(me)}`);
  return `# Who may do what with whom

Which person of the health companion may find, see and reach which other one. Printed from \`test/health/people/people-rules.ts\`; \`npm run
print\` renews it. \`people.test.ts\` beside it tries each of the ${cellCount().toLocaleString('en')} cells with a running server: each deed of each pair at each of its doors. The
answer is the same at every door. [permissions.md](permissions.md) has the access scopes of fields, [community.md](community.md) the mechanisms.

## People

| kind | who |
|---|---|
${list(persons)}

## Relations

| relation | what is between the first person and the other |
|---|---|
${list(relations)}

## Deeds

A deed is granted where all of its conditions hold.

| deed | the first person may … | where | conditions |
|---|---|---|---|
${deedRows.join('\n')}

## Conditions

| condition | only if … | because … |
|---|---|---|
${conditionRows.join('\n')}

## The table

For each kind of first person: the deeds with others of a kind and a relation. Rows that are alike stand in one.

${tables.join('\n\n')}
`;
}
