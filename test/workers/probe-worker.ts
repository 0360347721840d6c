/** Actions that the pool tests run on its threads. */
export type ProbeInput =
  | { act: 'echo'; value: unknown }
  | { act: 'spin'; state: Int32Array }
  | { act: 'wait'; state: Int32Array }
  | { act: 'fill' }
  | { act: 'throw' }
  | { act: 'settings' };

/** `state[0]` counts started runs; a waiting run ends when `state[1]` becomes 1. */
export function run(input: ProbeInput): unknown {
  switch (input.act) {
    case 'echo':
      return input.value;
    case 'spin':
      Atomics.add(input.state, 0, 1);
      for (;;);
    case 'wait':
      Atomics.add(input.state, 0, 1);
      Atomics.wait(input.state, 1, 0);
      return 'waited';
    case 'fill': {
      const kept: unknown[] = [];
      for (;;) kept.push({ number: kept.length, text: `${kept.length}` });
    }
    case 'throw':
      throw new Error('a defect of the task');
    case 'settings':
      // biome-ignore lint/style/noProcessEnv: the test asserts that it is empty.
      return Object.keys(process.env);
  }
}
