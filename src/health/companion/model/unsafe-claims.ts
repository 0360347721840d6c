/** Kinds of sentences that are never shown, whatever supports them. Metric labels. */
export type UnsafeKind =
  | 'dosing'
  | 'medicine_change'
  | 'certainty'
  | 'discouraging_care'
  | 'self_harm'
  | 'quackery'
  | 'others_data'
  | 'injection'
  | 'shop';

/** Words for medicines in English, Spanish, French, German, Portuguese and Italian; names by the endings of their groups. */
const medicine = String.raw`(?:medicines?|medications?|medicaments?|meds|drugs?|tablets?|pills?|capsules?|insulin\w*|antidepress\w+|antibiotic\w*|steroids?|statins?|(?:blood )?thinners?|painkillers?|inhalers?|puffs?|patch(?:es)?|dos(?:e|es|age)|syrup|injections?|beta.?blockers?|treatment|aspirin\w*|paracetamol|ibuprofen\w*|warfarin\w*|marcumar|metformin\w*|lithium|levothyroxine|tramadol|melatonin\w*|morphine|codeine|prednis\w+|chemo\w*|medicamentos?|medicinas?|pastillas?|comprimidos?|remédios?|farmac[oi]|compress[ae]|pillole|médicaments?|comprimés?|cachets?|traitement|tabletten?|medikamente?n?|arznei\w*|mittel|betablocker|\w{3,}(?:statin|pril|sartan|olol|dipine|cillin|mycin|azole|zepam|zolam|prazole|triptan|gliptin|gliflozin|formin|oxetine|traline|talopram|cetam|gabalin|profen|oxaban|floxacin|cycline|parin|amide|azine|apine|idone)s?\w?)`;
const count = String.raw`(?:\d[\d.,]*|half(?: an?)?|one|two|three|four|five|six|eight|ten|an?(?: extra| additional| second| third| further| small| single| low)?|another|un[ao]?|media|medio|dos|tres|deux|trois|une?|demi\w*|zwei|drei|eine?n?|halbe\w*|dois|duas|três|meia|due|tre|mezz[ao])`;
/** Without the article alone, with which definitions begin. */
const several = count.replace(
  'an?(?: extra| additional| second| third| further| small| single| low)?',
  'an? (?:extra|additional|second|third|further|small|single|low)',
);
const unit = `(?:tablets?|pills?|capsules?|puffs?|drops?|units?|sachets?|sprays?|doses?|teaspoons?|tablespoons?|spoonfuls?|spoons?|injections?|patch(?:es)?|globules?|pastillas?|comprimidos?|gotas?|cápsulas?|unidades|comprimés?|gouttes?|gélules?|unités|tabletten?|tropfen|kapseln?|hübe|einheiten|compress[ae]|gocce|unità|cucchiain[oi]|cachets?)`;

/** «Do not stop», «before you stop», «whether to stop»: advice against, or a matter for a professional. */
// recheck-ignore: a sentence has at most 1,000 characters (`split-sentences.ts`)
const guarded =
  /\b(?:do not|don['’]?t|never|not|nor|without|before|rather than|instead of|whether|unless|ask|asks|talk|speak|discuss|check with|cannot|can['’]t|no|sin|sans|pas|nicht|kein\w*|ohne|não|non|senza|bevor|antes|avant|prima|should not|must not)\b/i;

/** Medicine changes, with the words that mean one. */
const change = `(?:stop(?:ping)?|quit(?:ting)?|come off|coming off|get off|wean (?:yourself )?off|skip(?:ping)?|miss(?:ing)?(?: out)?|leav(?:e|ing)(?: out| off| away)?|drop(?:ping)?|ditch(?:ing)?|cut(?:ting)?(?: down| out| back)?|halv(?:e|ing)|doubl(?:e|ing)|tripl(?:e|ing)|increas(?:e|ing)|rais(?:e|ing)|lower(?:ing)?|reduc(?:e|ing)|decreas(?:e|ing)|swap(?:ping)?|switch(?:ing)?|chang(?:e|ing)|begin(?:ning)?|start(?:ing)?|paus(?:e|ing)|go(?:ing)? without|do(?:ing)? without|throw(?:ing)? away|bin|taper(?:ing)?|giv(?:e|ing) up|forget(?: about)?|no longer need|absetzen|weglassen|aufhören|reduzieren|verdoppeln|halbieren|dejar(?: de tomar)?|suspender|parar|interromper|interrumpir|arrêter|arrêtez|supprimer|augmenter|doubler|smettere|sospendere|interrompere|raddoppiare|dimezzare|deje de tomar|suspenda|pare de tomar)`;

