const zen = [
  'Say what changed, and why.',
  'Small steps arrive sooner.',
  'Whoever reads it next may be you.',
  'What is measured can be believed.',
];

/** The sentence of a `ping` to the hook or app with this number. */
export const zenOf = (id: number): string => zen[id % zen.length] ?? '';
