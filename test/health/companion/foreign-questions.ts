/** A question in another language than English, and what the article in English is about; null where no article is. */
export interface ForeignQuestion {
  lang: string;
  text: string;
  headline: RegExp | null;
}

const of = (lang: string, ...all: readonly [text: string, headline: RegExp | null][]): ForeignQuestion[] =>
  all.map(([text, headline]) => ({ lang, text, headline }));

/** Written before their words were looked up in the glossaries. */
export const foreignQuestions: readonly ForeignQuestion[] = [
  ...of(
    'de',
    ['Was hilft bei Migräne?', /migraine/i],
    ['Wie stoppe ich Nasenbluten?', /nosebleed/i],
    ['Wie kann ich mit dem Rauchen aufhören?', /quit/i],
    ['Was tun bei Sodbrennen?', /heartburn/i],
    ['Mein Cholesterin ist zu hoch, was soll ich essen?', /cholesterol/i],
    ['Warum schnarche ich?', /snor/i],
    ['Was hilft gegen Verstopfung?', /constipat/i],
    ['Wie wechsle ich einen Fahrradreifen?', null],
    ['Wer gewann die Wahl in Brasilien?', null],
  ),
  ...of(
    'fr',
    ['Que faire contre la migraine ?', /migraine/i],
    ['Comment arrêter un saignement de nez ?', /nosebleed/i],
    ['Comment arrêter de fumer ?', /quit/i],
    ["J'ai mal au dos depuis une semaine", /back/i],
    ['Comment baisser le cholestérol ?', /cholesterol/i],
    ['Que faire en cas de brûlure ?', /burn/i],
    ['Qui a gagné la coupe du monde ?', null],
    ['Comment réparer mon vélo ?', null],
  ),
  ...of(
    'es',
    ['¿Qué ayuda contra la migraña?', /migraine/i],
    ['¿Cómo dejo de fumar?', /quit/i],
    ['¿Qué puedo comer si tengo el colesterol alto?', /cholesterol/i],
    ['me sangra la nariz a menudo, ¿qué hago?', /nosebleed/i],
    ['tengo acidez después de comer', /heartburn/i],
    ['no puedo dormir por las noches', /sleep|insomnia/i],
    ['¿cómo quito una mancha de vino?', null],
  ),
  ...of(
    'it',
    ['Cosa fare contro il mal di testa?', /headache|migraine/i],
    ['Come smettere di fumare?', /quit/i],
    ['ho la pressione alta, cosa mangio?', /pressure|salt/i],
    ['mal di schiena, cosa aiuta?', /back/i],
    ['Chi ha vinto il festival?', null],
  ),
  ...of(
    'pt',
    ['O que ajuda contra enxaqueca?', /migraine/i],
    ['Como parar de fumar?', /quit/i],
    ['meu colesterol está alto, o que como?', /cholesterol/i],
    ['o que fazer com prisão de ventre?', /constipat/i],
    ['Como troco o pneu do carro?', null],
  ),
  ...of(
    'ru',
    ['что помогает от мигрени?', /migraine/i],
    ['как бросить курить?', /quit/i],
    ['болит спина, что делать', /back/i],
    ['как снизить холестерин', /cholesterol/i],
    ['кто выиграл чемпионат мира', null],
  ),
  ...of(
    'tr',
    ['migrene ne iyi gelir?', /migraine/i],
    ['sigarayı nasıl bırakırım?', /quit/i],
    ['kolesterolüm yüksek ne yemeliyim', /cholesterol/i],
    ['kabızlık için ne yapmalı', /constipat/i],
    ['Brezilya cumhurbaşkanı kim?', null],
  ),
  ...of(
    'ar',
    ['ما الذي يساعد على الصداع النصفي؟', /migraine/i],
    ['كيف أترك التدخين؟', /quit/i],
    ['كيف اخفض الكوليسترول', /cholesterol/i],
    ['من هو رئيس البرازيل؟', null],
  ),
  ...of(
    'hi',
    ['माइग्रेन में क्या करें?', /migraine/i],
    ['सिगरेट कैसे छोड़ें?', /quit/i],
    ['कोलेस्ट्रॉल कैसे कम करें', /cholesterol/i],
    ['ब्राज़ील का राष्ट्रपति कौन है?', null],
  ),
  ...of(
    'zh',
    ['偏头痛怎么办?', /migraine/i],
    ['怎么戒烟?', /quit/i],
    ['胆固醇高吃什么好', /cholesterol/i],
    ['便秘怎么办', /constipat/i],
    ['巴西总统是谁?', null],
  ),
];
