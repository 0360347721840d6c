const helper = String.raw`(?:doctors?|gp|physician|clinician|nurses?|midwife|midwives|pharmacists?|pharmacy|clinics?|hospital|dentists?|dietitian|specialists?|physiotherap\w+|therapists?|counsell?ors?|psychologists?|professional|prescriber|prescribed it|team|surgery|practice|service|services|helplines?|crisis line|poison cent(?:re|er)s?|emergency|ambulance|medical (?:help|advice|care)|urgent (?:care|help)|a&e|parent|school nurse|somebody you trust|someone you trust|support groups?|médic[oa]s?|farmac\w+|urgencias|médecins?|pharmacien\w*|infirmi\w+|urgences|ärzt\w+|arzt\w*|apothek\w+|notruf|praxis|hebamme|médic[oa]|enfermeir[oa]|urgência|medic[oi]|pronto soccorso|infermier\w+|emergencias|consultation|leaflet|label|ask him directly|asking him directly|asking her directly)`;
const turning = String.raw`(?:talk\w*|speak\w*|ask\w*|see|seen|shown?|tell|contact\w*|call\w*|ring|visit\w*|bring|check\w*|discuss\w*|consult\w*|appointment|question for|decision for|go (?:through|to)|reach|get|(?:can|could|will|would) (?:help|tell|check|advise|answer|explain|plan|decide|teach|guide|say|show|judge|look|find|examine|measure|be glad|arrange|refer)|could (?:help|ask)|should (?:decide|be checked)|will be glad|may repeat|who can|knows?|look at|advis\w+|plan|fragen|sprechen|wenden|rufen|consulte|hable|pregunte|pida|llame|consultez|parlez|demandez|appelez|fale|ligue|procure|parli|chieda|chiami|consulti)`;

/** Sentences about whom to turn to. */
// recheck-ignore: a sentence has at most 1,000 characters (`split-sentences.ts`)
const referrals = [
  new RegExp(String.raw`\b${turning}\b[^.!?\n]{0,90}\b${helper}\b`, 'iu'),
  new RegExp(String.raw`\b${helper}\b[^.!?\n]{0,60}\b${turning}\b`, 'iu'),
  /\bonly (?:a|an|your|the) (?:clinician|doctor|nurse|specialist|professional)\b/i,
  // «Have it looked at by a doctor», «worth showing to a nurse», «let your midwife know».
  new RegExp(
    String.raw`\b(?:looked at|examined|assessed|checked|seen|reviewed|treated|tested|measured|confirmed|followed up|advice|opinion|review|test)\b[^.!?\n]{0,40}\b(?:by|from|with|at)\b[^.!?\n]{0,20}\b${helper}\b`,
    'iu',
  ),
  new RegExp(
    String.raw`\b(?:please|let|worth|show\w*|mention\w*|raise|take (?:it|this|him|her|them|your \w+)|book\w*|arrange\w*|seek\w*|phone|message|write to|turn to|involve|keep|need\w*|deserves?)\b[^.!?\n]{0,60}\b${helper}\b`,
    'iu',
  ),
  /\b(?:next appointment|an earlier (?:one|appointment)|make an appointment|have (?:it|him|her|yourself) checked|get (?:it )?checked|is an emergency|without delay|do not wait)\b/i,
];

/** What a companion says about itself and its limits. */
// recheck-ignore: a sentence has at most 1,000 characters (`split-sentences.ts`)
const honesty =
  /^(?:no,?\s|yes,?\s|sorry,?\s|i['’]m sorry,? but\s)?(?:i (?:can(?:not|['’]t)|could not|do not|don['’]t|have no|am not|am unable|would not|will not|won['’]t|am a computer)|the articles? (?:here )?(?:do|does) not|the articles? (?:i have )?(?:do|does) not|none of (?:the|our) articles|no article|there is no article|our articles do not|that is (?:a )?(?:question|decision|something)|that depends|it depends|no puedo|je ne peux pas|ich kann (?:ihnen |dir )?(?:nicht|kein\w*)|não posso|non posso)/i;

// recheck-ignore: a sentence has at most 1,000 characters (`split-sentences.ts`)
const empathy =
  /\b(?:i am (?:so |very |really )?(?:sorry|glad|afraid for)|i['’]m (?:so |very |really )?(?:sorry|glad)|i (?:can )?(?:hear|understand|see) (?:how|that|why|you)|that sounds?|that must|this must|it must be|must have been|must be (?:hard|wearing|a worry|frightening)|it takes courage|you have every (?:reason|right)|it is (?:kind|good|understandable|natural|normal to feel|great|hard|fine to ask)|good to hear|thank you for|thanks for|would tire anyone|understandable|very common to feel|congratulations|well done|big milestone|you are not alone|there is no doubt that this is hard|take your time|entiendo|lo siento|je comprends|je suis désolé\w*|es tut mir leid|das klingt|schön, dass|lamento|sinto muito|mi dispiace|capisco|it can be (?:frightening|hard)|nothing to be ashamed|without feeling guilty|is hard\b|a scare|sorry to hear|that is a lot|a lot to (?:carry|cope|take|deal)|no wonder|nearly there|on the right track|a good start|nobody['’]s fault|not your fault|you(?:['’]re| are) (?:doing|not (?:alone|weak|a burden|silly))|it makes sense|makes sense that|be (?:kind|gentle) to yourself|i hope|take care|get well|good luck|wish(?:ing)? you|can be (?:frightening|hard|worrying|lonely|exhausting|a worry)|hard to (?:see|live with)|many people find|being scared)/i;

// recheck-ignore: a sentence has at most 1,000 characters (`split-sentences.ts`)
const questions =
  /^(?:and |but |so )?(?:do|does|did|is|are|have|has|how|what|when|where|which|who|would you like|could you tell|can you tell|may i ask|since when|for how long)\b[^.!]*\?\W*$/i;

const acknowledgement =
  /^(?:yes|no|sure|of course|certainly|good question|hello|hi|ok|okay|sí|no|oui|non|ja|nein|sim|si|hier|here)\b[\s,.:!]*$/i;

/** Advice that no medicine is changed: «please do not stop it without talking to the person who prescribed it». */
// recheck-ignore: a sentence has at most 1,000 characters (`split-sentences.ts`)
const protective =
  /\b(?:must|should) (?:not|never) (?:lie|touch|go|drive|wait|be left)\b|\b(?:must|should) (?:not|never) be (?:swallowed|drunk|taken|eaten|used|put|stopped|ignored)\b|\b(?:do not|don['’]t|never|nicht|no|ne|não|non)\b[^.!?\n]{0,40}\b(?:stop|change|skip|start|double|wait|drive|swallow|setzen\w*|ab|deje|suspenda|arrêtez|changez|pare|smetta|alone|make)\b/i;

export type SafeKind = 'referral' | 'honesty' | 'empathy' | 'question' | 'acknowledgement' | 'protective';

/** Longest clause of sympathy or about itself, in words: what goes on usually adds a claim. */
const maxWords = 22;

/** The kind of a sentence or clause that needs no article. */
export function findSafePhrase(clause: string): SafeKind | undefined {
  const text = clause.replace(/\[\d[\d,\s]*\]/g, '').trim();
  const words = text.split(/\s+/).length;
  if (acknowledgement.test(text)) return 'acknowledgement';
  if (questions.test(text)) return 'question';
  if (referrals.some(pattern => pattern.test(text))) return 'referral';
  if (words > maxWords) return undefined;
  if (honesty.test(text)) return 'honesty';
  if (empathy.test(text)) return 'empathy';
  return protective.test(text) ? 'protective' : undefined;
}
