import { isMedicalAlarm } from 'triage';
import type { Level } from 'triage/knowledge/knowledge-schema';
import type { SymptomReport } from './symptom-report.ts';

/** Facts from which the general advice is composed. */
export interface AdviceFacts {
  report: SymptomReport;
  /** Whether the report tells of another person than its writer. */
  isOther: boolean;
  level: Level;
  /** Duration in days; null when not given or not understood. */
  days: number | null;
  crisis: readonly string[];
  flagged: boolean;
  recognised: boolean;
  /** Number of symptoms that were not recognized. */
  unmatched: number;
  /** What is said instead of what the level asks for, where the level is no alarm. */
  unalarmed?: string | undefined;
}

export const disclaimer =
  'This is general information and not a diagnosis. It does not replace a doctor, a nurse or a pharmacist. In an emergency call your local emergency number.';

/** For everybody, and about nobody: said where no sign was named. */
export const generalSigns =
  'This says nothing about how urgent it is for the person. Call your local emergency number for chest pain or pressure, trouble breathing, a drooping face, a weak arm or slurred speech, heavy bleeding, a person who cannot be woken, a seizure, swelling of the face or throat, poisoning, or thoughts of suicide. Ask a doctor today about what is severe, gets worse or worries you, and about any illness of a baby, in pregnancy, or with weak immune defences; ask a doctor or a pharmacist about everything else.';

const crisisLines =
  'Your local emergency number and crisis lines are there at any hour: in the United States and Canada call or text 988, in the United Kingdom and Ireland call Samaritans on 116 123; findahelpline.com lists other countries.';

/** General advice as text, the most important sentence first. Names no medicine, whatever allergies were given. */
export function buildAdvice(facts: AdviceFacts): string {
  const { report, isOther, level, days, crisis, flagged, recognised, unmatched, unalarmed } = facts;
  const say = (you: string, they: string): string => (isOther ? they : you);
  const sentences: string[] = [];
  if (crisis.some(kind => kind !== 'abuse')) {
    sentences.push(
      say(
        'You do not have to go through this alone. If you might act on these thoughts, or have hurt yourself, call for help now and do not stay by yourself.',
        'Do not leave the person alone, listen without judging, and put away what could be used to do harm. If there is danger now, call for help at once.',
      ),
      crisisLines,
    );
  }
  if (crisis.includes('abuse')) {
    sentences.push(
      say(
        'Nobody has the right to hurt you. If you are in danger, call your local emergency number; a domestic abuse helpline or a doctor can help in confidence.',
        'Nobody has the right to hurt them. If they are in danger, call your local emergency number; a domestic abuse helpline or a doctor can help in confidence.',
      ),
    );
  }
  sentences.push(
    isMedicalAlarm(level) || unalarmed === undefined ? buildLevelSentence(level, flagged, say) : unalarmed,
  );
  if (!recognised) {
    sentences.push(
      'What was described could not be matched with anything known here. That says nothing about how serious it is: describe it to a doctor, a nurse or a pharmacist.',
    );
  } else if (unmatched > 0) {
    sentences.push(
      'Not everything that was described could be understood here, so tell all of it to the person who gives care.',
    );
  }
  if (report.hasOtherSymptoms === true)
    sentences.push(say('Tell a clinician what else you notice.', 'Tell a clinician what else you notice about them.'));
  if (report.trend === 'getting worse') sentences.push('It is getting worse, which is a reason not to wait.');
  if (report.trend === 'getting better' && level !== 'emergency')
    sentences.push('It is getting better; if it turns or comes back, have it looked at again.');
  if (days !== null && days > 30 && level !== 'emergency')
    sentences.push('It has lasted for more than a month and should be looked at, even if it is not troublesome.');
  if (report.allergies !== '')
    sentences.push(
      `Tell the person who gives care about the allergies that were named: ${report.allergies.replace(/(?<![.\s])[.\s]+$/, '')}.`,
    );
  return sentences.join(' ');
}

function buildLevelSentence(level: Level, flagged: boolean, say: (you: string, they: string) => string): string {
  switch (level) {
    case 'emergency':
      return say(
        'Call your local emergency number now, or have somebody take you to an emergency department. Do not drive yourself.',
        'Call the local emergency number now, or take the person to an emergency department. Stay with them.',
      );
    case 'urgent':
      return say(
        `${flagged ? 'One of the signs needs a look soon. ' : ''}See a doctor or an urgent care service within a day. If it becomes severe, or breathing, chest, speech or awareness are affected, call your local emergency number.`,
        `${flagged ? 'One of the signs needs a look soon. ' : ''}Have the person seen by a doctor or an urgent care service within a day. If it becomes severe, or breathing, chest, speech or awareness are affected, call the local emergency number.`,
      );
    case 'routine':
      return say(
        'Make an appointment with a doctor, and go sooner if it gets worse or something new comes along.',
        'Have the person see a doctor by appointment, and sooner if it gets worse or something new comes along.',
      );
    case 'self_care':
      return say(
        'Looking after yourself is often enough for this. See a pharmacist or a doctor if it gets worse, lasts longer than expected or worries you.',
        'Looking after the person at home is often enough for this. Ask a pharmacist or a doctor if it gets worse, lasts longer than expected or worries you.',
      );
  }
}
