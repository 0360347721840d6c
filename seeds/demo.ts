import type { DerivedKeys } from '../src/auth/derived-keys.ts';
import type { Seed } from '../src/db/seed-once.ts';

/** Where a service with the default settings is found on its own machine. */
const ownAddress = 'http://localhost:4000';

/**
 * Demo data of a first start. Its modules are loaded when it is inserted, since every later start would load them in vain.
 * @param origin of the installation, in the addresses of pictures and pages
 */
export function demoData(keys: DerivedKeys, now: Date, origin = ownAddress): Seed {
  return {
    name: 'demo',
    async insert(em) {
      const { insertDemo } = await import('./insert-demo.ts');
      await insertDemo(em, keys, now, origin);
    },
  };
}
