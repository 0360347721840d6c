import type { Knowledge } from './knowledge-schema.ts';
import type { Span } from './negation.ts';
import { PhraseTrie } from './phrase-trie.ts';
import type { Word } from './tokenize.ts';

type PhrasePart = Span & { kind: 'complaint' | 'place'; name: string };

/** A complaint located at a part of the body. */
interface LocatedComplaint extends Span {
  id: string;
  /** First word of the complaint: one complaint can have several places. */
  complaintAt: number;
  /** Indexes of the words of complaint and place. */
  at: number[];
  /** Negated between place and complaint: «my chest does not hurt». */
  takenBack: boolean;
}

/** Maximum distance between complaint and place, in words. */
const maxDistance = 10;
const conjunctions = new Set(['and', 'or', 'nor', '/']);
const backwardPrepositions = new Set(['in', 'with']);

/**
 * Creates a finder of complaints with places, in any order and with several places: «my chest hurts», «pain in arm, jaw
 * and chest», «arm and chest pain». As plain phrases, each combination would need an entry.
 */
export function createComplaintFinder(
  { words, symptoms }: Knowledge,
  fillers: ReadonlySet<string>,
  normalize: (text: string) => string[],
) {
  const phrases = new PhraseTrie<{ kind: 'complaint' | 'place'; name: string }>();
  for (const [kind, lists] of [
    ['complaint', words.complaints],
    ['place', words.places],
  ] as const) {
    for (const [name, list] of Object.entries(lists))
      for (const one of list) phrases.add(normalize(one), { kind, name });
  }
  const ids = new Map<string, string>();
  for (const { id, at } of symptoms.values()) {
    for (const [complaint, places] of Object.entries(at))
      for (const place of places) ids.set(`${complaint} ${place}`, id);
  }
  const prepositions = new Set(words.prepositions.flatMap(normalize));
  const negationCues = new Set(['not', 'no', ...words.negation.verb.cues.flatMap(normalize)]);
  let steps = 0;

  /** Complaint and place phrases of a text, indexed by first and by last word. */
  function partsOf(text: readonly Word[], covered: readonly boolean[]) {
    const starts = new Map<number, PhrasePart>();
    const ends = new Map<number, PhrasePart>();
    for (let at = 0; at < text.length; ) {
      const found = covered[at] ? undefined : phrases.findLongest(text, at);
      if (!found || covered[found.end - 1]) {
        at++;
        continue;
      }
      const part: PhrasePart = { ...found.value, start: at, end: found.end };
      starts.set(part.start, part);
      ends.set(part.end - 1, part);
      at = found.end;
    }
    return { starts, ends };
  }

  function find(text: readonly Word[], covered: readonly boolean[]): LocatedComplaint[] {
    const { starts, ends } = partsOf(text, covered);
    const located: LocatedComplaint[] = [];
    const add = (complaint: PhrasePart, place: PhrasePart, takenBack: boolean): void => {
      const id = ids.get(`${complaint.name} ${place.name}`);
      if (id === undefined) return;
      const start = Math.min(complaint.start, place.start);
      const at = [complaint, place].flatMap(({ start: from, end }) =>
        Array.from({ length: end - from }, (_, n) => from + n),
      );
      located.push({ id, start, end: Math.max(complaint.end, place.end), complaintAt: complaint.start, at, takenBack });
    };
    for (const complaint of starts.values()) {
      if (complaint.kind !== 'complaint') continue;
      searchBackward(complaint);
      searchForward(complaint);
    }
    return located;

    /** Searches places before the complaint: «arm and chest pain», «my chest really hurts». */
    function searchBackward(complaint: PhrasePart): void {
      let takenBack = false;
      for (let at = complaint.start - 1; at >= 0 && at >= complaint.start - maxDistance; at--) {
        steps++;
        const gap = text[at + 1]?.gap;
        if (gap === 'stop') return;
        const part = ends.get(at);
        // A comma continues only a list of places.
        if (gap === 'comma' && (part?.kind !== 'place' || at + 1 === complaint.start)) return;
        if (part?.kind === 'place') {
          add(complaint, part, takenBack);
          at = part.start;
          continue;
        }
        const word = text[at]?.text ?? '';
        // «Rash on the chest and pain …»: the place of the pain follows later.
        if (conjunctions.has(word) && at + 1 === complaint.start) return;
        if (negationCues.has(word)) takenBack = true;
        else if (
          covered[at] ||
          !(
            fillers.has(word) ||
            conjunctions.has(word) ||
            (backwardPrepositions.has(word) && at + 1 === complaint.start) ||
            part
          )
        )
          return;
      }
    }

    /** Searches places after the complaint: «pain in the left arm and jaw», «sore throat». */
    function searchForward(complaint: PhrasePart): void {
      let [led, hasPlace] = [false, false];
      for (let at = complaint.end; at < text.length && at < complaint.end + maxDistance; at++) {
        steps++;
        const { text: word, gap } = text[at] ?? { text: '', gap: 'stop' };
        if (gap === 'stop') return;
        const part = starts.get(at);
        if (gap === 'comma' && !(hasPlace && part?.kind === 'place' && endsItem(part.end))) return;
        if (part?.kind === 'place') {
          if (hasPlace && !led) return;
          add(complaint, part, false);
          hasPlace = true;
          at = part.end - 1;
        } else if (!covered[at] && prepositions.has(word)) led = true;
        else if (covered[at] || !(fillers.has(word) || (hasPlace && conjunctions.has(word)))) return;
      }
    }

    /** «…, jaw and chest» continues the list; «…, chest feels fine» does not. */
    function endsItem(at: number): boolean {
      const next = text[at];
      return next === undefined || next.gap !== 'none' || conjunctions.has(next.text);
    }
  }

  return {
    find,
    isComplaint: (term: readonly string[]): boolean => {
      const found = phrases.findLongest(
        term.map(text => ({ text, gap: 'none', asked: false })),
        0,
      );
      return found?.value.kind === 'complaint' && found.end === term.length;
    },
    steps: () => steps + phrases.steps,
  };
}
