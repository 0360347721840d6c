/** What small talk is: a greeting, thanks and farewells, or a question who answers. */
export type SmallTalk = 'hello' | 'thanks' | 'who';

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
    'thanks,thank you,thanks for everything,thx,ty,cheers,much appreciated,got it,ok,okay,great,perfect,that helps,that helped,bye,goodbye,good night,see you',
  ],
  [
    'who',
    'en',
    'who are you,what are you,are you human,are you a human,are you a doctor,are you a real doctor,are you a nurse,are you a robot,are you a bot,are you real,are you an ai',
  ],
  ['who', 'es', 'quién eres,quien eres,eres humano,eres médico,eres un robot,eres un médico'],
  ['who', 'fr', 'qui es tu,qui êtes vous,es tu un robot,êtes vous médecin,êtes vous un robot,tu es qui'],
  ['who', 'de', 'wer bist du,wer sind sie,bist du ein mensch,bist du ein roboter,sind sie arzt,bist du arzt'],
  ['who', 'pt', 'quem é você,quem és tu,você é médico,você é humano,você é um robô'],
  ['who', 'it', 'chi sei,chi è lei,sei un medico,sei un robot,sei umano'],
  ['who', 'ar', 'من انت,من أنت,مين انت,هل انت طبيب,هل أنت طبيب'],
  ['who', 'hi', 'आप कौन हैं,तुम कौन हो,क्या आप डॉक्टर हैं,aap kaun hain'],
  ['who', 'zh', '你是谁,你是医生吗,你是机器人吗,你是人吗'],
  ['who', 'ru', 'кто ты,ты кто,кто вы,вы врач,ты робот,вы человек'],
  ['who', 'tr', 'sen kimsin,siz kimsiniz,doktor musun,doktor musunuz,robot musun'],
  ['hello', 'es', 'hola,buenas,buenos días,buenos dias,buenas tardes,buenas noches,qué tal,que tal'],
  [
    'thanks',
    'es',
    'gracias,muchas gracias,mil gracias,gracias por todo,muchísimas gracias,adiós,adios,hasta luego,vale',
  ],
  ['hello', 'fr', 'bonjour,salut,bonsoir,coucou,ça va'],
  [
    'thanks',
    'fr',
    'merci,merci beaucoup,merci bien,merci infiniment,merci pour tout,mille mercis,merci à vous,au revoir,bonne nuit,bonne journée',
  ],
  ['hello', 'de', 'hallo,guten morgen,guten tag,guten abend,moin,servus,grüß gott,wie gehts'],
  [
    'thanks',
    'de',
    'danke,danke dir,danke ihnen,danke für alles,tausend dank,danke schön,dankeschön,vielen dank,danke sehr,tschüss,auf wiedersehen,gute nacht',
  ],
  ['hello', 'pt', 'olá,ola,oi,bom dia,boa tarde,boa noite,tudo bem'],
  [
    'thanks',
    'pt',
    'obrigado,obrigada,obrigado por tudo,obrigada por tudo,brigado,brigada,muito obrigado,muito obrigada,valeu,tchau,até logo',
  ],
  ['hello', 'it', 'ciao,buongiorno,buonasera,salve,come stai,come sta'],
  ['thanks', 'it', 'grazie,grazie mille,grazie di tutto,grazie di cuore,tante grazie,arrivederci,buonanotte'],
  ['hello', 'ar', 'مرحبا,مرحبًا,السلام عليكم,أهلا,أهلاً,اهلا,صباح الخير,مساء الخير'],
  ['thanks', 'ar', 'شكرا,شكرا لك,شكرا لكم,شكرا على كل شيء,شكراً,شكراً لك,شكرًا,شكرا جزيلا,مع السلامة'],
  ['hello', 'hi', 'नमस्ते,नमस्कार,हैलो,हाय,namaste'],
  ['thanks', 'hi', 'धन्यवाद,शुक्रिया,आपका धन्यवाद,सब के लिए धन्यवाद,बहुत धन्यवाद,बहुत शुक्रिया,dhanyavaad,shukriya'],
  ['hello', 'zh', '你好,您好,嗨,早上好,晚上好,下午好'],
  ['thanks', 'zh', '谢谢,谢谢你,谢谢您,谢谢你的帮助,多谢,非常感谢,再见,谢啦'],
  ['hello', 'ru', 'привет,здравствуйте,добрый день,добрый вечер,доброе утро,как дела'],
  [
    'thanks',
    'ru',
    'спасибо,спасибо тебе,спасибо вам,спасибо за все,спасибо за всё,большое спасибо,спасибо большое,благодарю,пока,до свидания',
  ],
  ['hello', 'tr', 'merhaba,selam,günaydın,iyi günler,iyi akşamlar,nasılsın,nasılsınız'],
  [
    'thanks',
    'tr',
    'teşekkürler,her şey için teşekkürler,teşekkür ederim,çok teşekkürler,çok teşekkür ederim,sağ ol,sağol,hoşça kal',
  ],
];

const kinds: ReadonlyMap<string, { kind: SmallTalk; language: string }> = new Map(
  phrases.flatMap(([kind, language, list]) => list.split(',').map(phrase => [phrase, { kind, language }] as const)),
);

/** Words around small talk that say nothing else. */
const fillers: ReadonlySet<string> = new Set(
  'so very much a lot for the your help advice info information answer again you that was helpful really doctor there everyone all dear this is my friend mate pal companion portico today and oh well'.split(
    ' ',
  ),
);

/** Longest small talk, in characters, and longest phrase of it, in words. */
const maxLength = 120;
const maxPhrase = 5;

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
