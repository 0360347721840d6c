/**
 * Classifies the first message of each language in a process of its own, whose tables are not compiled yet, and prints the turns of the
 * event loop that others got meanwhile, as JSON by language. The arguments are a language and a message in turn. It runs the compiled code.
 */
const { classifyInTurns } = (await import(
  '../../../dist/packages/triage/src/signs/classify-message.js' as string
)) as typeof import('triage/signs/classify-message');

async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isDone = true;
  return turns;
}

const found: [language: string, turns: number][] = [];
for (let at = 2; at < process.argv.length; at += 2) {
  const [language = '', message = ''] = process.argv.slice(at, at + 2);
  found.push([language, await turnsDuring(() => classifyInTurns(message))]);
}
process.stdout.write(JSON.stringify(Object.fromEntries(found)));
