import type { Endpoint } from 'operation-rest';
import { type GithubDescription, operationKey } from './github-description.ts';
import { githubDifferences } from './github-differences.ts';

interface Category {
  served: { id: string; method: string; path: string; isConstant: boolean }[];
  missing: string[];
}

/** The text of `docs/github-compatibility.md`: which operations of GitHub's description are served, and what differs. */
export function githubCompatibility(endpoints: readonly Endpoint[], { operations }: GithubDescription): string {
  const served = new Map(
    endpoints.map(({ operation, plan }) => [operationKey(operation.method, operation.path), { operation, plan }]),
  );
  const categories = new Map<string, Category>();
  for (const [key, { operationId, method, path }] of operations) {
    const name = operationId.split('/', 1)[0] ?? operationId;
    const category = categories.get(name) ?? { served: [], missing: [] };
    categories.set(name, category);
    const found = served.get(key);
    if (found) {
      // A write has done something, whatever it answers.
      const isConstant = found.operation.kind === 'query' && found.plan.bodyConstant !== undefined;
      category.served.push({ id: operationId, method, path, isConstant });
    } else category.missing.push(operationId);
  }
  const all = [...categories.entries()].sort(([one], [other]) => (one < other ? -1 : 1));
  const partly = all.filter(([, { served: some }]) => some.length > 0);
  const count = partly.reduce((sum, [, { served: some }]) => sum + some.length, 0);
  const constant = partly.reduce((sum, [, { served: some }]) => sum + some.filter(one => one.isConstant).length, 0);
  const whole = partly.reduce((sum, [, one]) => sum + one.served.length + one.missing.length, 0);
  return `# Compatibility with GitHub's REST API

Printed from the operation files of code hosting and from GitHub's machine-readable description (\`@octokit/openapi\`); \`npm run print\`
renews it. \`test/contract/official-answers.test.ts\` validates an answer of every operation below against the description: required
keys, types and parameters.

${count} of the ${operations.size} operations of the description are served, and ${count - constant} of them have data; ${constant} concern features
that the product does not have, and answer with an empty list or a fixed object. In the categories that are served at all it is ${count} of
${whole} (${Math.round((100 * count) / whole)} %).

| category | served | of |
|---|---|---|
${partly.map(([name, one]) => `| ${name} | ${one.served.length} | ${one.served.length + one.missing.length} |`).join('\n')}

Not served at all: ${all.flatMap(([name, one]) => (one.served.length === 0 ? [`${name} (${one.missing.length})`] : [])).join(', ')}.

## Differences

| operation | difference |
|---|---|
${differences(endpoints)}

## Operations
${partly.map(([name, one]) => section(name, one)).join('\n')}`;
}

function differences(endpoints: readonly Endpoint[]): string {
  return endpoints
    .flatMap(({ operation: { name, method, path } }) => {
      const difference = githubDifferences[name];
      if (!difference) return [];
      const { isAddition, parameters, reason } = difference;
      const what = [
        isAddition === true ? 'Not in the description. ' : '',
        parameters ? `Without ${parameters.map(one => `\`${one}\``).join(', ')}. ` : '',
      ];
      return [`| \`${method} ${path}\` | ${what.join('')}${reason} |`];
    })
    .sort()
    .join('\n');
}

function section(name: string, { served, missing }: Category): string {
  const rows = served.map(
    ({ id, method, path, isConstant }) => `| \`${id}\` | \`${method} ${path}\` | ${isConstant ? 'fixed' : ''} |`,
  );
  const absent = missing.map(id => `\`${id.slice(name.length + 1)}\``).join(', ');
  return `
### ${name}

| operation | path | |
|---|---|---|
${rows.join('\n')}
${absent === '' ? '' : `\nNot served: ${absent}.\n`}`;
}
