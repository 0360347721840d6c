import { describe, expect, test } from '@jest/globals';
import { findDanger } from 'triage';

const levelOf = async (text: string): Promise<string | null> => (await findDanger(text)).level;
const alarms: readonly unknown[] = ['crisis', 'emergency', 'urgent'];

describe('words of danger that name none', () => {
  test.each([
    // A parent and a school report.
    'mi mamá me va a matar si se entera de la nota',
    'मम्मी मुझे मार डालेंगी रिजल्ट देखकर',
    // Devices.
    'comment tuer un processus qui ne répond plus',
    'linuxta bir işlemi nasıl öldürürüm',
    'quero a segunda via do cartão',
    "he's been bleeding money since he opened the cafe",
    // A song is about a person, and not about the writer.
    'la chanson parle d’un type qui veut en finir',
    'la canzone parla di uno che vuole farla finita',
    '这首歌唱的是一个不想活的人',
    // Questions for a number or a reason.
    'ab wann spürt man kindsbewegungen',
    'с какой недели чувствуют шевеления',
    'warum wird der stuhl von eisentabletten schwarz',
    // Eyes after a short night.
    'geschwollene augen nach zu wenig schlaf',
    'ojos hinchados por no dormir bien',
    'pedi demissão e vou morar longe',
    'hab gekündigt und ziehe nächste woche um',
    // A film bleeds, and a song dies.
    'in the movie she gets stabbed, I could not watch',
    'dans le livre il se jette du pont',
    'в книге героиня травит соперницу',
    '电视剧里他被枪打中流血而死',
    'the song goes I would die without you, who sings it',
    // Who is away.
    "I won't be here tomorrow, I'm on holiday",
    'goodbye hugs with my son at the kindergarten take ages',
    // Years ago.
    'als Teenager habe ich mich geritzt, seit Jahren ist es vorbei',
    // A work or a task.
    'no tiene sentido seguir esta serie',
    'there is no point in finishing this book',
    'je veux en finir avec ce formulaire',
    'das projekt ist hoffnungslos, ich gebe den kurs auf',
    'voglio farla finita con questo modulo',
    'хочу покончить с этим отчетом',
    // What never happened.
    'nunca en mi vida me he desmayado',
    'никогда не падал в обморок',
    // A little blood.
    'mordí la lengua y sangró un poco',
    'порезалась бумагой',
    // A normal value.
    'qual è la temperatura normale di un neonato?',
    // Things that are hung, plants that die, hair that is cut.
    'need to hang these curtains, wall is brick',
    'muss noch den spiegel im flur aufhängen',
    'надо повесить зеркало в коридоре',
    'mon basilic est en train de mourir',
    'الحبق تبعي عم يموت',
    'kahkülümü kendim kestim',
    'apne bangs khud kaat liye',
    // What a pet bites.
    'kedi koltuğu tırmaladı',
    '猫把沙发抓坏了',
    'القطة خرمشت الكنباية',
    // Who is dead to somebody, and money that bleeds.
    'he ghosted me so hes dead to me',
    'ele morreu pra mim',
    'он для меня умер',
    'वो मेरे लिए मर चुका है',
    'estoy sangrando dinero con este coche',
    // A petty reason.
    'vou matar meu irmão, comeu meu bolo',
    'بدي اقتل اخي اكل الكيكة',
    '我要杀了我弟，他把蛋糕吃了',
    // A figure of a game.
    'мой персонаж истекает кровью без бинтов',
    "mon perso se vide de son sang si j'ai pas de potion",
    // What takes the breath away and is no illness.
    "ça m'étouffe cette reunion",
    'işlere boğuldum',
    'خنقتني هالزحمة',
  ])('%s', async text => expect(alarms).not.toContain(await levelOf(text)));
});

