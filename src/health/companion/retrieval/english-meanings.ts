import { foldText } from 'triage/signs/fold-text';
import { glossaryTable, meaningsIn } from 'triage/signs/glossary';

/**
 * The English words that the words of a question mean, in their order and with all meanings of each; empty for a language without a glossary. Words
 * that the glossary does not have are left out.
 */
export async function englishMeaningsOf(question: string, language: string): Promise<string> {
  await glossaryTable(language).load();
  return meaningsIn(foldText(question), language).join(' ');
}
