/**
 * Phrases that express a crisis or ask for means, beyond the symptom terms of the knowledge base. Input is lower-case
 * with straight apostrophes.
 */
export const suicidalSelfPatterns = [
  /\b(?:how (?:to|do|can|could|many|much)|(?:easiest|best|quickest|fastest|painless|least painful|sure) (?:way|method)s?|ways? to|methods? (?:to|of|for))\b[^.!?\n]{0,60}\b(?:kill (?:myself|yourself|oneself|me)|commit(?:ting)? suicide|suicide methods?|end (?:my|your|it|one'?s) (?:life|all)|die\b(?! of\b| from\b)|overdose on|hang (?:myself|yourself)|slit)\b/,
  /\b(?:painless|quick|easy) (?:death|suicide|way out)\b|\bsuicide\b[^.!?\n]{0,20}\bpainless\b/,
  /\b(?:how many|how much|enough)\b[^.!?\n]{0,40}\b(?:to (?:die|overdose|kill (?:me|myself|a person))|(?:lethal|fatal|deadly))\b/,
  /\blethal dose of\b/,
  /\b(?:don'?t|do not) (?:want|wanna) to (?:live|exist|be here|wake up)\b/,
  /\bwish (?:that )?i (?:would not|wouldn't|wouldnt|never|did not|didn't|didnt) (?:wake|woke|woken)\b/,
  /\b(?:sleep|fall asleep)\b[^.!?\n]{0,20}\b(?:and never|never|not|forever)\b[^.!?\n]{0,10}\bwake\b|\bsleep forever\b/,
  /\b(?:i'?m|i am) (?:going to|gonna) (?:end it|do it tonight|kill myself)\b/,
  /\b(?:pills|tablets|a rope|a gun|a knife)\b[^.!?\n]{0,20}\bto end (?:it|my life|everything)\b/,
  /\b(?:overdose|tablets|pills|medicine)\b[^.!?\n]{0,60}\b(?:on purpose|deliberately|to die)\b/,
  /\bi\b[^.!?\n]{0,30}\bjump(?:ing)? (?:off|from|out of|in front of) (?:a|the|my) (?:\w+ )?(?:bridge|building|roof|balcony|window|train|car|bus|truck|cliff)\b/,
  /\b(?:everyone|everybody|they|my family|the world)(?: would|'d)? be (?:better off|happier)\b[^.!?\n]{0,20}\b(?:if i (?:was|were|am) (?:dead|gone|not here)|without me)\b/,
  /\b(?:nobody|no one|noone) (?:would|will|'d) (?:care|notice|miss me)(?: if i (?:died|was dead|was gone|were gone|disappeared|killed myself))?\b(?<=me|died|dead|gone|disappeared|myself)/,
  /\bno (?:point|reason) (?:in|to|of) (?:living|live|go on|going on)\b/,
  /\bthinking (?:about|of) (?:ending (?:it|my life)|killing myself|suicide)\b/,
  /\bwant (?:it|this|the pain|everything) to (?:stop|end|be over) (?:forever|for good)\b/,
  /\b(?:can'?t|cannot|can not) go on\b(?! (?:holiday|vacation|a |the |with (?:this|the|that) (?:diet|exercise|treatment)))/,
  /\b(?:is it|am i)\b[^.!?\n]{0,30}\b(?:normal|ok|okay|wrong|bad|weird|crazy|to)\b[^.!?\n]{0,10}\bwant(?:ing)? to (?:die|be dead)\b/,
  /\b(?:have|got|bought|collected|saved(?: up)?) (?:the |my |some |enough )?(?:pills|tablets|rope|gun|knife|razor|everything)\b[^.!?\n]{0,12}\bready\b/,
  /\bwant (?:it|this|everything) (?:all )?to be over\b/,
  /\b(?:my )?(?:life|living|everything|being alive) (?:feels|is|seems|has become) (?:so |completely |totally )?(?:pointless|meaningless|not worth|unbearable)\b/,
  /\b(?:crash(?:ing)?|drive|driving|steer(?:ing)?) (?:my|the|a) car\b[^.!?\n]{0,20}\b(?:on purpose|into a (?:tree|wall)|off a)\b/,
  /\b(?:would|'d) rather (?:be dead|die|not (?:be alive|live|exist|be here))\b/,
  /\bi\b[^.!?\n]{0,30}\b(?:cut|cutting|burn|burned|burnt|burning|carv(?:e|ed|ing)) (?:again\b|my (?:skin|arms|wrists|thighs|legs)\b)/,
  /\bwhy should i (?:keep|go on|carry on) (?:living|on living)\b|\bwhy should i (?:live|stay alive)\b/,
  /\bi (?:think|dream|fantasi[sz]e|keep thinking|am thinking|was thinking)\b[^.!?\n]{0,12}\b(?:about|of) (?:dying|my (?:own )?death|being dead|death every)\b/,
  /\b(?:want|going|plan(?:ning)?|tempted) to overdose\b|\b(?:painless|quick|easy) way to (?:go|die)\b|\b(?:tie|make) a noose\b/,
  /\blife has no (?:meaning|point|purpose)\b/,
  /\bsaid (?:my )?goodbyes? to everyone\b|\bwrote my will and\b/,
  /\bwant out of (?:this|my) life\b|\b(?:should|shall) i (?:just )?end (?:it|everything)\b/,
  /\bwish i (?:had|was|were|'d) (?:never|not) (?:been )?born\b|\bwhy am i (?:still |even )?alive\b/,
  /\bi\b[^.!?\n]{0,40}\b(?:should|deserve to) (?:be dead|die)\b/,
  /\bvoices?\b[^.!?\n]{0,30}\b(?:say|says|tell|telling|want)\b[^.!?\n]{0,20}\b(?:die|kill|hurt|jump)\b/,
  /\b(?:please|someone|somebody)\b[^.!?\n]{0,15}\bkill me\b(?! with)/,
  /\b(?:gun|knife|rope|razor|pills)\b[^.!?\n]{0,30}\bon myself\b/,
] as const;

export const suicidalOtherPatterns = [
  /\b(?:cut(?:ting)?|slit(?:ting)?|slashed) (?:his|her|their) (?:wrists?|arms?|legs?)\b/,
  /\b(?:talks?|talking|thinks?|thinking|threatens?|threatened|threatening|wants?|tries|trying|says?|going)\b[^.!?\n]{0,25}\b(?:kill(?:ing)?|hang(?:ing)?|shoot(?:ing)?|drown(?:ing)?) (?:him|her|them)sel(?:f|ves)\b/,
] as const;

export const abusePatterns = [
  /\b(?:dad|father|stepdad|stepfather|mom|mum|mother|stepmother|brother|uncle|parents?|partner|husband|wife|boyfriend|girlfriend|ex|son|daughter|carer|boss|he|she|they|someone|somebody)\b(?: \w+){0,6} (?:touches|beats?|hits?|kicks?|punch(?:es)?|slaps?|chokes?|strangles?|rapes?|burns?|abuses?|molests?|abusing|beating|hitting|choking|strangling|raping|touching|hit|beat|kicked|punched|slapped|choked|strangled|raped|molested|groped) me\b(?! (?:up|to)\b| at (?!night|home|work|school))/,
  /\bforc(?:es?|ed|ing) (?:me|himself on me|herself on me)\b(?: \w+){0,2} (?:to have sex|into sex|into bed)\b|\bforc(?:es|ed) (?:him|her)self on me\b/,
  /\b(?:am|im|i'm|stuck|trapped|live|living) in an? (?:very )?abusive (?:relationship|marriage|home|family)\b/,
  /\bbeing (?:abused|beaten|raped|molested|strangled)\b/,
] as const;

/** Idioms that contain crisis or emergency words; removed before matching. */
export const idiomPatterns = [
  /\bbeats? me (?:at|to)\b(?! (?:night|home|work|school))/g,
  /\bcould (?:kill|kick|shoot) myself for \w+ing\b/g,
  /\bhit(?:s|ting)? me up\b/g,
  /\bsuicide[- ](?=(?:hot|help)?lines?\b|rates?\b|prevention\b|statistics\b|squad\b|awareness\b|research\b|risk calculator\b)/g,
  /\b(?:passed out|pass out|fainted|choked|choking|crying|died|dying) (?:from|with|of) (?:laughing|laughter|boredom|cuteness|embarrassment|joy)\b/g,
  /\b(?:bleeding|haemorrhaging|hemorrhaging) (?:money|cash|users|customers|edge)\b/g,
  /\b(?:killing|kills|killed) (?:it|me)(?= (?:slowly|softly|with (?:his|her|their|that|this) (?:music|jokes|humou?r)))/g,
] as const;
