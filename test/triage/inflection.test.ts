import { describe, expect, test } from '@jest/globals';
import { findDanger } from 'triage';
import { basesOf } from 'triage/signs/inflection';

const levelOf = async (text: string): Promise<string | null> => (await findDanger(text)).level;
const alarms: readonly unknown[] = ['crisis', 'emergency', 'urgent'];

describe('what words of one family share', () => {
  test.each([
    ['es', 'tragaste', 'tragaron'],
    ['fr', 'menacait', 'menacent'],
    ['de', 'verschlucken', 'verschluckte'],
    ['it', 'picchiava', 'picchiano'],
    ['ru', 'угрожала', 'угрожают'],
    ['tr', 'bayildim', 'bayildi'],
  ])('%s: %s and %s', (code, one, other) => {
    const bases = new Set(basesOf(one, code));
    expect(basesOf(other, code).some(base => bases.has(base))).toBe(true);
  });

  test('short words have no family but themselves, and a language without endings has none', () => {
    expect(basesOf('colo', 'es')).toEqual(['colo']);
    expect(basesOf('疼', 'zh')).toEqual([]);
  });
});

describe('dangers in lay words of many forms', () => {
  test.each([
    // Numbers of containers, and brands.
    'me acabo de tragar dos blisters de lorazepam',
    "je viens d'avaler deux plaquettes de lexomil",
    'acabei de engolir duas cartelas de rivotril',
    'finished a bottle of sleeping drops with wine',
    'выпила флакон капель для сна с вином',
  ])('%s', async text => {
    const found = await findDanger(text);
    expect(found.level === 'crisis' || found.isEmergency).toBe(true);
  });

  test.each([
    // A hand under clothes, and films of a person.
    'il mio patrigno viene di notte e mi mette la mano sotto il pigiama',
    '继父半夜进来把手伸进我睡衣',
    "il m'a filmée nue et menace de tout publier",
    'он снял меня голой и грозится выложить',
    'jeden abend steh ich aufm parkhausdach und guck runter',
    '总想着把方向盘往大货车上打',
    'الكل بيرتاح لو انا مش موجود',
  ])('%s is a crisis', async text => expect(await levelOf(text)).toBe('crisis'));

  test.each([
    'papi fixe le vide et réagit plus',
    'оса ужалила, весь в волдырях и голова кружится',
    'chhote ne dada ki bp ki goliyan kha li',
    '宝宝才五周,体温38.7',
    'suyum patladı kordon dışarıda',
    'اخي عم يسمع اصوات بتقله يعاقب الجيران وما نام من 5 ايام',
    'la fontanela abultada y el bebé blandito',
  ])('%s is an alarm', async text => expect(alarms).toContain(await levelOf(text)));
});

describe('words of danger in ordinary sentences', () => {
  test.each([
    // Why others faint.
    'por que nos mareamos al ver sangre',
    'warum wird man ohnmächtig wenn man blut sieht',
    '为什么有人看到血会晕',
    // Who is not let win.
    'mi novio no me deja ganar ni al parchis',
    "my husband won't let me drive his precious car lol",
    // Years ago in other words, and nothing since.
    'desmaiei uma vez na escola, faz séculos',
    'в детстве были судороги при температуре, сейчас мне 33 и ничего',
    // Minutes of a nosebleed.
    'sangue dal naso due minuti, aria secca',
    // Mourning, an alarm clock, a late friend.
    'mon père est mort en mars et je pleure encore parfois',
    'vontade de matar o despertador',
    "i'll strangle you if you're late again",
    'maillerde boğuluyorum',
  ])('%s', async text => expect(alarms).not.toContain(await levelOf(text)));
});
