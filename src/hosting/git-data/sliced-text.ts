import type { TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { WorkBudget } from '../../workers/work-budget.ts';

/** Characters of a piece: 3 ms to decode where every other one is a blank. */
const charsPerPiece = 64 * 1024;
/** Characters that are decoded and hashed in the time of a step, 1 µs. */
const charsPerStep = 100;

/** A text in pieces, with turns of the event loop between them. @throws WorkBudgetError */
export function sliced(text: string, budget: WorkBudget): TextInPieces {
  return {
    async *pieces() {
      for (let at = 0; at < text.length; at += charsPerPiece) {
        const piece = text.slice(at, at + charsPerPiece);
        yield piece;
        budget.spendSteps(Math.ceil(piece.length / charsPerStep));
        if (budget.isTurnDue) await budget.turn();
      }
    },
  };
}
