import { type Who, whoKeys } from './person-facts.ts';

/** Public guidance on which an entry is based; the wording of entries is our own. */
export interface Source {
  title: string;
  url: string;
  /** Year of the guideline's version, and the day it was read for the rule; absent where nobody noted them. */
  year?: number;
  read?: string;
  /** What the page does not cover, or where its level of care differs; absent where the page agrees with the entry or was not read. */
  differs?: string;
}

export const levels = ['self_care', 'routine', 'urgent', 'emergency'] as const;
export type Level = (typeof levels)[number];
export const urgencies = ['low', 'medium', 'high'] as const;
export type Urgency = (typeof urgencies)[number];

export interface Symptom {
  id: string;
  label: string;
  /**
   * `context`: a fact about the person, such as an age group. `circumstance`: recognized, and neither a symptom nor a
   * fact about the person: «worse at night». `crisis`: suicide, self-harm or violence.
   */
  kind: 'symptom' | 'context' | 'crisis' | 'circumstance';
  /** Triage level of the symptom alone, without red flags. */
  level: Level;
  terms: string[];
  /** Complaint → places: `{ pain: [chest] }` matches every way to say that the chest hurts. */
  at: Record<string, string[]>;
  /** Words of classes in one sentence, in any order, that tell it (`frames.ts`). */
  frames: string[];
  /** Frames of sentences that speak of something else: «cannot breathe through my nose». */
  except: string[];
  /** Symptoms that are present whenever this one is. */
  implies: string[];
  /** A fact that remains true however long ago: a transplant. */
  lasting: boolean;
}

export interface RedFlag {
  id: string;
  label: string;
  level: 'urgent' | 'emergency';
  /** Conjunction of groups: one symptom of each must be present. */
  when: string[][];
  /** Whom the rule is about; absent: everybody. */
  who?: Who;
  /** The rule is silent where one of `signs` is told, for `days` or longer, without getting worse. `why` that is safe. */
  unless?: { signs: string[]; days: number; why: string };
  /** The level holds however long the signs have been there. */
  lasting?: true;
  source: Source;
}

export interface Condition {
  id: string;
  name: string;
  /** Other names, lay and clinical. */
  aliases: string[];
  description: string;
  /** Symptom id → weight, 1 to 6. */
  symptoms: Record<string, number>;
  urgency: Urgency;
  /** Who can have it; absent: everybody. */
  who?: Who;
  /** Groups of which one symptom or fact must be present each: no ectopic pregnancy without a sign of pregnancy. */
  needs: string[][];
  /** Multiplies the score for these people: prostate trouble from 50 years on. */
  prior: (Who & { times: number })[];
  /** Harmless for months: a long duration alone does not raise the level. */
  slow: boolean;
  nextSteps: string;
  /** Article tags about the condition. */
  tags: string[];
  source: Source;
}

interface Cues {
  cues: string[];
  bridges: string[];
}

export interface Vocabulary {
  spellings: Record<string, string>;
  fillers: string[];
  prepositions: string[];
  complaints: Record<string, string[]>;
  places: Record<string, string[]>;
  negation: {
    noun: Cues;
    verb: Cues;
    whole_list: string[];
    after: string[];
    needed: string[];
    unless: string[];
    unless_never: string[];
    never: string[];
  };
  idioms: string[];
  /** Words of a text that may tell a complaint although it was not recognized. */
  signals: string[];
  /** Words of a text that may tell something serious although it was not recognized. */
  alarms: string[];
}

export interface Knowledge {
  words: Vocabulary;
  /** Common English words, which are no misspelled symptoms. */
  ordinaryWords: readonly string[];
  classes: Record<string, string[]>;
  symptoms: ReadonlyMap<string, Symptom>;
  redFlags: readonly RedFlag[];
  conditions: readonly Condition[];
}

/** An invalid data file. The message names the file and the entry. */
export class KnowledgeError extends Error {}

/** One entry of a file; `fail` throws with the name of both. */
interface Entry {
  value: Record<string, unknown>;
  fail(reason: string): never;
}

