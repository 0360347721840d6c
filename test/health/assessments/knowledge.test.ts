import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { knowledge, readKnowledge } from 'triage/knowledge/knowledge';
import { KnowledgeError } from 'triage/knowledge/knowledge-schema';
import { Matcher } from 'triage/knowledge/matcher';

const shipped = join(import.meta.dirname, '../../../packages/triage/src/knowledge/data');
const known = knowledge();
const sourceHosts =
  /^https:\/\/(?:www\.)?(?:nhs\.uk|cdc\.gov|medlineplus\.gov|nimh\.nih\.gov|nhlbi\.nih\.gov|niddk\.nih\.gov|who\.int|nice\.org\.uk)\//;

describe('the shipped knowledge base', () => {
  test('has a minimum size', () => {
    expect(known.conditions.length).toBeGreaterThanOrEqual(60);
    expect([...known.symptoms.values()].flatMap(one => one.terms).length).toBeGreaterThanOrEqual(200);
    expect(known.redFlags.length).toBeGreaterThanOrEqual(40);
  });

  test('names public guidance for every condition and red flag', () => {
    for (const { id, source } of [...known.conditions, ...known.redFlags]) {
      const isGuidance = source.read !== undefined || sourceHosts.test(source.url);
      expect({ id, good: isGuidance && /^[^:]+: \S/.test(source.title) }).toEqual({ id, good: true });
    }
  });

  test('the sources of conditions, which are shown with an assessment, are HTTPS', () => {
    expect(known.conditions.filter(({ source }) => !source.url.startsWith('https://')).map(({ id }) => id)).toEqual([]);
  });

  test('most red flags name the day on which their source was read', () => {
    const unread = known.redFlags.filter(({ source }) => source.read === undefined).map(({ id }) => id);
    expect(unread.length).toBeLessThanOrEqual(20);
  });

  test('has no ambiguous phrase', () => {
    expect(new Matcher(known).ambiguousTerms).toEqual([]);
  });

  test('has no duplicate conditions', () => {
    for (const field of ['name', 'description', 'nextSteps'] as const) {
      const texts = known.conditions.map(one => one[field]);
      const twice = texts.filter((text, at) => texts.indexOf(text) !== at && text.length > 80);
      expect({ field, twice }).toEqual({ field, twice: [] });
    }
    const signs = known.conditions.map(one => JSON.stringify(one.symptoms));
    expect(new Set(signs).size).toBe(signs.length);
  });

  test('recognizes every symptom by each of its terms', () => {
    const matcher = new Matcher(known);
    for (const { id, terms } of known.symptoms.values()) {
      for (const term of terms.filter(one => !one.includes('{'))) {
        expect({ id, term, found: matcher.match([term]).present.has(id) }).toEqual({ id, term, found: true });
      }
    }
  });

  test('can raise every red flag and names no medicine', () => {
    // What people read; other names of a condition can name a medicine that was taken.
    const said = known.conditions
      .map(one => `${one.name} ${one.description} ${one.nextSteps}`.toLowerCase())
      .join('\n');
    for (const name of ['paracetamol', 'ibuprofen', 'aspirin', 'antibiotic', 'amoxicillin', 'mg '])
      expect(said).not.toContain(name);
    for (const { id, when } of known.redFlags)
      expect({ id, empty: when.some(group => group.length === 0) }).toEqual({ id, empty: false });
  });
});

