import type { Passage } from '../engine.ts';
import { ModelError } from './model-error.ts';

const doseReplacement = 'I cannot give doses or change a medicine; ask your doctor or pharmacist for that.';
const diagnosisReplacement = 'I cannot tell what you have; only a clinician who examines you can.';

const amountPattern = String.raw`\d[\d.,]*(?:\s?(?:-|\u2013|to)\s?\d[\d.,]*)?\s?`;
/** Doses of a medicine, but not concentrations: 70 mg/dL is a reading. */
const dosePattern = new RegExp(
  String.raw`\b${amountPattern}(?:mg|mcg|µg|\u03bcg|milligrams?|micrograms?|iu|international units?)\b(?!\s?/\s?d?l)`,
  'i',
);
const countedDosePattern = new RegExp(
  String.raw`\b(?:take|taking|use|using|swallow|inject|injecting|give|try|add|increase|reduce|up to|another|dose)\b[^.!?\n]{0,60}\b(?:${amountPattern}|half an?|one|two|three|four|five|six|eight|ten)\s?(?:[a-z]+\s){0,2}(?:tablets?|pills?|capsules?|puffs?|drops?|units?|ml|millilit(?:er|re)s?|sachets?|sprays?|doses?|teaspoons?|injections?)\b`,
  'i',
);
const medicinePattern =
  '(?:medicines?|medications?|medic?s|meds|tablets?|pills?|insulin|antidepressants?|antibiotics?|steroids?|statins?|blood thinners?|treatment|inhaler|dose|dosage)';
