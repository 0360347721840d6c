import { hkdfSync } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { User } from '../../schema/health/user.ts';
import type { Keys } from '../../src/auth/keys.ts';
import { hashPassword } from '../../src/auth/passwords/hash.ts';

/** People of the demo world, invented, with a profile each. */
const people = {
  amira: {
    firstName: 'Amira',
    lastName: 'Sandoval',
    gender: 'F',
    dateOfBirth: '1988-04-12',
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
    dateOfBirth: '1961-09-30',
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
    dateOfBirth: '1997-01-22',
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
} as const;

type Name = keyof typeof people;

export interface DemoPerson {
  email: string;
  password: string;
}

/** Where each can be logged in: the passwords follow from this installation's secret, so no two demo worlds share them. */
export function demoPeople(keys: Keys): Record<Name, DemoPerson> {
  const entries = (Object.keys(people) as Name[]).map(name => {
    const secret = Buffer.from(hkdfSync('sha256', keys.seal, 'demo', name, 9)).toString('base64url');
    return [name, { email: `${name}@example.org`, password: `demo-${secret}` }] as const;
  });
  return Object.fromEntries(entries) as Record<Name, DemoPerson>;
}

/** Plants the people and returns them by their names. */
export async function plantPeople(em: EntityManager, keys: Keys, now: Date): Promise<Map<Name, User>> {
  const planted = new Map<Name, User>();
  for (const [name, { email, password }] of Object.entries(demoPeople(keys))) {
    const { conditions, symptoms, ...profile } = people[name as Name];
    const user = em.create(User, {
      ...profile,
      conditions: [...conditions],
      symptoms: [...symptoms],
      email,
      passwordHash: await hashPassword(password),
      isActive: true,
      isVerified: true,
      isGuest: false,
      dateJoined: now,
      lastSeenAt: now,
    } as never);
    planted.set(name as Name, user);
  }
  return planted;
}
