const zen = [
  'Say what changed, and why.',
  'Small steps arrive sooner.',
  'Whoever reads it next may be you.',
  'What is measured can be believed.',
];

/** A sentence by a number: that of a hook or app, for a `ping` to it. */
export const zenOf = (id: number): string => zen[id % zen.length] ?? '';
