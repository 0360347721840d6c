import type { Level } from 'triage/knowledge/knowledge-schema';
import type { Config } from '../../config/config.ts';
import { disclaimer, generalSigns } from './advice.ts';
import { higherOf, type TriageDecision } from './triage-level.ts';

/** What an assessment tells of what its rules find. */
export interface AnswerMode {
  /** The level that is told. */
  levelOf(of: Pick<TriageDecision, 'level' | 'named'>): Level;
  /** Whether possible causes are ranked; otherwise articles about the symptoms are named. */
  ranksCauses: boolean;
  /** What is said where no sign is named; undefined: what the level asks for. */
  unalarmed: string | undefined;
  disclaimer: string;
}

const triageNotice =
  'The possible causes and the level of urgency come from rules whose clinical safety was not shown; whoever runs this service has chosen to show them, and is responsible for them.';

const demoNotice = 'This service has demo data: it is for evaluation, and not for people who need care.';

/** A lower level would say that somebody needs no care. */
const atLeastRoutine = (level: Level): Level => higherOf('routine', level);

/** An alarm is the same in both: it needs a sign that the person named. */
export const answerModes: Readonly<Record<Config['ASSESSMENTS'], AnswerMode>> = {
  information: {
    levelOf: ({ named }) => atLeastRoutine(named),
    ranksCauses: false,
    unalarmed: generalSigns,
    disclaimer: `${disclaimer} No level of urgency is worked out for a person here: only signs that were named are pointed out.`,
  },
  triage: {
    levelOf: ({ level }) => level,
    ranksCauses: true,
    unalarmed: undefined,
    disclaimer: `${disclaimer} ${triageNotice}`,
  },
};

const demoMode: AnswerMode = {
  ...answerModes.triage,
  disclaimer: `${answerModes.triage.disclaimer} ${demoNotice}`,
};

/** The only place that reads the setting: for accounts and guests, whatever the contract of the request. */
export function answerModeOf({ ASSESSMENTS, SEED }: Pick<Config, 'ASSESSMENTS' | 'SEED'>): AnswerMode {
  return ASSESSMENTS === 'triage' && SEED === 'demo' ? demoMode : answerModes[ASSESSMENTS];
}
