/** What small talk is: a greeting, or thanks and farewells. */
export type SmallTalk = 'hello' | 'thanks';

/** Phrases by language, separated by commas. */
const phrases: readonly [kind: SmallTalk, language: string, list: string][] = [
  [
    'hello',
    'en',
    'hello,hi,hey,hiya,howdy,hi there,hello there,good morning,good afternoon,good evening,how are you,nice to meet you',
  ],
  [
    'thanks',
    'en',
    'thanks,thank you,thx,ty,cheers,much appreciated,got it,ok,okay,great,perfect,that helps,that helped,bye,goodbye,good night,see you',
  ],
  ['hello', 'es', 'hola,buenas,buenos días,buenos dias,buenas tardes,buenas noches,qué tal,que tal'],
  ['thanks', 'es', 'gracias,muchas gracias,mil gracias,adiós,adios,hasta luego,vale'],
  ['hello', 'fr', 'bonjour,salut,bonsoir,coucou,ça va'],
  ['thanks', 'fr', 'merci,merci beaucoup,merci bien,au revoir,bonne nuit,bonne journée'],
  ['hello', 'de', 'hallo,guten morgen,guten tag,guten abend,moin,servus,grüß gott,wie gehts'],
  ['thanks', 'de', 'danke,danke schön,dankeschön,vielen dank,danke sehr,tschüss,auf wiedersehen,gute nacht'],
  ['hello', 'pt', 'olá,ola,oi,bom dia,boa tarde,boa noite,tudo bem'],
  ['thanks', 'pt', 'obrigado,obrigada,muito obrigado,muito obrigada,valeu,tchau,até logo'],
  ['hello', 'it', 'ciao,buongiorno,buonasera,salve,come stai,come sta'],
  ['thanks', 'it', 'grazie,grazie mille,tante grazie,arrivederci,buonanotte'],
  ['hello', 'ar', 'مرحبا,مرحبًا,السلام عليكم,أهلا,أهلاً,اهلا,صباح الخير,مساء الخير'],
  ['thanks', 'ar', 'شكرا,شكراً,شكرًا,شكرا جزيلا,مع السلامة'],
  ['hello', 'hi', 'नमस्ते,नमस्कार,हैलो,हाय,namaste'],
  ['thanks', 'hi', 'धन्यवाद,शुक्रिया,बहुत धन्यवाद,बहुत शुक्रिया,dhanyavaad,shukriya'],
  ['hello', 'zh', '你好,您好,嗨,早上好,晚上好,下午好'],
  ['thanks', 'zh', '谢谢,谢谢你,多谢,非常感谢,再见,谢啦'],
  ['hello', 'ru', 'привет,здравствуйте,добрый день,добрый вечер,доброе утро,как дела'],
  ['thanks', 'ru', 'спасибо,большое спасибо,спасибо большое,благодарю,пока,до свидания'],
  ['hello', 'tr', 'merhaba,selam,günaydın,iyi günler,iyi akşamlar,nasılsın,nasılsınız'],
  ['thanks', 'tr', 'teşekkürler,teşekkür ederim,çok teşekkürler,çok teşekkür ederim,sağ ol,sağol,hoşça kal'],
];

const kinds: ReadonlyMap<string, { kind: SmallTalk; language: string }> = new Map(
  phrases.flatMap(([kind, language, list]) => list.split(',').map(phrase => [phrase, { kind, language }] as const)),
);

/** Words around small talk that say nothing else. */
const fillers: ReadonlySet<string> = new Set(
  'so very much a lot for the your help advice info information answer again you that was helpful really doctor there everyone all dear this is my friend companion portico today and oh well'.split(
    ' ',
  ),
);

/** Longest small talk, in characters, and longest phrase of it, in words. */
const maxLength = 120;
const maxPhrase = 4;

/** What a message is that only greets or thanks, and its language; thanks win: «hi, thanks». Undefined for any other message. */
export function smallTalkIn(message: string): { kind: SmallTalk; language: string } | undefined {
  if (message.length > maxLength) return undefined;
  const words = message
    .toLowerCase()
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{M}]+/u)
    .filter(word => word !== '');
  let found: { kind: SmallTalk; language: string } | undefined;
  for (let at = 0; at < words.length; ) {
    const length = [...Array(maxPhrase).keys()]
      .map(less => maxPhrase - less)
      .find(count => at + count <= words.length && kinds.has(words.slice(at, at + count).join(' ')));
    if (length !== undefined) {
      const one = kinds.get(words.slice(at, at + length).join(' '));
      if (one && (found === undefined || one.kind === 'thanks')) found = one;
      at += length;
    } else if (fillers.has(words[at] ?? '')) at++;
    else return undefined;
  }
  return found;
}
