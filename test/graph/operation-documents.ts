import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DocumentNode, type FragmentDefinitionNode, Kind, parse, visit } from 'graphql';

/** An operation file, by its path below the folder, and the operation with all fragments that it spreads: what a caller would paste. */
export interface OperationDocument {
  file: string;
  document: DocumentNode;
}

/** The operations of all files below a folder; files of fragments alone have none. */
export function readOperationDocuments(folder: string): OperationDocument[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.graphql'));
  const files = names.map(file => ({
    file,
    definitions: parse(readFileSync(join(folder, file), 'utf8'), { noLocation: true }).definitions,
  }));
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of files.flatMap(({ definitions }) => definitions)) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  }
  return files.flatMap(({ file, definitions }) => {
    const operation = definitions.find(one => one.kind === Kind.OPERATION_DEFINITION);
    if (!operation) return [];
    const used = new Set<FragmentDefinitionNode>();
    const spread = (node: typeof operation | FragmentDefinitionNode): void => {
      visit(node, {
        FragmentSpread({ name }) {
          const fragment = fragments.get(name.value);
          if (!fragment || used.has(fragment)) return;
          used.add(fragment);
          spread(fragment);
        },
      });
    };
    spread(operation);
    return [{ file, document: { kind: Kind.DOCUMENT, definitions: [operation, ...used] } }];
  });
}
