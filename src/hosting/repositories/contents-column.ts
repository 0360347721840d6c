import { type GraphQLResolveInfo, isObjectType, Kind, valueFromASTUntyped } from 'graphql';
import { type RawBuilder, sql } from 'kysely';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Actor } from '../../auth/actor.ts';
import { selectionOf } from '../../db/selection.ts';
import { tipColumn } from '../contents/open-at-ref.ts';
import type { OwnedRow } from './repositories.queries.ts';
import { type AccessDecision, accessDecision } from './repository-access.ts';

const scope: HostingScope = 'contents:read';

/** Fields of a repository that are read at the revision in their argument `ref`. */
const fieldsAtRef: ReadonlySet<string> = new Set(['content', 'readme']);

interface ContentsColumn {
  /** SQL over `r` (repository) and its owner `o`. */
  column: RawBuilder<{ decision: AccessDecision; tip: string | null }>;
  /** What the row has of the column's value. */
  read(value: { decision: AccessDecision; tip: string | null }): Pick<OwnedRow, 'contentsDecision' | 'tip'>;
}

/**
 * What the statement of a repository reads for its contents, so that reading them needs no other one: the decision about the caller, and
 * the ref that the first selected field is at. Undefined if no field of the contents is selected.
 */
export function contentsColumn(actor: Actor, info: GraphQLResolveInfo): ContentsColumn | undefined {
  if (!readsContents(info)) return undefined;
  const revision = revisionOf(info);
  const tip = revision === undefined ? undefined : tipColumn(revision);
  return {
    column: sql`json_build_object('decision', ${accessDecision(actor, scope)}, 'tip', ${tip ? sql`encode(${tip}, 'hex')` : sql`null`})`,
    read: ({ decision, tip: oid }) => ({
      contentsDecision: decision,
      ...(revision === undefined || oid === null ? {} : { tip: { revision, oid } }),
    }),
  };
}

/** Whether a field below `Repository` is selected that needs the decision about its contents. */
function readsContents(info: GraphQLResolveInfo): boolean {
  const type = info.schema.getType('Repository');
  const fields = isObjectType(type) ? type.getFields() : {};
  return [...selectionOf(info).keys()].some(name => fields[name]?.extensions.access === scope);
}

function revisionOf({ fieldNodes, variableValues }: GraphQLResolveInfo): string | undefined {
  for (const selection of fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? [])) {
    if (selection.kind !== Kind.FIELD || !fieldsAtRef.has(selection.name.value)) continue;
    const given = selection.arguments?.find(({ name }) => name.value === 'ref')?.value;
    const value = given && valueFromASTUntyped(given, variableValues);
    return typeof value === 'string' ? value : '';
  }
  return undefined;
}