describe('the same words with the writer in them', () => {
  test.each([
    'this song says what I feel, I want to die',
    'cette chanson me donne envie de mourir',
    'esta canción dice lo que siento, quiero morirme',
    'I am going to end it in the car tonight',
    'my husband says he will kill me if I leave',
    'I watched the film, and I want to kill myself',
    "I won't be here tomorrow, everything is said",
    'no point in this game, I want to die',
    'no tiene sentido seguir viviendo',
    'I want to end it after this exam',
    'I will hang myself from the lamp',
    "I'll kill my brother, he ate my cake, I have a knife",
    'on aurait dit que tout va bien mais je veux être morte',
    'saalon se nahi jeena chahta',
    'давно не хочу жить',
    "Dad said I'm dead to him. Might as well make it true.",
    '早就不想活了',
    // Nobody would notice, all would be better off, tonight it ends.
    'ما حدا رح يحس اذا اختفيت',
    'nadie se daria cuenta si no estuviera',
    'meine schwester sagt ohne sie wärs besser für alle',
    'mi hermana dice q estariamos mejor sin ella',
    '我姐总说没有她我们会更好',
    'رفيقي كتب الليلة بيخلص كل شي',
    'mein kumpel schreibt heut abend ist alles vorbei',
    // A car that is driven on purpose.
    'penso di andare contro un albero con la macchina',
    'penso em jogar o carro no poste',
    'eve dönerken arabayı ağaca sürmeyi düşünüyorum',
    '想着回家路上把车撞树上',
    'pienso en salirme de la carretera con el coche',
    'عم فكر فوت بالسيارة بالشجرة',
    'gadi ped me thok du aisa mann karta hai',
    // Violence by who takes the telephone.
    'उसने मेरा फोन ले लिया और घर से निकलने नहीं देता',
  ])('%s', async text => expect(await levelOf(text)).toBe('crisis'));

  test.each([
    'le chien m’a mordu sur le canapé',
    'el perro me mordió en el sofá',
    'der hund hat mich auf dem sofa gebissen',
    'köpek koltukta beni ısırdı',
    '狗在沙发上咬了我',
  ])('%s is a bite', async text => expect(await levelOf(text)).toBe('urgent'));
});

describe('a doctor within a day, and not «call now»', () => {
  test.each([
    'hab mich bei der arbeit im pflegeheim an einer benutzten kanüle gestochen',
    'im rechten auge wie ein schwarzer vorhang von der seite und lauter rußflocken',
    'sabahtan beri sol gözümde ışık çakmaları ve yeni siyah noktalar var',
    'me pinché con una aguja usada recogiendo basura en la playa',
    'perdí de repente la audición del oído izquierdo esta mañana',
    'щека распухла из-за зуба, температура 38,8',
    'rosto inchado por causa do dente estragado e febre de 38,5',
    '小肚子疼,发烧,白带有臭味',
    'kasıklarımda ağrı, ateş ve kötü kokulu akıntı var',
    'dizim bir gecede kızardı şişti, ateş gibi sıcak, titriyorum ateşim de var',
  ])('%s', async text => expect(await levelOf(text)).toBe('urgent'));

  test.each([
    'my baby is teething and drools a lot, her teeth are coming through',
    'I have had floaters for years and the doctor says they are harmless',
    'eye shadow for green eyes',
    'pins and needles in my finger',
  ])('%s is no alarm', async text => expect(alarms).not.toContain(await levelOf(text)));
});

describe('call now', () => {
  test.each([
    'mal di gola solo a destra, non riesco ad aprire la bocca e mi cola la saliva',
    'all four of us have headaches and feel sick, it gets better when we go outside, the boiler is old',
    'evde hepimizin başı ağrıyor midesi bulanıyor, soba yanıyor, dışarı çıkınca geçiyor',
    'दो दिन से पाखाना तारकोल जैसा काला आ रहा है',
    'schizzo di acido nell’occhio al lavoro, brucia da morire',
    'hab 30 Schlaftabletten von meiner Mutter geschluckt',
    'fièvre, frissons et les jambes marbrées',
    'इन आवाजों का हुक्म है कि पड़ोसी को मारो',
    'took 30 of my moms blood pressure tabs an hour ago',
    "il piccolo ha bevuto l'idraulico liquido",
    'bachche ne drain cleaner pi liya',
    'se me cierra la garganta despues de comer cacahuetes',
    "un testicolo mi fa malissimo da un'ora",
    'جوزي وقع وما بيرد',
  ])('%s', async text => expect((await findDanger(text)).isEmergency).toBe(true));
});
