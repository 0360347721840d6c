import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  type GraphQLUnionType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
  isUnionType,
} from 'graphql';

/** Differences of two types or fields of the same name: those that break a client of theirs, and those that do not. */
export interface GraphComparison {
  /** `Type.field: reason`, sorted. An operation written for theirs is invalid or means something else on ours. */
  incompatible: string[];
  /** The same for what is compatible but differs: absent arguments, looser nullability, other enum values. */
  notes: string[];
  share: { types: Share; fields: Share };
}

interface Share {
  /** Number that both schemas have. */
  both: number;
  ours: number;
  theirs: number;
}

export interface ComparisonOptions {
  /** Names of our types that model something else than theirs; sharing a name with one of theirs is an incompatibility. */
  unrelated: ReadonlySet<string>;
  /** Types of theirs that count in the share, as do the fields of these types. */
  counts: (type: string) => boolean;
}

type Fields = Record<string, GraphQLField<unknown, unknown>>;

/** Compares our schema with the one whose operations must work on it. Descriptions and directives are not compared. */
export function compareGraphs(ours: GraphQLSchema, theirs: GraphQLSchema, options: ComparisonOptions): GraphComparison {
  const incompatible: string[] = [];
  const notes: string[] = [];
  const own = declared(ours);
  const foreign = declared(theirs);
  for (const type of own) {
    const other = theirs.getType(type.name);
    if (!other || isSpecified(type)) continue;
    if (options.unrelated.has(type.name)) incompatible.push(`${type.name}: name of something else`);
    else if (kindOf(type) !== kindOf(other)) {
      incompatible.push(`${type.name}: ${kindOf(type)} instead of ${kindOf(other)}`);
    } else compareTypes(type, other, incompatible, notes);
  }
  return {
    incompatible: incompatible.sort(),
    notes: notes.sort(),
    share: {
      types: share(own.map(nameOf), foreign.map(nameOf).filter(options.counts)),
      fields: share(
        own.flatMap(type => fieldNames(type)),
        foreign.flatMap(type => (options.counts(type.name) ? fieldNames(type, options.counts) : [])),
      ),
    },
  };
}

/** A client of theirs can also send an object where ours takes the scalar, so scalars have to have the same name only. */
function compareTypes(ours: GraphQLNamedType, theirs: GraphQLNamedType, incompatible: string[], notes: string[]): void {
  if (hasFields(ours) && hasFields(theirs)) {
    compareFields(ours.name, ours.getFields(), theirs.getFields(), incompatible, notes);
    const absent = theirs.getInterfaces().filter(({ name }) => !ours.getInterfaces().some(own => own.name === name));
    notes.push(...absent.map(({ name }) => `${ours.name}: does not implement ${name}`));
  } else if (isInputObjectType(ours) && isInputObjectType(theirs)) {
    const inputs = [Object.values(ours.getFields()), Object.values(theirs.getFields())] as const;
    compareInputs(`${ours.name}.`, '', ...inputs, incompatible, notes);
  } else if (isEnumType(ours) && isEnumType(theirs)) {
    noteMembers(ours.name, enumValues(ours), enumValues(theirs), notes);
  } else if (isUnionType(ours) && isUnionType(theirs)) {
    noteMembers(ours.name, unionMembers(ours), unionMembers(theirs), notes);
  }
}

function compareFields(type: string, ours: Fields, theirs: Fields, incompatible: string[], notes: string[]): void {
  for (const [name, field] of Object.entries(ours)) {
    const other = theirs[name];
    if (!other) continue;
    const at = `${type}.${name}`;
    if (shapeOf(field.type) !== shapeOf(other.type)) {
      incompatible.push(`${at}: ${field.type} instead of ${other.type}`);
    } else if (isLooser(field.type, other.type)) notes.push(`${at}: ${field.type} is nullable, ${other.type} is not`);
    compareInputs(`${at}(`, ')', field.args, other.args, incompatible, notes);
  }
}

