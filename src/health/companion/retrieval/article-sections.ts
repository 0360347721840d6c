/** A part of an article under one heading. */
export interface Section {
  /** Empty for what stands before the first heading. */
  heading: string;
  /** Plain text in one line; items of a list are separated by semicolons. */
  text: string;
  /** Whether it says when to see a doctor, or when to call for help. */
  isWarning: boolean;
}

/** Characters of a section; a longer one is split between paragraphs, each part with the heading. */
const maxSectionLength = 1_200;
/** Characters of an article that are read, and sections of it. */
const maxBodyLength = 100_000;
const maxSections = 60;

/** Headings of what to look out for, in the languages of the companion. */
const warningHeading =
  /\bwhen to (?:see|get|ask|call|be seen|seek|reach|worry)|\b(?:see|visit|call|ask|tell|talk to) (?:a|an|your|the|somebody|someone)?\s?(?:clinician|doctor|gp|dentist|team|midwife|specialist|professional|emergency)|\b(?:get|seek) (?:(?:medical|professional|urgent) )?(?:help|seen|checked|care|advice|support)|\b(?:emergenc|urgent|hospital|warning|red flag|danger)|\bdo not wait|\bbook an appointment|\bwho should ask|(?:arzt|ärzt|notfall|médecin|urgence|médico|urgencia|emergência|medico|pronto soccorso|врач|скор|doktor|acil|医|急|डॉक्टर|طبيب)/iu;

/** Sentences that send to a doctor, where no heading says it. */
const warningText =
  /\b(?:see|contact|call|ask|tell|visit|speak to) (?:a|an|your|the) (?:clinician|doctor|gp|nurse|midwife|emergency)|\bcall (?:an ambulance|emergency services)|\bgo to (?:a|an|the|your nearest)? ?(?:hospital|emergency)/iu;

const headingStart = /^ {0,3}#{1,6}[ \t]+/;
/** Characters of a heading. */
const maxHeadingLength = 300;

/** The sections of an article, in its order. Linear in the length of the article. */
export function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = [];
  let heading = '';
  let paragraphs: string[] = [];
  const end = (): void => {
    for (const text of packed(paragraphs)) {
      if (sections.length >= maxSections) return;
      sections.push({ heading, text, isWarning: warningHeading.test(heading) });
    }
    paragraphs = [];
  };
  for (const block of markdown.slice(0, maxBodyLength).split(/\n[ \t]*\n/)) {
    const lines = block.split('\n');
    while (lines.length > 0) {
      const at = lines.findIndex(line => headingStart.test(line));
      const before = at < 0 ? lines.splice(0) : lines.splice(0, at);
      if (before.some(line => line.trim() !== '')) paragraphs.push(before.join('\n'));
      const title = lines.shift();
      if (title === undefined) break;
      end();
      heading = markdownToText(title.replace(headingStart, '').slice(0, maxHeadingLength))
        .replace(/(?<!#)#+$/, '')
        .trim();
    }
  }
  end();
  if (sections.some(({ isWarning }) => isWarning)) return sections;
  const last = sections.findLastIndex(({ text }) => warningText.test(text));
  return sections.map((section, at) => (at === last ? { ...section, isWarning: true } : section));
}

/** Paragraphs as plain text, joined up to the length of a section: a list stays with the line that introduces it. */
function packed(paragraphs: readonly string[]): string[] {
  const parts: string[] = [];
  for (const paragraph of paragraphs) {
    const last = parts.at(-1);
    const text = endSentence(markdownToText(paragraph));
    if (text === '') continue;
    if (last !== undefined && last.length + text.length < maxSectionLength) parts[parts.length - 1] = `${last} ${text}`;
    else parts.push(text);
  }
  return parts;
}

/** A list ends without a full stop, and the next paragraph is another sentence. */
const endSentence = (text: string): string => (text === '' || /[.!?:;…]$/.test(text) ? text : `${text}.`);

/** A section as it is quoted: with its heading in front. */
export const quoteOf = ({ heading, text }: Pick<Section, 'heading' | 'text'>): string =>
  heading === '' ? text : `${heading}${/[.!?:]$/.test(heading) ? '' : ':'} ${text}`;

/** What a question asks for, and the headings under which articles say it. */
const intents: readonly [question: RegExp, heading: RegExp][] = [
  [
    /\b(?:how (?:do|can|should|to|could)|what (?:helps?|can|should|do|to do|works?)|help with|treat\w*|stop|relie\w*|eas(?:e|ing)|get rid|first aid|steps?|manage|tips?|remed\w+)\b/i,
    /\b(?:steps?|do|help\w*|treat\w*|try|relief|eas(?:e|ing)|works?|care|cool\w*|manag\w*|look\w* after|first|habits?|small|order)\b/i,
  ],
  [
    /\b(?:why|causes?|reasons?|come from|triggers?)\b/i,
    /\b(?:why|causes?|triggers?|sets? (?:it|off)|what makes|risk)\b/i,
  ],
  [
    /\b(?:prevent\w*|avoid\w*|lower (?:the|my) risk|not get)\b/i,
    /\b(?:prevent\w*|avoid\w*|lower\w*|protect\w*|next)\b/i,
  ],
  [
    /\b(?:signs?|symptoms?|notice|feels? like|how do i know|recogni[sz]e|tell if)\b/i,
    /\b(?:signs?|symptoms?|notice|feels?|telling|recogni[sz]\w*|looks?)\b/i,
  ],
  [
    /\b(?:eat\w*|foods?|diet|drink\w*|meals?|cook\w*|breakfast|snacks?)\b/i,
    /\b(?:eat\w*|foods?|diet|drink\w*|meals?|cook\w*|plate|kitchen)\b/i,
  ],
  [
    /\b(?:when (?:should|do|to|must|is)|worr(?:y|ied)|doctor|hospital|serious|dangerous|emergency|urgent)\b/i,
    warningHeading,
  ],
];

/** Whether the heading of a section announces what a question asks for. */
export const isAskedFor = (question: string, { heading }: Pick<Section, 'heading'>): boolean =>
  heading !== '' && intents.some(([asks, tells]) => asks.test(question) && tells.test(heading));

/** A question about what something is, which the beginning of an article answers. */
export const asksWhatItIs = (question: string): boolean =>
  /^\W*(?:so |and |hi,? |hello,? |please )?(?:what(?:['’]?s| is| are| does)|tell me about|explain|describe|define|meaning of|who gets)\b(?!.*\b(?:best|good|help\w*|safe|normal|do)\b)/i.test(
    question.slice(0, 300),
  );

/** Markdown as plain text in one line; links are reduced to their text. Linear: a bracket that is not closed is searched for a bounded length. */
export function markdownToText(markdown: string): string {
  return markdown
    .replace(/^\s{0,3}#{1,6}\s+.*$/gm, '')
    .replace(/!\[[^[\]]*\]\((?:[^()]|\([^()]*\))*\)/g, '')
    .replace(/\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, '$1')
    .replace(/<[^<>]{0,500}>/g, ' ')
    .replace(/^[ \t]*(?:[-*+]|\d{1,3}[.)])\s+/gm, '; ')
    .replace(/^[ \t]*>\s?/gm, '')
    .replace(/(\*\*|__|`)/g, '')
    .replace(/(?<![\p{L}\d])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\d])/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/([.,:;!?]) ; /g, '$1 ')
    .replace(/ ;/g, ';')
    .replace(/^[; ]+|(?<![; ])[; ]+$/g, '');
}