describe('an invalid knowledge base', () => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  /** The shipped data with one file replaced. */
  function changed(file: string, change: (data: never) => void): () => unknown {
    const folder = mkdtempSync(join(tmpdir(), 'portico-knowledge-'));
    folders.push(folder);
    cpSync(shipped, folder, { recursive: true });
    const data = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    change(data as never);
    writeFileSync(join(folder, file), JSON.stringify(data));
    return () => readKnowledge(folder);
  }

  type Entry = Record<string, unknown> & { id: string };
  const mind = 'conditions/mind-and-energy.json';
  test.each<[string, string, (data: never) => void, RegExp]>([
    [
      'an unknown symptom',
      mind,
      (d: Entry[]) => Object.assign(d[0] ?? {}, { symptoms: { nonsense: 1 } }),
      /^conditions\/mind-and-energy\.json: anxiety: unknown symptom nonsense\.$/,
    ],
    ['no source', mind, (d: Entry[]) => Object.assign(d[0] ?? {}, { source: undefined }), /anxiety: it has no source/],
    [
      'a source without a URL',
      mind,
      (d: Entry[]) => Object.assign(d[0] ?? {}, { source: { title: 'x', url: 'nhs.uk' } }),
      /anxiety: it has no source/,
    ],
    [
      'a weight out of range',
      mind,
      (d: Entry[]) => Object.assign(d[0] ?? {}, { symptoms: { cough: 7 } }),
      /anxiety: the weight of cough/,
    ],
    [
      'an unknown urgency',
      mind,
      (d: Entry[]) => Object.assign(d[0] ?? {}, { urgency: 'huge' }),
      /anxiety: urgency is not one of/,
    ],
    ['no tags', mind, (d: Entry[]) => Object.assign(d[0] ?? {}, { tags: [] }), /anxiety: it has no tags/],
    [
      'an unknown key',
      mind,
      (d: Entry[]) => Object.assign(d[0] ?? {}, { symtoms: {} }),
      /anxiety: unknown key symtoms/,
    ],
    ['a duplicate id', mind, (d: Entry[]) => d.push({ ...(d[0] as Entry) }), /anxiety: duplicate id/],
    ['no id', mind, (d: Entry[]) => d.push({} as Entry), /entry \d+: its id is not/],
    [
      'a red flag with an invalid level',
      'red-flags.json',
      (d: Entry[]) => Object.assign(d[0] ?? {}, { level: 'routine' }),
      /^red-flags\.json: chest-pain: level/,
    ],
    [
      'a red flag with an unknown symptom',
      'red-flags.json',
      (d: Entry[]) => Object.assign(d[0] ?? {}, { when: [['x-y']] }),
      /chest-pain: unknown symptom x-y/,
    ],
    [
      'an exception of a red flag without a reason',
      'red-flags.json',
      (d: Entry[]) => Object.assign(d[0] ?? {}, { unless: { signs: ['attacks-over'], days: 14 } }),
      /chest-pain: unless does not say why it is safe/,
    ],
    [
      'an unknown class of a frame',
      'symptoms.json',
      (d: { symptoms: Entry[] }) => d.symptoms.push({ id: 'far', label: 'x', frames: ['{moon} pain'] }),
      /far: unknown class \{moon\}/,
    ],
    [
      'a symptom without terms',
      'symptoms.json',
      (d: { symptoms: Entry[] }) => d.symptoms.push({ id: 'mute', label: 'x' }),
      /^symptoms\.json: mute: it has no terms/,
    ],
    [
      'an unknown place',
      'symptoms.json',
      (d: { symptoms: Entry[] }) => d.symptoms.push({ id: 'far', label: 'x', at: { pain: ['moon'] } }),
      /far: unknown place moon/,
    ],
    [
      'a complaint and place used twice',
      'symptoms.json',
      (d: { symptoms: Entry[] }) => d.symptoms.push({ id: 'far', label: 'x', at: { pain: ['chest'] } }),
      /far: pain at chest is already used by chest-pain/,
    ],
    [
      'words that are not a list',
      'words.json',
      (d: Record<string, unknown>) => Object.assign(d, { fillers: 'a' }),
      /^words\.json: fillers/,
    ],
  ])('is refused by file and entry: %s', (_, file, change, message) => {
    const read = changed(file, change);
    expect(read).toThrow(KnowledgeError);
    expect(read).toThrow(message);
  });
});
