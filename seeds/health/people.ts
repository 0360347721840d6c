import { hkdfSync } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Person } from '../../schema/health/person.ts';
import type { DerivedKeys } from '../../src/auth/derived-keys.ts';
import { hashPassword } from '../../src/auth/passwords/hash.ts';

/** Demo accounts with profiles. */
const people = {
  amira: {
    firstName: 'Amira',
    lastName: 'Sandoval',
    gender: 'F',
    bornOn: '1988-04-12',
    weightKg: '71.50',
    heightCm: '168.00',
    bloodType: 'A+',
    hasDiabetes: 'Y',
    hasHypertension: 'N',
    isSmoker: 'N',
    conditions: ['type 2 diabetes'],
    symptoms: ['fatigue', 'thirst'],
    aboutMe: 'Cook, walker, learning to live with numbers.',
    isVisibleInCommunity: true,
  },
  benedikt: {
    firstName: 'Benedikt',
    lastName: 'Oyelaran',
    gender: 'M',
    bornOn: '1961-09-30',
    weightKg: '88.00',
    heightCm: '181.00',
    bloodType: 'O-',
    hasHypertension: 'Y',
    hasDiabetes: 'N',
    isSmoker: 'DK',
    conditions: ['hypertension', 'knee arthritis'],
    symptoms: ['knee pain', 'headache'],
    aboutMe: 'Retired printer. Two grandchildren, one bad knee.',
    isVisibleInCommunity: true,
  },
  chiara: {
    firstName: 'Chiara',
    lastName: 'Lindholm',
    gender: 'F',
    bornOn: '1997-01-22',
    weightKg: '58.20',
    heightCm: '172.00',
    bloodType: 'B+',
    hasHypertension: 'N',
    hasDiabetes: 'N',
    isSmoker: 'N',
    conditions: ['migraine', 'asthma'],
    symptoms: ['headache', 'shortness of breath'],
    allergies: 'Birch pollen',
    aboutMe: 'Nurse on nights.',
    isVisibleInCommunity: false,
  },
  dario: {
    firstName: 'Dario',
    lastName: 'Mensah',
    gender: 'M',
    bornOn: '1984-11-03',
    weightKg: '92.40',
    heightCm: '178.00',
    bloodType: 'A-',
    hasDiabetes: 'Y',
    hasHypertension: 'Y',
    isSmoker: 'N',
    conditions: ['type 2 diabetes', 'hypertension'],
    symptoms: ['fatigue', 'knee pain'],
    aboutMe: 'Drives a night bus and cooks on Sundays for the week.',
    isVisibleInCommunity: true,
  },
  esther: {
    firstName: 'Esther',
    lastName: 'Brandt',
    gender: 'F',
    bornOn: '1990-07-19',
    weightKg: '64.00',
    heightCm: '170.00',
    bloodType: 'O+',
    hasDiabetes: 'N',
    hasHypertension: 'N',
    isSmoker: 'N',
    conditions: ['migraine', 'knee arthritis'],
    symptoms: ['headache', 'thirst'],
    aboutMe: 'Teaches chemistry, rows at weekends.',
    isVisibleInCommunity: true,
  },
} as const;

type Name = keyof typeof people;

/** Time zones of the demo people. */
export const demoZones: Record<Name, string> = {
  amira: 'Europe/Madrid',
  benedikt: 'Europe/London',
  chiara: 'Europe/Rome',
  dario: 'Europe/Lisbon',
  esther: 'Europe/Berlin',
};

/** Joined before the first month of data. */
const joinedDaysAgo = 45;

export interface DemoPerson {
  email: string;
  password: string;
}

/**
 * Credentials of the demo people. Passwords are derived from the installation's secret, so they differ between
 * installations.
 */
export function demoCredentials(keys: DerivedKeys): Record<Name, DemoPerson> {
  const entries = (Object.keys(people) as Name[]).map(name => {
    const secret = Buffer.from(hkdfSync('sha256', keys.demo, 'demo', name, 9)).toString('base64url');
    return [name, { email: `${name}@example.org`, password: `demo-${secret}` }] as const;
  });
  return Object.fromEntries(entries) as Record<Name, DemoPerson>;
}

/** Seeds the accounts and returns them by name. */
export async function seedPeople(em: EntityManager, keys: DerivedKeys, now: Date): Promise<Map<Name, Person>> {
  const seeded = new Map<Name, Person>();
  for (const [name, { email, password }] of Object.entries(demoCredentials(keys))) {
    const { conditions, symptoms, ...profile } = people[name as Name];
    // Who is visible shows all of it, under the whole name.
    const shown = profile.isVisibleInCommunity
      ? {
          displayName: `${profile.firstName} ${profile.lastName}`,
          conditionsForSuggestions: [
            ...conditions,
            ...symptoms,
            ...(profile.hasDiabetes === 'Y' ? ['diabetes'] : []),
            ...(profile.hasHypertension === 'Y' ? ['hypertension'] : []),
          ],
        }
      : {};
    const user = em.create(Person, {
      ...profile,
      conditions: [...conditions],
      symptoms: [...symptoms],
      ...shown,
      email,
      passwordHash: await hashPassword(password),
      timeZone: demoZones[name as Name],
      isActive: true,
      isVerified: true,
      isGuest: false,
      joinedAt: new Date(now.getTime() - joinedDaysAgo * 24 * 3_600_000).toISOString(),
      lastSeenAt: now.toISOString(),
    } as never);
    seeded.set(name as Name, user);
  }
  return seeded;
}
