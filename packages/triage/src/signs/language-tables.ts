import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LazyTable, type Pieces } from '../text/lazy-table.ts';
import { Lexicon, PatternCompiler, type PatternGroup, PhrasePatterns } from './phrase-patterns.ts';

/** Words of a list are separated by semicolons. */
type List = string | readonly string[];

/** A file of `languages/`; the notation of patterns is that of `PhrasePatterns`. */
interface LanguageFile {
  language: string;
  name: string;
  /** Words that «..» may skip; four unless given. */
  gap?: number;
  classes: Record<string, List>;
  crisis: Partial<Record<CrisisKind, List>>;
  /** Medical signs, which `emergency-rules.json` combines. */
  signs: Record<string, List>;
  /** Idioms and negated statements; what overlaps them counts for nothing. */
  harmless: List;
  /** General questions, study, media: a sentence with them and without a person is about no person in danger. */
  asked: List;
  /** Questions for a number or a reason: «how many tablets are in a packet», «from which week»; about no person, whoever is named. */
  general: List;
  /** A song, a film or a book that is told of; and «the song says», after which its words follow. */
  told: List;
  quoted: List;
  /** Words for the writer. */
  me: List;
  /** «My» and «his», «her», «him» and the like, beside `{family}` and `{child}`: whose sign it is. */
  my: List;
  theirs: List;
  /** Reasons of an absence, such as a holiday, with which a farewell is none from life. */
  absence: List;
  /** Works and tasks that one can give up and that are no life: a series, a report, a diet. */
  task: List;
  /** Reasons that nobody kills for: a cake that a brother ate, a spoiler. Beside a weapon they count for nothing. */
  petty: List;
  /** Words of death, of suicide and of its means: beside a task they stay what they are. */
  death: List;
  /** The writer's own present beside a general statement: «a film about heart attacks, and now my chest». */
  person: List;
  /** Years ago; and lately, which only ends medical signs. */
  past: List;
  recent: List;
  present: List;
  /** Well now, or never again: cues for the present within it say nothing about a past event of the sentence. */
  well: List;
  /** Words that negate a sign which follows within two words, or which precedes directly. */
  not: List;
  'not-after': List;
  /** Words that deny that an event ever happened. */
  never: List;
}

/** `self` and `any` are suicidal thoughts or self-harm, of the writer or of any person; `farewell` is `any` in words that travellers use as well. */
export const crisisKinds = ['self', 'any', 'farewell', 'abuse', 'violence'] as const;
export type CrisisKind = (typeof crisisKinds)[number];

/** Cues for what a sentence is about. */
export const cues = [
  'asked',
  'general',
  'told',
  'me',
  'past',
  'recent',
  'present',
  'person',
  'absence',
  'petty',
  'weapon',
] as const;
export type Cue = (typeof cues)[number];

export interface Language {
  code: string;
  lexicon: Lexicon;
  /** Tags: `crisis kind`, `sign name`, `cue name`, `quoted`, `task`, `death`, `never`, `my`, `other`, `harmless`, `well`, `not`, `not after`. */
  patterns: PhrasePatterns;
}

export interface EmergencyRule {
  label: string;
  /** `urgent`: a doctor within a day is soon enough; otherwise an emergency. */
  level?: 'urgent';
  when: readonly (readonly string[])[];
  /** Signs of an ordinary cause, or of another rule, with which this one does not count: a face that swells around a bad tooth. */
  unless?: readonly string[];
  /** The words are so plain that the score takes them back only where the message tells of something distant. */
  plain?: true;
}

let cachedRules: readonly EmergencyRule[] | undefined;

/** All languages, compiled at the first message. */
export const languageTables = new LazyTable<readonly Language[]>(function* () {
  const compiled: Language[] = [];
  const names = readdirSync(folder).filter(name => name.endsWith('.json'));
  for (const name of names.sort())
    compiled.push(yield* compileLanguage(JSON.parse(readFileSync(join(folder, name), 'utf8')) as LanguageFile));
  return compiled;
});

export const languages = (): readonly Language[] => languageTables.get();

export function emergencyRules(): readonly EmergencyRule[] {
  cachedRules ??= (
    JSON.parse(readFileSync(join(import.meta.dirname, 'emergency-rules.json'), 'utf8')) as { rules: EmergencyRule[] }
  ).rules;
  return cachedRules;
}

/** Words that «..» may skip. */
const defaultGap = 4;

const folder = join(import.meta.dirname, 'languages');

function* compileLanguage(file: LanguageFile): Pieces<Language> {
  const lexicon = new Lexicon(file.language);
  const classes = Object.fromEntries(Object.entries(file.classes).map(([name, list]) => [name, split(list)]));
  const group = (tag: string, list: List): PatternGroup => ({ tag, notations: split(list) });
  const groups = [
    ...Object.entries(file.crisis).map(([kind, list]) => group(`crisis ${kind}`, list)),
    ...Object.entries(file.signs).map(([sign, list]) => group(`sign ${sign}`, list)),
    ...(['general', 'told', 'me', 'past', 'recent', 'present', 'absence', 'petty'] as const).map(cue =>
      group(`cue ${cue}`, file[cue]),
    ),
    group('cue asked', [...split(file.asked), ...split(file.general)]),
    // The means of a crisis: beside them no reason is petty.
    group('cue weapon', ['{weapon}']),
    group('cue person', ['{family}', ...split(file.person)]),
    group('quoted', file.quoted),
    group('never', file.never),
    group('task', file.task),
    group('death', file.death),
    group('my', file.my),
    group('other', ['{family}', '{child}', ...split(file.theirs)]),
    // «I cannot bear it, I want to die» is no negated wish.
    { ...group('harmless', file.harmless), unit: 'clause' as const },
    { ...group('well', file.well), unit: 'clause' as const },
    group('not', file.not),
    group('not after', file['not-after']),
  ];
  return {
    code: file.language,
    lexicon,
    patterns: yield* PhrasePatterns.compile(groups, new PatternCompiler(classes, lexicon, file.gap ?? defaultGap)),
  };
}

function split(list: List): string[] {
  return (typeof list === 'string' ? [list] : list)
    .flatMap(line => line.split(';'))
    .map(item => item.trim())
    .filter(Boolean);
}