const medicineChangePattern = new RegExp(
  String.raw`\b(?:stop|stopping|quit|skip|double|halve|increase|raise|lower|reduce|decrease|cut)\s(?:taking\s|using\s)?(?:your|the|any|all)\s(?:[a-z]+\s){0,3}${medicinePattern}\b`,
  'i',
);
/** «Do not stop your tablets» is allowed. */
const adviceAgainstPattern =
  /\b(?:do not|don[’']t|never|not|without|before|rather than|instead of|whether to|unless|ask|talk|speak|check)\b/i;

const youHavePattern = String.raw`\b(?:you|your child|your baby)(?:[\u2019']ve got|\s(?:(?:do|must|clearly|definitely|certainly|probably|likely|most likely|almost certainly|obviously|already|now|also|are|is|really)\s){0,3}(?:have|has|have got|suffer from|suffering from|having|experiencing|developing|diabetic|depressed|hypertensive|anaemic|anemic|pregnant|bipolar|autistic))\b`;
const diagnosisPattern = new RegExp(String.raw`${youHavePattern}(?=(?<after>[^.!?\n]{0,80}))`, 'gi');
const namedDiagnosisPattern =
  /\b(?:this|that|it|these|what you (?:describe|have))\b[^.!?\n]{0,40}\b(?:is|are|must be)\s(?:clearly|definitely|certainly|obviously|almost certainly|most likely|probably|without doubt)\s(?!not\b)\w/i;
const statedDiagnosisPattern = /\b(?:my|the|your) diagnosis is\b|\bI (?:can |would |hereby )?diagnose\b/i;
/** Before the match in its clause: the statement is hypothetical or a question. */
const hypotheticalPattern =
  /\b(?:if|when|whenever|whether|unless|in case|once|do|did|might|may|could|can|should|that|know|think|feel|believe|worry|worried|ask|people|anyone|someone|who|because|since|as|while|although|where|how|what|which|cannot|can[’']t|not)\b[^,;:.!?]*$/i;
/** After the match: not a condition that one can have. */
const harmlessObjectPattern =
  /^\s*(?:to\b|been\b|not\b|had\b|a\s(?:question|right|choice|chance|few|look|plan|lot|good|fever thermometer)|any\b|more\b|no\b|time\b|other\b|several\b|some\b|the\s(?:right|option|choice|chance|feeling)|questions?\b|concerns?\b|doubts?\b|trouble\b|symptoms?\b|already\b|noticed\b|an?\s(?:appointment|question|option|idea|emergency plan)|this\b|these\b|that\b|it\b|\w+(?:ed|en|own|old|elt|ept|aid|ade|een)\b)/i;

const harmfulPatterns = [
  /\b(?:you should|you could|you may as well|why not|just|go|please|ways? to|how to|try to)\b[^.!?\n]{0,40}\b(?:kill|hang|harm|hurt|cut|starve|poison|drown|shoot)(?:ing)?\s(?:yourself|your ?self)\b/i,
  /\b(?:kill|hang|hurt|cut|drown|shoot) yourself\b(?![^.!?\n]*\b(?:call|help|reach|emergency|talk)\b)/i,
  /\b(?:end your (?:own )?life|commit suicide|overdose)\b[^.!?\n]{0,60}\b(?:painless|easiest|quickest|best way|method|good idea|would be better)\b/i,
  /\b(?:nobody|no one) would miss you\b|\bbetter off without you\b|\bthe world [^.!?\n]{0,20}without you\b/i,
];
/** «If you think of how to hurt yourself, call …» is allowed. */
const protectivePattern =
  /\b(?:if you|when you|do not|don[’']t|never|rather than|instead of|urges?|thoughts?|thinking|feel like)\b/i;

/** Strips markup and URLs. Links are removed because a model invents them or copies them from a manipulated article. */
function stripMarkup(sentence: string): string {
  return sentence
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]{0,300}>/g, '')
    .replace(/\b(?:https?:\/\/|www\.)\S+/gi, '')
    .replace(/\p{Cc}/gu, character => (character === '\n' || character === '\t' ? character : ''));
}

/**
 * Filters the sentences of a model's answer. Replaces doses, changes of medication and diagnoses by one notice of each
 * kind, removes citations of unknown sources and renumbers the others in order of use. Harmful content discards the
 * whole answer.
 */
export class AnswerFilter {
  readonly #passages: readonly Passage[];
  readonly #replaced = new Set<string>();
  /** Cited passages, in the order of their new numbers. */
  readonly sources: Passage[] = [];
  /** Whether any text of the model was let through. */
  hasContent = false;

  constructor(passages: readonly Passage[]) {
    this.#passages = passages;
  }

  /**
   * Returns the filtered sentence, which may be empty.
   * @throws ModelError for harmful content
   */
  filter(written: string): string {
    const text = stripMarkup(written);
    if (harmfulPatterns.some(pattern => pattern.test(text)) && !protectivePattern.test(text))
      throw new ModelError('unsafe');
    const space = /\s*$/.exec(text)?.[0] ?? '';
    if (isDose(text)) return this.#replaceWith(doseReplacement, space);
    if (isDiagnosis(text)) return this.#replaceWith(diagnosisReplacement, space);
    if (/[\p{L}\d]/u.test(text)) this.hasContent = true;
    return text.replace(/\s?\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g, (found, numbers: string) => {
      const cited = numbers.split(',').flatMap(number => this.#cite(Number(number)));
      return cited.length === 0 ? '' : `${/^\s/.exec(found)?.[0] ?? ''}${cited.join('')}`;
    });
  }

  #cite(number: number): string[] {
    const passage = this.#passages[number - 1];
    if (!passage) return [];
    if (!this.sources.includes(passage)) this.sources.push(passage);
    return [`[${this.sources.indexOf(passage) + 1}]`];
  }

  #replaceWith(filter: string, space: string): string {
    if (this.#replaced.has(filter)) return '';
    this.#replaced.add(filter);
    return `${filter}${space}`;
  }
}

function isDose(text: string): boolean {
  if (dosePattern.test(text) || countedDosePattern.test(text)) return true;
  const found = medicineChangePattern.exec(text);
  return found !== null && !adviceAgainstPattern.test(text.slice(0, found.index));
}

function isDiagnosis(text: string): boolean {
  if (statedDiagnosisPattern.test(text)) return true;
  if (
    namedDiagnosisPattern.test(text) &&
    !/\b(?:best|better|important|worth|good|safe|normal|common|helpful|fine|sensible)\b/i.test(text)
  )
    return true;
  return [...text.matchAll(diagnosisPattern)].some(
    found =>
      !hypotheticalPattern.test(text.slice(0, found.index)) && !harmlessObjectPattern.test(found.groups?.after ?? ''),
  );
}
