/**
 * The rules of HL7 FHIR R4 (4.0.1) for what this server makes: members with their types, how often they occur, the values of required
 * bindings, and the invariants that apply. Written from the definitions at hl7.org/fhir/R4; any other member is a problem.
 */
type Rule = readonly [type: string, cardinality: '0..1' | '1..1' | '0..*' | '1..*', values?: readonly string[]];
type Type = Readonly<Record<string, Rule>>;

const primitives: Readonly<Record<string, RegExp>> = {
  // `[ \r\n\t\S]+`, where `\S` is what is no white space of ASCII.
  string: /^[\t\n\r\u0020-\u{10ffff}]+$/u,
  uri: /^\S+$/u,
  code: /^[^\s]+(\s[^\s]+)*$/u,
  date: /^\d{4}-\d{2}-\d{2}$/u,
  dateTime: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/u,
  instant: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/u,
};

export const types: Readonly<Record<string, Type>> = {
  Coding: { system: ['uri', '1..1'], code: ['code', '1..1'], display: ['string', '0..1'] },
  CodeableConcept: { coding: ['Coding', '0..*'], text: ['string', '0..1'] },
  Identifier: { system: ['uri', '1..1'], value: ['string', '1..1'] },
  Reference: { reference: ['string', '0..1'], display: ['string', '0..1'] },
  Quantity: {
    value: ['decimal', '1..1'],
    unit: ['string', '0..1'],
    system: ['uri', '0..1'],
    code: ['code', '0..1'],
  },
  Period: { start: ['dateTime', '0..1'], end: ['dateTime', '0..1'] },
  Annotation: { text: ['string', '1..1'] },
  HumanName: {
    use: ['code', '0..1', ['official', 'nickname']],
    text: ['string', '0..1'],
    family: ['string', '0..1'],
    given: ['string', '0..*'],
  },
  ContactPoint: { system: ['code', '1..1', ['email', 'phone']], value: ['string', '1..1'] },
  Patient: {
    identifier: ['Identifier', '0..*'],
    active: ['boolean', '0..1'],
    name: ['HumanName', '0..*'],
    telecom: ['ContactPoint', '0..*'],
    gender: ['code', '0..1', ['male', 'female', 'other', 'unknown']],
    birthDate: ['date', '0..1'],
  },
  Observation: {
    identifier: ['Identifier', '0..*'],
    status: ['code', '1..1', ['final']],
    category: ['CodeableConcept', '0..*'],
    code: ['CodeableConcept', '1..1'],
    subject: ['Reference', '0..1'],
    effectiveDateTime: ['dateTime', '0..1'],
    issued: ['instant', '0..1'],
    performer: ['Reference', '0..*'],
    valueQuantity: ['Quantity', '0..1'],
    valueCodeableConcept: ['CodeableConcept', '0..1'],
    valueString: ['string', '0..1'],
    note: ['Annotation', '0..*'],
    bodySite: ['CodeableConcept', '0..1'],
    component: ['Observation.component', '0..*'],
  },
  'Observation.component': {
    code: ['CodeableConcept', '1..1'],
    valueQuantity: ['Quantity', '0..1'],
    valueInteger: ['integer', '0..1'],
  },
  Condition: {
    clinicalStatus: ['CodeableConcept', '0..1'],
    verificationStatus: ['CodeableConcept', '0..1'],
    category: ['CodeableConcept', '0..*'],
    code: ['CodeableConcept', '0..1'],
    subject: ['Reference', '1..1'],
    asserter: ['Reference', '0..1'],
  },
  AllergyIntolerance: {
    clinicalStatus: ['CodeableConcept', '1..1'],
    verificationStatus: ['CodeableConcept', '0..1'],
    code: ['CodeableConcept', '0..1'],
    patient: ['Reference', '1..1'],
    asserter: ['Reference', '0..1'],
  },
  QuestionnaireResponse: {
    identifier: ['Identifier', '0..1'],
    status: ['code', '1..1', ['in-progress', 'completed', 'stopped']],
    subject: ['Reference', '0..1'],
    authored: ['dateTime', '0..1'],
    author: ['Reference', '0..1'],
    source: ['Reference', '0..1'],
    item: ['QuestionnaireResponse.item', '0..*'],
  },
  'QuestionnaireResponse.item': {
    linkId: ['string', '1..1'],
    text: ['string', '0..1'],
    answer: ['QuestionnaireResponse.answer', '0..*'],
  },
  'QuestionnaireResponse.answer': {
    valueString: ['string', '0..1'],
    valueBoolean: ['boolean', '0..1'],
    valueInteger: ['integer', '0..1'],
  },
  Goal: {
    identifier: ['Identifier', '0..*'],
    lifecycleStatus: ['code', '1..1', ['active', 'on-hold', 'completed', 'cancelled']],
    description: ['CodeableConcept', '1..1'],
    subject: ['Reference', '1..1'],
    startDate: ['date', '0..1'],
    target: ['Goal.target', '0..*'],
    statusDate: ['date', '0..1'],
    expressedBy: ['Reference', '0..1'],
  },
  // gol-1: a measure is required where there is a detail.
  'Goal.target': {
    measure: ['CodeableConcept', '1..1'],
    detailQuantity: ['Quantity', '0..1'],
    dueDate: ['date', '0..1'],
  },
  // ppc-1: a policy or a policy rule is required.
  Consent: {
    status: ['code', '1..1', ['active', 'rejected', 'inactive']],
    scope: ['CodeableConcept', '1..1'],
    category: ['CodeableConcept', '1..*'],
    patient: ['Reference', '1..1'],
    dateTime: ['dateTime', '0..1'],
    performer: ['Reference', '0..*'],
    policyRule: ['CodeableConcept', '1..1'],
    provision: ['Consent.provision', '0..1'],
  },
  'Consent.provision': {
    type: ['code', '0..1', ['deny', 'permit']],
    period: ['Period', '0..1'],
    actor: ['Consent.provision.actor', '0..*'],
    code: ['CodeableConcept', '0..*'],
  },
  'Consent.provision.actor': { role: ['CodeableConcept', '1..1'], reference: ['Reference', '1..1'] },
  Bundle: {
    type: ['code', '1..1', ['collection']],
    timestamp: ['instant', '0..1'],
    entry: ['Bundle.entry', '0..*'],
  },
  'Bundle.entry': { fullUrl: ['uri', '1..1'], resource: ['Resource', '1..1'] },
};

