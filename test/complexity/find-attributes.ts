import {
  type AttributeName,
  AttributeRules,
  type AttributeValue,
  parseAttributes,
} from '../../src/git/archives/attributes.ts';
import { requestBudget } from './request-budgets.ts';

const names = ['export-ignore', 'export-subst', 'text', 'crlf', 'eol', 'ident'] as const;

/** What a .gitattributes file says of a path: parsed and searched as for an archive. */
export async function findAttributes(
  content: string,
  path: string,
): Promise<ReadonlyMap<AttributeName, AttributeValue>> {
  const budget = requestBudget();
  const rules = new AttributeRules(await parseAttributes(content, budget), '');
  return rules.find(names, path, { isFolder: false, budget });
}