export function parseEntry(file: string, value: unknown, index: number): Entry {
  const name = (value as { id?: unknown } | null)?.id;
  const fail = (reason: string): never => {
    throw new KnowledgeError(`${file}: ${typeof name === 'string' ? name : `entry ${index + 1}`}: ${reason}.`);
  };
  if (typeof value !== 'object' || value === null) return fail('it is not an object');
  if (typeof name !== 'string' || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return fail('its id is not in kebab-case');
  return { value: value as Record<string, unknown>, fail };
}

function assertKnownKeys({ value, fail }: Entry, keys: readonly string[]): void {
  const unknown = Object.keys(value).find(key => !keys.includes(key));
  if (unknown !== undefined) fail(`unknown key ${unknown}`);
}

function requireText({ value, fail }: Entry, key: string): string {
  const found = value[key];
  return typeof found === 'string' && found.trim() !== '' ? found.trim() : fail(`${key} is not a text`);
}

function requireChoice<W extends string>({ value, fail }: Entry, key: string, allowed: readonly W[], fallback?: W): W {
  const found = value[key] ?? fallback;
  return allowed.find(one => one === found) ?? fail(`${key} is not one of ${allowed.join(', ')}`);
}

function requireTexts({ value, fail }: Entry, key: string): string[] {
  const found = value[key] ?? [];
  const good = Array.isArray(found) && found.every(one => typeof one === 'string' && one !== '');
  return good ? (found as string[]) : fail(`${key} is not a list of texts`);
}

function parseSource(one: Entry): Source {
  const found = one.value.source as Partial<Source> | undefined;
  const good = typeof found?.title === 'string' && typeof found.url === 'string' && /^https?:\/\/\S+$/.test(found.url);
  if (!good) return one.fail('it has no source with title and url');
  const { title, url, year, read, differs } = found as Source;
  if (year !== undefined && !(Number.isInteger(year) && year > 1990)) one.fail('the year of its source is not a year');
  if (read !== undefined && !/^\d{4}-\d\d-\d\d$/.test(read)) one.fail('its source was read on no day');
  if (differs !== undefined && (read === undefined || differs === '')) one.fail('its source differs, but was not read');
  return {
    title,
    url,
    ...(year === undefined ? {} : { year }),
    ...(read === undefined ? {} : { read }),
    ...(differs === undefined ? {} : { differs }),
  };
}

function parseWho(one: Entry, value: unknown, more: readonly string[] = []): Who | undefined {
  if (value === undefined) return undefined;
  const found = value as Record<string, unknown>;
  const keys = Object.keys(found);
  if (keys.length === 0) one.fail('who names nobody');
  const allowed: readonly string[] = [...whoKeys, ...more];
  for (const key of keys) {
    if (!allowed.includes(key)) one.fail(`unknown key ${key} of who`);
    const good =
      key === 'sex'
        ? found.sex === 'female' || found.sex === 'male'
        : typeof found[key] === (key === 'pregnant' ? 'boolean' : 'number');
    if (!good) one.fail(`${key} of who is not valid`);
  }
  return found as Who;
}

function parseGroups(one: Entry, key: string, symptoms: ReadonlyMap<string, Symptom>): string[][] {
  const groups = (one.value[key] ?? []) as string[][];
  const good = Array.isArray(groups) && groups.every(group => Array.isArray(group) && group.length > 0);
  if (!good) one.fail(`${key} is not a list of groups`);
  for (const id of groups.flat()) if (!symptoms.has(id)) one.fail(`unknown symptom ${id}`);
  return groups;
}

export function parseSymptom(one: Entry): Symptom {
  assertKnownKeys(one, ['id', 'label', 'kind', 'level', 'terms', 'at', 'frames', 'except', 'implies', 'lasting']);
  const at = (one.value.at ?? {}) as Record<string, string[]>;
  const terms = requireTexts(one, 'terms');
  const frames = requireTexts(one, 'frames');
  if (terms.length === 0 && frames.length === 0 && Object.keys(at).length === 0) one.fail('it has no terms');
  return {
    id: requireText(one, 'id'),
    label: requireText(one, 'label'),
    kind: requireChoice(one, 'kind', ['symptom', 'context', 'crisis', 'circumstance'] as const, 'symptom'),
    level: requireChoice(one, 'level', levels, 'routine'),
    terms,
    at,
    frames,
    except: requireTexts(one, 'except'),
    implies: requireTexts(one, 'implies'),
    lasting: one.value.lasting === true,
  };
}

export function parseRedFlag(one: Entry, symptoms: ReadonlyMap<string, Symptom>): RedFlag {
  assertKnownKeys(one, ['id', 'label', 'level', 'when', 'who', 'unless', 'lasting', 'source']);
  const when = parseGroups(one, 'when', symptoms);
  if (when.length === 0) one.fail('when is not a list of groups');
  const level = requireChoice(one, 'level', ['urgent', 'emergency'] as const);
  const who = parseWho(one, one.value.who);
  const unless = one.value.unless as RedFlag['unless'];
  if (unless !== undefined) {
    if (!Array.isArray(unless.signs) || !Number.isInteger(unless.days)) one.fail('unless has no signs and days');
    if (typeof unless.why !== 'string' || unless.why.length < 40) one.fail('unless does not say why it is safe');
    for (const id of unless.signs) if (!symptoms.has(id)) one.fail(`unknown symptom ${id}`);
  }
  return {
    id: requireText(one, 'id'),
    label: requireText(one, 'label'),
    level,
    when,
    ...(who === undefined ? {} : { who }),
    ...(unless === undefined ? {} : { unless }),
    ...(one.value.lasting === true ? { lasting: true as const } : {}),
    source: parseSource(one),
  };
}

export function parseCondition(one: Entry, symptoms: ReadonlyMap<string, Symptom>): Condition {
  assertKnownKeys(one, [
    'id',
    'name',
    'aliases',
    'description',
    'symptoms',
    'urgency',
    'who',
    'needs',
    'prior',
    'slow',
    'next_steps',
    'tags',
    'source',
  ]);
  const weights = (one.value.symptoms ?? {}) as Record<string, number>;
  if (Object.keys(weights).length === 0) one.fail('it has no symptoms');
  for (const [id, weight] of Object.entries(weights)) {
    if (!symptoms.has(id)) one.fail(`unknown symptom ${id}`);
    if (!Number.isInteger(weight) || weight < 1 || weight > 6) one.fail(`the weight of ${id} is not from 1 to 6`);
  }
  const tags = requireTexts(one, 'tags');
  if (tags.length === 0) one.fail('it has no tags');
  const who = parseWho(one, one.value.who);
  const prior = (one.value.prior ?? []) as Condition['prior'];
  for (const part of prior) {
    parseWho(one, part, ['times']);
    if (!(part.times > 0)) one.fail('prior has no times');
  }
  return {
    id: requireText(one, 'id'),
    name: requireText(one, 'name'),
    aliases: requireTexts(one, 'aliases'),
    ...(who === undefined ? {} : { who }),
    needs: parseGroups(one, 'needs', symptoms),
    prior,
    slow: one.value.slow === true,
    description: requireText(one, 'description'),
    symptoms: weights,
    urgency: requireChoice(one, 'urgency', urgencies),
    nextSteps: requireText(one, 'next_steps'),
    tags,
    source: parseSource(one),
  };
}

export function assertReferences(
  symptoms: ReadonlyMap<string, Symptom>,
  words: Vocabulary,
  classes: Record<string, string[]>,
): void {
  const named = { ...words.complaints, ...words.places, ...classes };
  const taken = new Map<string, string>();
  for (const { id, at, implies, frames, except } of symptoms.values()) {
    const fail = (reason: string): never => {
      throw new KnowledgeError(`symptoms.json: ${id}: ${reason}.`);
    };
    for (const [, name] of [...frames, ...except].join(' ').matchAll(/\{([^{}]*)\}/g))
      if (!named[name ?? '']) fail(`unknown class {${name}}`);
    for (const other of implies) if (!symptoms.has(other)) fail(`unknown symptom ${other}`);
    for (const [complaint, places] of Object.entries(at)) {
      if (!words.complaints[complaint]) fail(`unknown complaint ${complaint}`);
      for (const place of places) {
        if (!words.places[place]) fail(`unknown place ${place}`);
        const before = taken.get(`${complaint} ${place}`);
        if (before !== undefined) fail(`${complaint} at ${place} is already used by ${before}`);
        taken.set(`${complaint} ${place}`, id);
      }
    }
  }
}

export function assertWords(words: Vocabulary): void {
  const lists: [string, unknown][] = [
    ['fillers', words.fillers],
    ['prepositions', words.prepositions],
    ['idioms', words.idioms],
    ['signals', words.signals],
    ['alarms', words.alarms],
    ...Object.entries(words.complaints ?? {}),
    ...Object.entries(words.places ?? {}),
    ...Object.entries(words.negation ?? {}).flatMap(([key, one]): [string, unknown][] =>
      Array.isArray(one) ? [[key, one]] : Object.entries(one as object),
    ),
  ];
  for (const [name, list] of lists) {
    const good = Array.isArray(list) && list.length > 0 && list.every(one => typeof one === 'string' && one !== '');
    if (!good) throw new KnowledgeError(`words.json: ${name}: not a list of texts.`);
  }
}

export function indexById<One extends { id: string }>(all: readonly One[], file: string): Map<string, One> {
  const map = new Map<string, One>();
  for (const one of all) {
    if (map.has(one.id)) throw new KnowledgeError(`${file}: ${one.id}: duplicate id.`);
    map.set(one.id, one);
  }
  return map;
}
