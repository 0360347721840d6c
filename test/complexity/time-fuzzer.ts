import { numbers } from '../git/random-history.ts';
import type { Case } from './complexity.ts';
import { measureOnce } from './measure.ts';

/** A function of one text for which a slow shape is searched. */
export interface FuzzTarget {
  name: string;
  covers: readonly string[];
  /** Texts that it accepts: their parts are what shapes are made of. */
  seeds: readonly string[];
  /** UTF-16 units that the limits let in. */
  largest: number;
  place?: Case['place'];
  run(text: string): unknown;
}

/** A text with a part that can be repeated. */
interface Shape {
  before: string;
  repeated: string;
  after: string;
}

const rounds = 300;
/** UTF-16 units of the texts that are compared. */
const comparedLength = 4_000;
/** A text that takes as long is slow enough to end the search: in linear time 4,000 characters take less than a millisecond. */
const slowMs = 50;
/** Shapes of which new ones are made. */
const keptShapes = 8;
/** Parts of many syntaxes, on which parsers backtrack or look ahead. */
const delimiters = [
  ' ',
  '\t',
  '\n',
  '\r',
  '"',
  "'",
  '\\',
  '/',
  '*',
  '<',
  '>',
  '=',
  ':',
  ';',
  ',',
  '.',
  '-',
  '%',
  '&',
  '\0',
  'é',
  '\u0301',
];

/**
 * The shape of the text on which the target takes the most CPU time, found by mutation: parts of the seeds and of slow shapes are
 * cut, joined, changed and repeated. The seed is fixed; the choice depends on what is measured.
 */
async function findSlowShape({ seeds, run }: FuzzTarget): Promise<Shape> {
  const pick = numbers(20_261_101);
  const choose = <T>(from: readonly T[]): T => from[pick(from.length)] as T;
  const cut = (text: string, most: number): string => {
    const length = 1 + pick(Math.min(most, text.length));
    return text.substr(pick(Math.max(1, text.length - length + 1)), length);
  };
  let best: { shape: Shape; cpuMs: number }[] = [];
  const tried = async (shape: Shape): Promise<number> => {
    const text = textOf(shape, comparedLength);
    const { cpuMs } = await measureOnce(() => run(text));
    best = [...best, { shape, cpuMs }].sort((one, other) => other.cpuMs - one.cpuMs).slice(0, keptShapes);
    return cpuMs;
  };
  const mutate = ({ before, repeated, after }: Shape): Shape => {
    const changes: (() => Shape)[] = [
      () => ({ before, repeated: cut(choose(seeds), 16), after }),
      () => ({ before, repeated: choose(delimiters), after }),
      () => ({ before, repeated: repeated + choose(delimiters), after }),
      () => ({ before, repeated: choose(delimiters) + repeated, after }),
      () => ({ before, repeated: repeated + cut(choose(seeds), 8), after }),
      () => ({ before, repeated: cut(repeated, repeated.length), after }),
      () => ({ before: cut(choose(seeds), 40), repeated, after }),
      () => ({ before: choose(seeds), repeated, after }),
      () => ({ before: '', repeated, after }),
      () => ({ before: before + choose(delimiters), repeated, after }),
      () => ({ before, repeated, after: choose(delimiters) + cut(choose(seeds), 8) }),
      () => ({ before, repeated, after: '' }),
    ];
    return choose(changes)();
  };
  for (const seed of seeds) {
    // At a place within the seed, so that what is repeated is where a parser expects it.
    for (let at = 0; at < 8; at++) {
      const place = pick(seed.length + 1);
      await tried({ before: seed.slice(0, place), repeated: choose(delimiters), after: seed.slice(place) });
    }
  }
  for (let round = 0; round < rounds; round++) {
    if ((await tried(mutate(choose(best).shape))) > slowMs) break;
  }
  return best[0]?.shape ?? { before: '', repeated: ' ', after: '' };
}

function textOf({ before, repeated, after }: Shape, length: number): string {
  const count = Math.max(1, Math.floor((length - before.length - after.length) / repeated.length));
  return `${before}${repeated.repeat(count)}${after}`;
}

/** A case of the slowest shape that is found. */
export async function slowestCase(target: FuzzTarget): Promise<Case> {
  const shape = await findSlowShape(target);
  const { covers, largest, place } = target;
  return {
    name: `${target.name}, a shape that was found: ${JSON.stringify(shape)}`,
    covers,
    sizes: { from: Math.min(1_000, largest), largest },
    ...(place === undefined ? {} : { place }),
    prepare: size => {
      const text = textOf(shape, size);
      return () => target.run(text);
    },
  };
}