/** What is wrong with a value of a type, with the paths of its members. */
export function problemsOf(type: string, value: unknown, path: string): string[] {
  if (type === 'boolean') return typeof value === 'boolean' ? [] : [`${path} is no boolean`];
  if (type === 'decimal') return typeof value === 'number' && Number.isFinite(value) ? [] : [`${path} is no number`];
  if (type === 'integer') return Number.isInteger(value) ? [] : [`${path} is no integer`];
  const pattern = primitives[type];
  if (pattern) return typeof value === 'string' && pattern.test(value) ? [] : [`${path} is no ${type}: ${value}`];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no ${type}`];
  const { resourceType, ...members } = value as Record<string, unknown>;
  const name = type === 'Resource' ? String(resourceType) : type;
  const rules = types[name];
  if (!rules) return [`${path} is an unknown ${name}`];
  if (Object.keys(members).length === 0) return [`${path} is empty`];
  const unknown = Object.keys(members).filter(member => !Object.hasOwn(rules, member));
  const chosen = Object.keys(members).filter(member => /^value[A-Z]/u.test(member));
  return [
    ...unknown.map(member => `${path}.${member} is no member of ${name}`),
    ...(chosen.length > 1 ? [`${path} has several values`] : []),
    ...Object.entries(rules).flatMap(([member, rule]) => memberProblems(rule, members[member], `${path}.${member}`)),
  ];
}

function memberProblems([type, cardinality, values]: Rule, value: unknown, path: string): string[] {
  if (value === undefined) return cardinality.startsWith('1') ? [`${path} is missing`] : [];
  const isList = cardinality.endsWith('*');
  if (isList && (!Array.isArray(value) || value.length === 0)) return [`${path} is no list with items`];
  const items: unknown[] = isList ? (value as unknown[]) : [value];
  return items.flatMap((item, at) => [
    ...problemsOf(type, item, isList ? `${path}[${at}]` : path),
    ...(values && !values.includes(String(item)) ? [`${path} is ${item}, and none of ${values.join(', ')}`] : []),
  ]);
}