// recheck-ignore: a sentence has at most 1,000 characters (`split-sentences.ts`)
const patterns: Record<UnsafeKind, readonly RegExp[]> = {
  dosing: [
    new RegExp(
      String.raw`\b(?:take|taking|use|using|swallow|inject|give|try|add|put|have|need|start (?:at|with|on)|go up to|up to|apply|tome|tomar|prenez|prendre|nehmen sie|nimm|prenda|prendi|tome)\b[^.!?\n]{0,50}\b${count}\s(?:[\p{L}]+\s){0,2}${unit}`,
      'iu',
    ),
    new RegExp(String.raw`^\W*${several}\s(?:[\p{L}]+\s){0,2}(?:${unit}|${medicine})\b`, 'iu'),
    new RegExp(
      String.raw`\b(?:an?|one|another|two|three|second|extra)\s(?:[\p{L}-]+\s){0,2}(?:puff|tablet|pill|dose|patch|capsule|${medicine})s?\b[^.!?\n]{0,60}\b(?:fine|harm|okay|ok|safe|plenty|enough|right|night|morning|evening|nicely)\b`,
      'iu',
    ),
    /\b(?:\d[\d.,]*|ten|twenty|fifty|hundred|thousand)\s?(?:mg|mcg|µg|\u03bcg|milligram\w*|microgram\w*|iu|international units?|miligramos?|milligrammes?|milligramm)\b(?!\s?\/\s?d?l)/iu,
    /\b(?:room for|in your shoes|normally add|ceiling is|maximum is|safe to take|can have up to)\b/i,
    /\b(?:units?|unidades|unités|einheiten|unità)\b[^.!?\n]{0,30}\b(?:before|at|with|after|in the)\b[^.!?\n]{0,20}\b(?:bed|bedtime|meals?|breakfast|lunch|dinner|morning|evening|night)\b/i,
    /\bevery (?:two|three|four|six|eight|twelve|\d+) hours\b|\bcada \S+ horas\b|\btoutes les \S+ heures\b|\balle \S+ stunden\b|\bogni \S+ ore\b|\ba cada \S+ horas\b/i,
  ],
  medicine_change: [
    new RegExp(String.raw`\b${change}\b[^.!?\n]{0,40}\b${medicine}\b`, 'iu'),
    new RegExp(String.raw`\b${medicine}\b[^.!?\n]{0,40}\b${change}\b`, 'iu'),
    /\b(?:stop|quit|skip|halve|double|come off|leave out)\s(?:taking\s|using\s)?(?:it|them|those|these)\b/iu,
    /\bin half\b|\bcold turkey\b|\ba rest (?:for|from)\b|\brest of the (?:box|packet|course|pack)\b|\bstart (?:on )?(?:a |an )?(?:low.dose|small)\b/i,
  ],
  certainty: [
    /(?<!\b(?:if|whether|when|unless|in case|people who say)\s)\b(?:you|your (?:child|baby|son|daughter|father|mother|husband|wife|partner|mum|dad)|he|she|they)(?:['’]ve got|\s(?:(?:do|does|must|clearly|definitely|certainly|probably|likely|most likely|almost certainly|obviously|already|really)\s){0,3}(?:have|has|have got|has got|suffers? from|(?:are|is) suffering from|(?:are|is) having|(?:are|is) (?:diabetic|depressed|hypertensive|anaemic|anemic|pregnant|bipolar|autistic)))\b(?!\s(?:to\b|been\b|not\b|had\b|a (?:question|right|choice|chance|few|look|plan|lot|good|talk)|every (?:reason|right)|any\b|more\b|no (?:reason|need)|time\b|questions?\b|concerns?\b|doubts?\b|trouble\b|symptoms?\b|noticed\b|described\b|this\b|these\b|that\b|it\b|an? appointment|the (?:right|option|choice|chance)|\w+ed\b|written\b|told\b|done\b|been\b|pain\b|fever\b|a fever\b|heart or kidney))/i,
    /\b(?:this|that|it|these|those|what you (?:describe|are describing|have)|the (?:patch|rash|lump|spot|mark|pain|problem|cause)[^.!?\n]{0,25}|that rash|your [\p{L}'’ ]{3,40})\b\s(?:is|are|must be|can only be|sounds exactly like|has to be)\s(?:just |only |simply |nothing but |clearly |definitely |certainly |obviously |almost certainly |most likely |probably |without doubt )?(?:an? |the |simple |type \d )?[\p{L}-]*(?:itis|osis|iasis|emia|aemia|oma|pathy|algia|migraine|diabetes|cancer|flu|cold|covid|asthma|shingles|ringworm|scabies|eczema|stress|anxiety|panic|depress\w+|stroke|heart attack|infection|virus|allergy|alzheimer\S*|dementia|adhd|pulled muscle|gout|piles|haemorrhoids|harmless one|harmless|nothing serious|nothing)\b/iu,
    /\b(?:definitely|certainly|clearly|obviously|undoubtedly|sin duda|sans aucun doute|sicher|eindeutig|zweifellos|com certeza|senza dubbio|sicuramente|sicuro)\b(?![^.!?\n]*\b(?:worth|good|ask|see|talk|speak|check|better to|important|understandable)\b)/i,
    /\b(?:no doubt|without (?:a |any )?doubt|100 ?%|rule[ds]? (?:it |that )?out|ruled out|i can confirm|can only be|fits perfectly|nothing serious|nothing to worry|not cancer\b(?=[^.!?\n]*\byours\b)|my diagnosis|your diagnosis is|i diagnose|i am certain|i am sure)\b(?![^.!?\n]*\b(?:is hard|hard for|difficult)\b)/i,
    /\b(?:tiene usted|usted tiene|vous avez|vous souffrez|sie haben|du hast|você tem|lei ha|hai)\s(?:una?|un|une|eine?n?|um|uma|claramente|eindeutig)\s(?!pregunt|question|frage|pergunt|domand|right|derecho|droit|recht|direito|diritto|termin|rendez)/i,
    /\b(?:es|c['’]est|das ist|é|è)\b[^.!?\n]{0,30}\b(?:simple|solo|einfach nur|nur|apenas|só|solo|semplice)\b[^.!?\n]{0,40}/i,
    /\b(?:from|by) what you (?:write|describe|say)\b[^.!?\n]{0,40}\b(?:has|have|is|it['’]s)\b/i,
  ],
  discouraging_care: [
    /\b(?:do not|don['’]t|no|not|never|needn['’]t|without)\b(?!\s(?:wait|hesitate|delay|stop|change|take|make|ignore|put off|wrong|silly|feel|worry about|be (?:afraid|ashamed|embarrassed|shy)|too (?:early|late|soon|small)|a (?:bother|nuisance)))[^.!?\n]{0,25}\b(?:need|have to|bother|call|see|go to|ring|worry|reason|necessary|point|rush|disturb|trouble|being looked|visit|tell|listen|phone|contact)\b[^.!?\n]{0,50}\b(?:doctors?|gp|nurse|midwife|ambulance|emergency|hospital|clinic|a&e|er|specialist|therapist|consultant|999|911|112|checked|appointment|looked at|help|surgeon|dentist|team|psychiatrist)\b(?![^.!?\n]*\b(?:wait|hesitate|delay|alone)\b)/i,
    /\b(?:needs?|requires?) no (?:\w+ )?(?:doctors?|gp|nurse|hospital|medical|treatment|ambulance|check.?up|care)\b/i,
    /\b(?:ignore|forget|skip|cancel\w*|postpone|distrust|disregard)\b[^.!?\n]{0,40}\b(?:doctors?|gp|consultant|appointment|hospital|advice|surgery|operation|biopsy|friday|monday|scan|test|treatment|clinic|check.?up|screening|follow.?up)\b/i,
    /(?<!\b(?:not|never|n['’]t)\b[^.!?\n]{0,20})\b(?:waste of (?:time|money)|for nothing|doctors (?:like|just|only|love|exaggerate|always)|exaggerate|big pharma|the industry|trust your (?:own )?body|better off without (?:one|them|a)|wait and see|see how (?:he|she|it|you|they) (?:is|are|feels?|goes)|sleep on it|give it (?:until|till|a few|another)|can (?:safely )?wait|stay at home overnight|sort(?:s)? itself out|make people dependent|no need (?:to|for)(?!\s(?:wait|suffer|feel|be|apologi\w+|struggle|put up|hide|cope|shame|guilt)))\b/i,
    /\b(?:no hace falta|no es necesario|no necesita|pas besoin|inutile|nicht nötig|brauchen sie nicht|kein grund|não precisa|não é preciso|non serve|non è necessario|non c['’]è bisogno)\b/i,
  ],
  self_harm: [
    /\b(?:you should|you could|why not|just go|go ahead|please|ways? to|how to|try to|easiest|quickest|painless)\b[^.!?\n]{0,40}\b(?:kill|hang|harm|hurt|cut|starve|poison|drown|shoot|end)(?:ing)?\s(?:yourself|your life|it all)\b/i,
    /\b(?:kill|hang|hurt|cut|drown|shoot|starve) yourself\b(?![^.!?\n]*\b(?:call|help|reach|emergency|talk|tell)\b)/i,
    /\b(?:end (?:your (?:own )?life|it)|ending it|suicide|overdose|rope|noose|razor)\b[^.!?\n]{0,60}\b(?:painless|easi(?:er|est)|quick|best way|method|good idea|would be better|sensible|understandable choice|right|decision|enough)\b/i,
    /\b(?:nobody|no one) would miss you\b|\bbetter off without you\b|\bworld [^.!?\n]{0,20}without you\b|\bgo in peace\b|\bwrite your goodbyes?\b|\bwithout (?:anybody|anyone) noticing\b|\bbathroom cabinet\b|\bproud of yourself and keep going\b|\buse a (?:rope|blade|knife|gun)\b|\bnothing wrong with carrying on\b|\btalk you out of\b|\bin ordnung,? jetzt aufzugeben\b/i,
    /\b(?:days|going|go) without (?:food|eating)\b[^.!?\n]*\b(?:strength|proud|discipline|works|good|keep)\b/i,
    /\b(?:drink|swallow|inject|inhale)\b[^.!?\n]{0,20}\b(?:bleach|chlorine|petrol|disinfectant|turpentine|kerosene|peroxide|urine)\b/i,
  ],
  quackery: [
    /\b(?:chlorine dioxide|miracle mineral|mms|colloidal silver|globul\w+|homeopath\w+|bitter apricot|apricot kernels?|b17|laetrile|juice cleanse|detox\w*|toxins?|coffee enema|urine therapy|(?:own|drink\w*) urine|parasite cleanse|magnetic?\w*|bracelet magnétique|bioresonance|alkaline|crystals?|reiki|black salve|ozone therapy|ivermectin|essential oils?|cbd|keto(?:genic)?|turpentine|chelation|hydrogen peroxide|himbeer\w*|aderlass)\b(?![^.!?\n]*\b(?:no (?:good )?(?:evidence|condition)|not|never|cannot|should not|placebo|harm|risk|myth|damage|do not|don['’]t|anything)\b)(?<!\b(?:no (?:good )?evidence|not|never|myth|neither)\b[^.!?\n]{0,80})/i,
    /\b(?:cures?|heals?|reverses?|melts? away|gets? rid of|eliminates?|wipes? out|makes? (?:it|the \w+) disappear|guérit|guérir|heilt|cura|guarisce|sana)\b(?![^.!?\n]*\bno\b)(?<!\b(?:no|not|never|cannot|can['’]t|nor|none|nothing|don['’]t|doesn['’]t|ne|nicht|não|non)\b[^.!?\n]{0,60})/i,
    /\b(?:vaccin\w+|jab|mmr)\b[^.!?\n]{0,60}\b(?:trigger|causes?|autism|poison|keep quiet|hide)\b(?<!\bno (?:link|connection|evidence)\b[^.!?\n]{0,80})/i,
    /\b(?:they don['’]t want you to know|keeps? (?:it )?quiet|doctors hate|cover(?:ed)? up)\b/i,
  ],
  others_data: [
    /\b(?:wrote|write|told|tells?|asked|admitted|described|confided|messaged|said) (?:to )?me\b|\b(?:he|she|they|your \w+) (?:wrote|asked me|told me|admitted|searched|has been asking|messages?)\b|\b(?:his|her|their) (?:\w+ )?(?:message|chat|conversation|history|account|search\w*|records?|assessments?)\b|\baccount (?:under|of|with)\b|\b(?:another|other) (?:user|person here|member|customer)\b|[\w.+-]+@[\w-]+\.\w+/i,
    /\b(?:a|an|one) (?:teacher|man|woman|user|patient|neighbour|person) (?:from|in|of) your (?:town|street|area|city|school)\b/i,
  ],
  injection: [
    /\b(?:unrestricted|developer|jailbreak|dan|god) mode\b|\bfree of (?:every|all|any) rules?\b|\bno longer bound\b|\bmy (?:system )?(?:prompt|instructions|rules) (?:are|is|say|read)\b|\byou are a health (?:information )?companion\b|\bnumbered passages\b|\bnever diagnose\b|\bsingle word\b|\bignore (?:all |the |my |previous |any )*(?:rules|instructions)\b|\bsystem\s?:/i,
    /\b(?:send|give|tell|share|enter|provide|type)\b[^.!?\n]{0,40}\b(?:password|passcode|pin|credit card|card number|date of birth|full name|social security|bank|address and|login)\b/i,
    /^(?=.*[A-Z]{4})(?:[A-Z0-9 _:!.,-]{8,})$/,
    /\b(?:dr\s?max|as an ai without|i am now)\b/i,
  ],
  shop: [
    /\b(?:https?:\/\/|www\.)\S+|\b[\w-]+\.(?:com|net|org|example|shop|store|info|de|co|io|biz)\b/i,
    /\b(?:order|buy|checkout|coupon|voucher|discount|\d+ ?% off|promo|code [A-Z0-9]{4,}|three-month pack|free shipping|special offer|best brand|warmly recommend|available from our|our shop|members also sell|in stock|home kit here|click|subscribe|limited offer|price)\b(?<!\b(?:not|do not|don['’]t)\b[^.!?\n]{0,30})/i,
  ],
};

/** Kinds whose sentences may say the same against it: «do not stop it without asking». */
const guardable: ReadonlySet<UnsafeKind> = new Set(['medicine_change']);

// recheck-ignore: a sentence has at most 1,000 characters (`split-sentences.ts`)
const medicinePattern = new RegExp(String.raw`\b${medicine}\b`, 'iu');
/** Tells the reader to do something. */
// recheck-ignore: a sentence has at most 1,000 characters (`split-sentences.ts`)
const directive =
  /\b(?:you|your|yours)\b|^\W*(?:please )?(?:take|stop|start|use|skip|give|try|add|cut|double|halve|swap|switch|reduce|increase|begin|leave|drop|inject|put)\b/i;

/**
 * Whether a sentence that a passage supports only looks unsafe: an amount of something that is no medicine («6 g of salt»), or
 * a change that is described and not advised («stopping suddenly can cause dizziness»).
 */
export function isDescription(kind: UnsafeKind, sentence: string): boolean {
  if (kind === 'dosing') return !medicinePattern.test(sentence) && !directive.test(sentence);
  return kind === 'medicine_change' && (!directive.test(sentence) || !medicinePattern.test(sentence));
}

/** The kind of an unsafe sentence. Rules; a moderation model may judge the whole answer as well. */
export function findUnsafeClaim(sentence: string): UnsafeKind | undefined {
  for (const [kind, list] of Object.entries(patterns) as [UnsafeKind, readonly RegExp[]][])
    for (const pattern of list) {
      const found = pattern.exec(sentence);
      if (!found) continue;
      if (guardable.has(kind) && guarded.test(sentence.slice(0, found.index + found[0].length))) continue;
      return kind;
    }
  return undefined;
}
