import { validateHeaderName } from 'node:http';
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  GraphQLString,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { bodilessStatuses, type Operation, OperationError } from './operation.ts';
import { checkPageSelection, type PageStyle } from './paging.ts';
import { checkStatus, directive } from './read-operations.ts';

/** What has to be done to a value of the result before it is sent. A node without work is not in the tree at all. */
export interface Shaping {
  omitNull: boolean;
  header: string | undefined;
  children: Map<string, Shaping>;
}

/** How the result of an operation becomes an answer, read once from the directives of its file. */
export interface Plan {
  /** Response keys from the root to the field under @body; undefined when the answer has no body. */
  body: string[] | undefined;
  bodyType: GraphQLOutputType | undefined;
  bodySelections: SelectionSetNode | undefined;
  bodyNullable: boolean;
  /** Type of the body: known, to be asked for with every answer, or of no interest as with lists and scalars. */
  outcome: { known: string } | 'asked' | undefined;
  page: { keys: string[]; style: PageStyle; most: number | undefined } | undefined;
  /** Headers from fields outside the body. */
  headers: { keys: string[]; name: string }[];
  /** Names of all headers that fields become, inside the body as well. */
  headerNames: string[];
  /** Work inside the body, starting at its value; undefined when there is none. */
  shaping: Shaping | undefined;
  /** Type of the outcome → status. Empty when the outcome has one type. */
  statuses: Map<string, number>;
}

interface Found {
  field: FieldNode;
  keys: string[];
  type: GraphQLOutputType;
}
interface Level {
  set: SelectionSetNode;
  parent: GraphQLCompositeType;
}

/** Reads the plan of an operation. Throws an OperationError for directives that contradict each other. */
export function planOf(operation: Operation): Plan {
  return new Planner(operation).plan();
}

class Planner {
  readonly #operation: Operation;
  readonly #fragments: Map<string, FragmentDefinitionNode>;
  readonly #bodies: Found[] = [];
  readonly #pages: Found[] = [];
  readonly #headers: { keys: string[]; name: string }[] = [];
  readonly #headerNames = new Set<string>();

  constructor(operation: Operation) {
    this.#operation = operation;
    this.#fragments = new Map(operation.fragments.map(one => [one.name.value, one]));
  }

  plan(): Plan {
    const { kind, schema, definition, status } = this.#operation;
    const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    if (!root) return this.#refuse('The graph has no such root type.');
    this.#walk({ set: definition.selectionSet, parent: root }, [], false);
    const [body, second] = this.#bodies;
    const bodiless = bodilessStatuses.has(status);
    if (second) this.#refuse('An operation has one @body.');
    if (!body && !bodiless) this.#refuse('Nothing is sent: mark one field with @body, or say status: 204.');
    if (body && bodiless) this.#refuse(`${status} has no body, but a field is marked with @body.`);
    const inside = body && this.#below(body.field, body.type);
    return {
      body: body?.keys,
      bodyType: body?.type,
      bodySelections: body?.field.selectionSet,
      bodyNullable: body !== undefined && this.#values('body', body.field)?.nullable === true,
      outcome: outcomeOf(body?.type),
      page: this.#page(),
      headers: this.#headers,
      shaping: inside && this.#shaping([inside], isList(body.type)),
      headerNames: [...this.#headerNames],
      statuses: inside && !isList(body.type) ? this.#statuses(inside) : new Map(),
    };
  }

  #refuse(reason: string): never {
    throw new OperationError(this.#operation.file, reason);
  }

  #values(name: string, node: FieldNode | SelectionNode): Record<string, unknown> | undefined {
    return getDirectiveValues(directive(this.#operation.schema, name), node);
  }

  #page(): Plan['page'] {
    const [page, second] = this.#pages;
    if (second) this.#refuse('An operation has one @page.');
    const said = page && this.#values('page', page.field);
    const style = said?.style as PageStyle | undefined;
    if (!page || !style) return undefined;
    const level = this.#below(page.field, page.type);
    const selected = level ? [...this.#fieldsOf(level)].map(({ key }) => key) : [];
    checkPageSelection(this.#operation.file, style, selected);
    const most = said?.most as number | undefined;
    if (most !== undefined && style !== 'LINK')
      this.#refuse('Only pages by number in Link can have a last one to reach.');
    return { keys: page.keys, style, most };
  }

  /** From the root down to @body and to the fields beside it; what is under @body belongs to the shaping. */
  #walk(level: Level, keys: string[], inList: boolean): void {
    for (const { field, key, type } of this.#fieldsOf(level)) {
      const found: Found = { field, keys: [...keys, key], type };
      const header = this.#header(field, type, inList);
      const isBody = has(field, 'body');
      if (header !== undefined) this.#headers.push({ keys: found.keys, name: header });
      if (has(field, 'page')) this.#pages.push(found);
      if (isBody) this.#bodies.push(found);
      if (inList && (isBody || has(field, 'page'))) this.#refuse('@body and @page cannot stand inside of a list.');
      const below = this.#below(field, type);
      if (!below) continue;
      if (isBody) this.#refuseBodyInside(below);
      else this.#walk(below, found.keys, inList || isList(type));
    }
  }

  #refuseBodyInside(level: Level): void {
    for (const { field, type } of this.#fieldsOf(level)) {
      if (has(field, 'body') || has(field, 'page')) this.#refuse('@body and @page cannot stand inside @body.');
      const below = this.#below(field, type);
      if (below) this.#refuseBodyInside(below);
    }
  }

  #header(field: FieldNode, type: GraphQLOutputType, inList: boolean): string | undefined {
    const name = this.#values('header', field)?.name as string | undefined;
    if (name === undefined) return undefined;
    try {
      validateHeaderName(name);
    } catch {
      this.#refuse(`«${name}» is no name of a header.`);
    }
    if (isCompositeType(getNamedType(type))) this.#refuse(`An object cannot be the header ${name}.`);
    if (inList) this.#refuse(`The header ${name} stands inside of a list and would have many values.`);
    this.#headerNames.add(name);
    return name;
  }

