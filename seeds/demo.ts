import type { DerivedKeys } from '../src/auth/derived-keys.ts';
import type { Seed } from '../src/db/seed-once.ts';

/** Demo data of a first start. Its modules are loaded when it is inserted, since every later start would load them in vain. */
export function demoData(keys: DerivedKeys, now: Date): Seed {
  return {
    name: 'demo',
    async insert(em) {
      const { insertDemo } = await import('./insert-demo.ts');
      await insertDemo(em, keys, now);
    },
  };
}
