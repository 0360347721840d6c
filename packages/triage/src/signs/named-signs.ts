/** A sign that a concept of a text names: weaker than a pattern of words, and enough only where the score agrees. */
export interface NamedSign {
  concept: string;
  label: string;
  /** Whether ordinary illnesses have it too, or whether it is a circumstance and no sign, so that a second sign is needed. */
  needsSecond?: true;
}

/** Concepts of which a second sign must stand beside. */
const needingSecond: ReadonlySet<string> = new Set([
  'pressure',
  'headache',
  'fever',
  'rash',
  'belly',
  'limb',
  'urine',
  'calf',
  'vomit',
  'stool',
  'pills',
  'pregnant',
  'injury',
  'bloodthinner',
  'diabetes',
  'sweatpale',
  'severe',
  'feeding',
  'notwish',
  // «I tried that already».
  'attempt',
]);

/** Events, which «never» denies from farther than «no»: «I have never in my life fainted». */
export const eventConcepts: ReadonlySet<string> = new Set(['unconscious', 'seizure']);

/** Concepts that «a second card», «I have given notice», «late again» and «my roof leaks» name as well: alone they need a score that leaves little doubt. */
export const vagueConcepts: ReadonlySet<string> = new Set(['lock', 'giveaway', 'relapse', 'note', 'secret', 'height']);

/** Those that a word of negation denies. «Not passing urine» is a sign itself. */
export const deniableConcepts: ReadonlySet<string> = new Set(
  [...needingSecond].filter(concept => !['feeding', 'urine', 'limb', 'stool'].includes(concept)),
);

const named = (labels: Readonly<Record<string, string>>): readonly NamedSign[] =>
  Object.entries(labels).map(([concept, label]) => ({
    concept,
    label,
    ...(needingSecond.has(concept) ? { needsSecond: true as const } : {}),
  }));

/** Concepts that name a danger by one's own hand or by other people. */
const ofCrises = named({
  suicide: 'Suicide',
  die: 'Death',
  burden: 'Being a burden',
  hopeless: 'Hopelessness',
  goodbye: 'A farewell',
  giveaway: 'Giving things away',
  note: 'A last letter',
  method: 'A way to die',
  hoard: 'Collected medicines',
  pills: 'Medicines',
  rope: 'A rope',
  blade: 'Cutting',
  selfhurt: 'Self-harm',
  scars: 'Scars',
  relapse: 'A relapse',
  height: 'A height',
  train: 'A railway',
  gun: 'A gun',
  poisongas: 'Poison',
  drownself: 'Water',
  voices: 'Voices',
  attempt: 'An attempt',
  eating: 'Starving or purging',
  notwish: 'No wish to go on',
  hit: 'Violence',
  choke: 'Being throttled',
  sexual: 'Sexual violence',
  force: 'Coercion',
  lock: 'Being locked up or controlled',
  threat: 'A threat',
  afraid: 'Fear of a person',
  secret: 'A secret that must be kept',
  murder: 'Intent to kill',
  babyharm: 'Harm to a baby',
  revenge: 'Revenge',
});

/** Concepts that name a sign of illness or injury. */
const ofEmergencies = named({
  chest: 'A complaint of the chest',
  pressure: 'Pressure',
  breath: 'A complaint of breathing',
  face: 'A change of the face',
  speech: 'A change of speech',
  weak: 'Weakness or numbness',
  unconscious: 'Loss of consciousness',
  seizure: 'A fit',
  swelling: 'Swelling',
  bleeding: 'Bleeding',
  vomit: 'Vomiting',
  stool: 'A change of stools',
  headache: 'A complaint of the head',
  fever: 'Fever',
  rash: 'A rash',
  feeding: 'A baby that does not feed',
  drowsy: 'Drowsiness',
  chemicals: 'A dangerous substance',
  mistake: 'A mistake with a medicine',
  pills: 'Medicines',
  pregnant: 'Pregnancy',
  nomove: 'A baby that moves less',
  belly: 'A complaint of the belly',
  vision: 'A change of sight',
  injury: 'An injury',
  bloodthinner: 'Blood thinners',
  diabetes: 'Diabetes',
  sweatpale: 'Sweat and paleness',
  confused: 'Confusion',
  urine: 'A complaint of urine',
  gasheat: 'Gas or heat',
  burnelectric: 'A burn or shock',
  chemo: 'A weak defence against infections',
  calf: 'A complaint of the calf',
  choke: 'Choking',
  severe: 'Severe pain',
  limb: 'A complaint of a limb',
});

export const namedSigns = { crisis: ofCrises, emergency: ofEmergencies } as const;

/** The signs that some concepts name. */
export function signsNamed(kind: keyof typeof namedSigns, concepts: readonly string[]): NamedSign[] {
  return namedSigns[kind].filter(({ concept }) => concepts.includes(concept));
}
