import { describe, expect, test } from '@jest/globals';
import { findDanger } from 'triage';

describe('a sign of another person', () => {
  test.each([
    "my father's arm is numb and his speech is slurred",
    'her face droops',
    'my little sister has chest pain',
    'mon père a la bouche de travers',
    'meiner Oma hängt der Mundwinkel',
    'mi hija no puede respirar',
    'у папы сильная боль в груди',
    '我爸爸胸口很痛',
  ])('%s', async text => {
    const { whose, signs } = await findDanger(text);
    expect({ whose, signs: signs.map(one => one.whose) }).toEqual({ whose: 'other', signs: signs.map(() => 'other') });
    expect(signs).not.toEqual([]);
  });
});

describe('a sign of the writer, whoever is named', () => {
  test.each([
    'my husband says my face droops',
    'my chest hurts and my wife is away',
    'ma femme dit que mon bras est paralysé',
    'I have crushing chest pain',
  ])('%s', async text =>
    expect(await findDanger(text)).toMatchObject({ whose: 'writer', signs: [{ whose: 'writer' }] }),
  );
});

test.each([
  ["what helps my son's cough?", 'other'],
  ['what helps against my cough?', 'writer'],
  ['I worry about the cough of my daughter', 'other'],
  ['je m’inquiète de la toux de ma fille', 'other'],
  ['ich mache mir Sorgen wegen des Hustens meiner Tochter', 'other'],
])('of whom a message without a sign tells: %s', async (text, whose) =>
  expect((await findDanger(text)).whose).toBe(whose),
);

describe('a crisis of another person has the text for helping', () => {
  test.each([
    'she cut her wrists',
    'my sister slashed her wrists',
    'elle s’est ouvert les veines',
    'meine Freundin hat eine Packung Schlaftabletten genommen und will sterben',
  ])('%s', async text =>
    expect(await findDanger(text)).toMatchObject({
      level: 'crisis',
      signs: expect.arrayContaining([expect.objectContaining({ kind: 'other', whose: 'other' })]),
    }),
  );
  test.each(["j'ai ouvert mes veines", 'I cut my wrists', 'my kids would be better off without me'])(
    'and one of the writer their own: %s',
    async text =>
      expect(await findDanger(text)).toMatchObject({ level: 'crisis', signs: [{ kind: 'self', whose: 'writer' }] }),
  );
});
