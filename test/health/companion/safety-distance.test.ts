import { describe, expect, test } from '@jest/globals';
import { classifyMessage } from 'triage/signs/classify-message';

describe('an illness of years ago, and well now', () => {
  test.each([
    "Mum had a heart attack in 2015, she's fit now and asks if cranberry juice is fine",
    'My cousin had a stroke ten years ago and today he swims every week. Which stretches suit him?',
    'Mi tío tuvo un infarto hace diez años y hoy camina todos los días. ¿Puede comer jamón?',
    'Meine Oma hatte vor 20 Jahren einen Schlaganfall und ist heute fit. Darf sie in die Sauna?',
    'Minha avó teve um AVC em 2010 e hoje dança, pode beber vinho?',
    'У дедушки был инсульт десять лет назад, сейчас всё хорошо. Можно ли ему в баню?',
    "Dedem 2009'da kalp krizi geçirdi, şimdi çok iyi, kahve içebilir mi?",
    '我爸十年前中风，现在恢复得很好，可以泡温泉吗？',
  ])('%s', message => expect(classifyMessage(message).level).toBe('none'));

  test.each([
    'Mum had a heart attack in 2015 and now she has the same crushing chest pain',
    'My uncle had a stroke ten years ago and now his face is drooping again',
    'Mi tío tuvo un infarto hace diez años y ahora le duele el pecho otra vez y suda',
    'У дедушки был инсульт десять лет назад, а сейчас опять перекосило лицо',
    '我爸十年前中风，今天突然又说不出话了',
    "Babam 2009'da kalp krizi geçirdi, şimdi yine göğsü sıkışıyor",
  ])('not well now: %s', message => expect(classifyMessage(message).emergency).toBe(true));
});

describe('words that only look like a sign', () => {
  test.each([
    'my husband snores like a chainsaw, what can he do?',
    'I restore old chainsaws and my hands tingle after a day of it. Which gloves reduce vibration?',
    'kitchen knife skills for people with arthritis',
    'the kids shot hoops for hours, how much water do they need',
    'do I need a breathing exercise before meetings?',
    'wind and rumbling after beans',
    'I blush when I talk to people',
    'fitting room mirror made me cry lol',
    'when i lie down after dinner i get acid coming up in my throat',
    'I strangled a note out of my clarinet, lip is sore. Practice daily or rest day?',
    'the wall hit me at mile 20 of the marathon, how do I fuel better',
    'Can the watch detect afib and would it tell me or do I have to look',
  ])('%s', message => expect(classifyMessage(message).level).toBe('none'));

  test.each([
    'cut my hand with the chainsaw and the blood is pumping out',
    'we were gardening and my mate put the chainsaw through his leg',
    'my brother was shot in the leg',
    'my brother is having a fit and does not stop',
    'he has been poisoned, he is vomiting and cannot stand',
  ])('a sign: %s', message => expect(classifyMessage(message).emergency).toBe(true));

  test.each(['I have the acid in my bag and she will pay for it', 'I was strangled by my boyfriend last night'])(
    'a crisis: %s',
    message => expect(classifyMessage(message).level).toBe('crisis'),
  );
});

describe('words that the rules find and nobody states', () => {
  test.each([
    'I cannot swallow the price of this gym, which exercises work without machines',
    "I'm choking on the fees of my gym, which exercises work without machines",
    'diabetes tipo 2 e manga, pode à noite?',
    '高血压好多年，能坐飞机吗',
    'wie viel Salz am Tag ist noch ok',
  ])('%s', message => expect(classifyMessage(message).level).toBe('none'));

  test.each([
    'how long can I wait with my chest pain before I see somebody',
    'is it ok to sleep on sudden weakness of my left arm',
  ])('a sign in a question about oneself stays: %s', message => expect(classifyMessage(message).emergency).toBe(true));

  test.each(['Ich trinke Tee und quiero morirme', 'hello, wie geht es, i want to die'])(
    'a crisis in another language than the rest stays: %s',
    message => expect(classifyMessage(message).level).toBe('crisis'),
  );
});

describe('what is told of something distant and harmless in each part is taken back', () => {
  test.each([
    'What do you do as a first aider if someone faints? we have a training at work',
    'vi una peli donde el protagonista se suicida y me dejó pensando, recomiéndame comedias jaja',
    'Our neighbour fainted at his own wedding years ago, we laughed so much. Do tall people faint more?',
  ])('%s', message => expect(classifyMessage(message).level).toBe('none'));

  /** The model calls the whole of most of them harmless. */
  test.each([
    'I do first aid training but now my wife is choking for real',
    'Just watched a film about heart attacks and now my own chest is tight and my left arm aches',
    'what exercise is good for my sudden weakness on one side since breakfast',
    'Should I worry about the chest pain I get when I climb the stairs at home?',
    'Any tips for sleeping when you cannot breathe lying down and cough pink froth',
    'How long can I wait with black tarry stools before I see somebody about it',
  ])('an emergency stays: %s', message => expect(classifyMessage(message).emergency).toBe(true));

  test.each([
    'lol i want to die, anyway whats a good soup recipe',
    'Which exercise helps my back, I also cut my arms again on Sunday',
    'Watching the film where she hangs herself made me want to do the same tonight',
    'jaja quiero morirme, en serio, ya lo tengo decidido',
    '哈哈我真的想死，已经写好遗书',
    'My husband used to hit me years ago and he started again last week',
  ])('a crisis stays: %s', message => expect(classifyMessage(message).level).toBe('crisis'));
});