/** Arguments of a field, or fields of an input object: what is valid for theirs must be valid for ours. */
function compareInputs(
  before: string,
  after: string,
  ours: readonly (GraphQLArgument | GraphQLInputField)[],
  theirs: readonly (GraphQLArgument | GraphQLInputField)[],
  incompatible: string[],
  notes: string[],
): void {
  for (const input of ours) {
    const other = theirs.find(({ name }) => name === input.name);
    const at = `${before}${input.name}${after}`;
    if (!other) {
      if (isRequired(input)) incompatible.push(`${at}: required here, absent there`);
    } else if (shapeOf(input.type) !== shapeOf(other.type)) {
      incompatible.push(`${at}: ${input.type} instead of ${other.type}`);
    } else if (isRequired(input) && !isRequired(other)) {
      incompatible.push(`${at}: ${input.type} is required, ${other.type} is not`);
    } else if (isLooser(other.type, input.type)) notes.push(`${at}: ${input.type} takes no null, ${other.type} does`);
  }
  for (const other of theirs) {
    if (ours.some(({ name }) => name === other.name)) continue;
    const at = `${before}${other.name}${after}`;
    if (isRequired(other)) incompatible.push(`${at}: absent here, required there`);
    else if (!other.deprecationReason) notes.push(`${at}: absent here`);
  }
}

function noteMembers(type: string, ours: string[], theirs: string[], notes: string[]): void {
  const absent = theirs.filter(name => !ours.includes(name));
  const added = ours.filter(name => !theirs.includes(name));
  if (absent.length > 0) notes.push(`${type}: lacks ${absent.join(', ')}`);
  if (added.length > 0) notes.push(`${type}: adds ${added.join(', ')}`);
}

/** The type without nullability: `[Ref]` for `[Ref!]!`. */
function shapeOf(type: GraphQLType): string {
  const nullable = getNullableType(type);
  return isListType(nullable) ? `[${shapeOf(nullable.ofType)}]` : String(nullable);
}

/** Whether ours may be null at a place where theirs may not. Both have the same shape. */
function isLooser(ours: GraphQLType, theirs: GraphQLType): boolean {
  if (isNonNullType(theirs) && !isNonNullType(ours)) return true;
  const [own, other] = [getNullableType(ours), getNullableType(theirs)];
  return isListType(own) && isListType(other) && isLooser(own.ofType, other.ofType);
}

function isRequired(input: GraphQLArgument | GraphQLInputField): boolean {
  return isRequiredArgument(input as GraphQLArgument) || isRequiredInputField(input as GraphQLInputField);
}

function share(ours: string[], theirs: string[]): Share {
  const names = new Set(theirs);
  return { both: ours.filter(name => names.has(name)).length, ours: ours.length, theirs: theirs.length };
}

const specified = new Set(['String', 'Int', 'Float', 'Boolean', 'ID']);
const isSpecified = ({ name }: GraphQLNamedType): boolean => specified.has(name) || name.startsWith('__');
const declared = (schema: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(schema.getTypeMap()).filter(type => !isSpecified(type));
const nameOf = ({ name }: GraphQLNamedType): string => name;
const hasFields = (type: GraphQLNamedType) => isObjectType(type) || isInterfaceType(type);
const enumValues = (type: GraphQLEnumType): string[] => type.getValues().map(({ name }) => name);
const unionMembers = (type: GraphQLUnionType): string[] => type.getTypes().map(({ name }) => name);

/** Names of the fields whose type counts, without deprecated ones. */
function fieldNames(type: GraphQLNamedType, counts: (type: string) => boolean = () => true): string[] {
  const fields = hasFields(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
  return fields
    .filter(field => !field.deprecationReason && counts(getNamedType(field.type as GraphQLType).name))
    .map(field => `${type.name}.${field.name}`);
}

function kindOf(type: GraphQLNamedType): string {
  if (isObjectType(type)) return 'object';
  if (isInterfaceType(type)) return 'interface';
  if (isInputObjectType(type)) return 'input';
  if (isEnumType(type)) return 'enum';
  if (isScalarType(type)) return 'scalar';
  return 'union';
}