  *#fieldsOf({ set, parent }: Level): Generator<{ field: FieldNode; key: string; type: GraphQLOutputType }> {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const definition = 'getFields' in parent ? parent.getFields()[selection.name.value] : undefined;
        // __typename is the one field that no type declares.
        yield { field: selection, key: keyOf(selection), type: definition?.type ?? GraphQLString };
      } else {
        const inner = this.#inside(selection, parent);
        if (inner) yield* this.#fieldsOf(inner);
      }
    }
  }

  #inside(selection: SelectionNode, parent: GraphQLCompositeType): Level | undefined {
    if (selection.kind === Kind.FIELD) return undefined;
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
    if (!fragment) return undefined;
    const named = fragment.typeCondition && this.#operation.schema.getType(fragment.typeCondition.name.value);
    return { set: fragment.selectionSet, parent: isCompositeType(named) ? named : parent };
  }

  #below(field: FieldNode, type: GraphQLOutputType): Level | undefined {
    const named = getNamedType(type);
    return field.selectionSet && isCompositeType(named) ? { set: field.selectionSet, parent: named } : undefined;
  }

  /** `levels`: the same object, selected in several places. */
  #shaping(levels: Level[], inList: boolean): Shaping | undefined {
    const byKey = new Map<string, { field: FieldNode; type: GraphQLOutputType }[]>();
    for (const level of levels) {
      for (const { field, key, type } of this.#fieldsOf(level)) {
        byKey.set(key, [...(byKey.get(key) ?? []), { field, type }]);
      }
    }
    const children = new Map<string, Shaping>();
    for (const [key, places] of byKey) {
      const [omitNull = false, ...other] = new Set(places.map(({ field }) => has(field, 'omitNull')));
      const [header, ...others] = new Set(places.map(({ field, type }) => this.#header(field, type, inList)));
      // One key has one shape in the documentation, wherever it was selected.
      if (other.length > 0) this.#refuse(`${key} is selected with @omitNull and without.`);
      if (others.length > 0) this.#refuse(`${key} is selected with different headers.`);
      const below = places.flatMap(({ field, type }) => this.#below(field, type) ?? []);
      const inner = this.#shaping(below, inList || places.some(({ type }) => isList(type)));
      if (!inner && !omitNull && header === undefined) continue;
      children.set(key, { omitNull, header, children: inner?.children ?? new Map() });
    }
    return children.size > 0 ? { omitNull: false, header: undefined, children } : undefined;
  }

  #statuses(body: Level): Map<string, number> {
    const { schema, status } = this.#operation;
    const statuses = new Map<string, number>();
    const collect = ({ set, parent }: Level): void => {
      for (const selection of set.selections) {
        const inner = this.#inside(selection, parent);
        if (!inner) continue;
        const code = this.#values('status', selection)?.code as number | undefined;
        if (code !== undefined) {
          checkStatus(code, reason => this.#refuse(reason));
          const types = isAbstractType(inner.parent) ? schema.getPossibleTypes(inner.parent) : [inner.parent];
          for (const type of types) statuses.set(type.name, code);
        }
        collect(inner);
      }
    };
    collect(body);
    if (isAbstractType(body.parent)) {
      // Each outcome has a status: its own, or the operation's.
      for (const { name } of schema.getPossibleTypes(body.parent)) {
        if (!statuses.has(name)) statuses.set(name, status);
      }
    }
    return statuses;
  }
}

function outcomeOf(type: GraphQLOutputType | undefined): Plan['outcome'] {
  const plain = getNullableType(type);
  if (isAbstractType(plain)) return 'asked';
  return isCompositeType(plain) ? { known: plain.name } : undefined;
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type));
}

function has(field: FieldNode, name: string): boolean {
  return field.directives?.some(one => one.name.value === name) === true;
}

function keyOf(field: FieldNode): string {
  return field.alias?.value ?? field.name.value;
}
