import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is said in a language that the engine does not read for danger: that it does not, and general signs for calling help. */
interface UnreadLanguage {
  title: string;
  text: string;
}

let cached: ReadonlyMap<string, UnreadLanguage> | undefined;

function unreadLanguages(): ReadonlyMap<string, UnreadLanguage> {
  cached ??= new Map(
    Object.entries(
      JSON.parse(readFileSync(join(import.meta.dirname, 'unread-languages.json'), 'utf8')) as Record<
        string,
        UnreadLanguage
      >,
    ),
  );
  return cached;
}

/** The notice in a language that is not read, or in English for one that has no text here. */
export function unreadNoticeIn(language = 'en'): { title: string; text: string } {
  const found = unreadLanguages().get(language) ?? unreadLanguages().get('en');
  if (!found) throw new Error('There is no English notice.');
  const { title, text } = found;
  return { title, text: `**${title}** ${text}` };
}
