import type { ConstDirectiveNode, DocumentNode, StringValueNode } from 'graphql';

/** Described elements of a document as `[name, description]`: `Type`, `Type.field`, `Type.field(argument:)` or `Enum.VALUE`. */
type Described = [name: string, description: string];

interface DescribedNode {
  name: { value: string };
  description?: StringValueNode | undefined;
  directives?: readonly ConstDirectiveNode[] | undefined;
  fields?: readonly DescribedNode[] | undefined;
  values?: readonly DescribedNode[] | undefined;
  arguments?: readonly DescribedNode[] | undefined;
}

const minWords = 3;
/** Types that may share a text. A fourth one is a sign that the text says nothing of its own about any of them. */
const maxTypes = 3;

/**
 * Descriptions that do not tell one element from another, sorted: `short-description Type.field` for one of fewer than three words,
 * and `shared-description "text"` for one that elements of more than three types have under more than one name. Elements with one
 * name mean one thing: `after` of every list, `clientMutationId` of every input.
 *
 * @param allowed names of elements and shared texts that are no finding. One that would be none anyway is reported as
 *   `needless-exception`, so that the list only has what is needed.
 */
export function vagueDescriptions(document: DocumentNode, allowed: readonly string[] = []): string[] {
  const elements = document.definitions.flatMap(definition => ('name' in definition ? described(definition) : []));
  const found = new Map([
    ...elements
      .filter(([, text]) => text.split(/\s+/).length < minWords)
      .map(([name]) => [name, `short-description ${name}`]),
    ...sharedTexts(elements).map(text => [text, `shared-description "${text}"`]),
  ] as [string, string][]);
  const needless = allowed.filter(one => !found.has(one)).map(one => `needless-exception ${one}`);
  return [...[...found].filter(([key]) => !allowed.includes(key)).map(([, finding]) => finding), ...needless].sort();
}

function described(node: object): Described[] {
  const { name, description, fields = [], values = [] } = node as DescribedNode;
  const members = [...fields, ...values].flatMap(member => [
    textOf(member, `${name.value}.${member.name.value}`),
    ...(member.arguments ?? []).map(argument =>
      textOf(argument, `${name.value}.${member.name.value}(${argument.name.value}:)`),
    ),
  ]);
  return [textOf({ name, description }, name.value), ...members].filter(([, text]) => text !== '');
}

const textOf = ({ description }: DescribedNode, name: string): Described => [
  name,
  (description?.value ?? '').trim().replaceAll(/\s+/g, ' '),
];

function sharedTexts(elements: readonly Described[]): string[] {
  const namesByText = Map.groupBy(elements, ([, text]) => text);
  return [...namesByText].flatMap(([text, sharing]) => {
    const names = sharing.map(([name]) => name);
    const types = new Set(names.map(name => name.replace(/\..*$/, '')));
    const ownNames = new Set(names.map(name => /(\w+):?\)?$/.exec(name)?.[1]));
    return types.size > maxTypes && ownNames.size > 1 ? [text] : [];
  });
}
