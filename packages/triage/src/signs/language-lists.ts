import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file `<language>.json` of a folder: lists of words and phrases by name, separated by semicolons; undefined where there is none. */
export function readLanguageLists(folder: string, language: string): Readonly<Record<string, string>> | undefined {
  const file = join(folder, `${language}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : undefined;
}

/** The texts of all files of a folder in the order of their names, for the fingerprint of the model. */
export const languageListTexts = (folder: string): string[] =>
  readdirSync(folder)
    .sort()
    .map(name => readFileSync(join(folder, name), 'utf8'));
