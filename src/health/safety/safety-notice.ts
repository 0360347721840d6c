import { sql } from 'kysely';
import {
  type DangerFacts,
  dangerLevels,
  type Finding,
  findDanger,
  findDangerOfReading,
  isMedicalAlarm,
  nothingFound,
} from 'triage';
import type { SafetyNotice } from '../../../schema/health/safety-notice.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { crisisResources, emergencyResources } from './crisis-resources.ts';
import { buildCrisisText, buildUrgentText } from './fixed-texts.ts';
import { textsIn } from './texts.ts';
import { unreadNoticeIn } from './unread-languages.ts';

type Settings = Pick<Context, 'config'>;

/** Helplines that a notice names, as configured. */
type Countries = readonly string[];

/** Texts of one write; absent ones are left out. */
type Texts = readonly (string | null | undefined)[];

/** The finding of texts that were written together, such as a symptom and its description: one text to the engine. */
export const findDangerIn = (texts: Texts): Promise<Finding> =>
  findDanger(texts.filter(text => text?.trim()).join('.\n'));

/** The notice for the writer of these texts. */
export async function noticeOfText({ config }: Settings, texts: Texts): Promise<SafetyNotice> {
  return buildNotice(await findDangerIn(texts), config.CRISIS_HELPLINE_COUNTRIES);
}

/** Values of a vital reading, in the units of its columns. */
interface Reading {
  systolicBp?: number | null;
  diastolicBp?: number | null;
  heartRate?: number | null;
  temperatureC?: string | null;
  oxygenSaturation?: number | null;
  bloodGlucose?: string | null;
  notes?: string | null;
}

/** The notice for a vital reading: by its values, and by its notes. */
export async function noticeOfReading(
  context: Pick<Context, 'actor' | 'config' | 'now' | 'read'>,
  { systolicBp, diastolicBp, heartRate, temperatureC, oxygenSaturation, bloodGlucose, notes }: Reading,
): Promise<SafetyNotice> {
  const person = await factsOf(context);
  const hasPressure = systolicBp != null || diastolicBp != null;
  const measured: [kind: string, value: string | number | null | undefined, unit: string][] = [
    // A diastolic pressure alone stands beside an ordinary systolic one.
    [
      'blood_pressure',
      hasPressure ? `${systolicBp ?? 120}${diastolicBp == null ? '' : `/${diastolicBp}`}` : null,
      'mmHg',
    ],
    ['heart_rate', heartRate, 'bpm'],
    ['temperature', temperatureC, '°C'],
    ['oxygen_saturation', oxygenSaturation, '%'],
    ['blood_glucose', bloodGlucose, 'mg/dL'],
  ];
  const findings = measured.flatMap(([kind, value, unit]) =>
    value == null ? [] : [findDangerOfReading(kind, value, unit, person)],
  );
  return buildNotice(mostUrgent([...findings, await findDangerIn([notes])]), context.config.CRISIS_HELPLINE_COUNTRIES);
}

/** The notice for a stored goal of the caller: by its target, and by its description. */
export async function noticeOfGoal(
  context: Pick<Context, 'actor' | 'config' | 'now' | 'read'>,
  id: number,
): Promise<SafetyNotice> {
  const [[goal], person] = await Promise.all([
    context.read(sql<{ type: string; target: string; unit: string; description: string }>`
      select goal_type as type, target_value as target, unit, description from health_goal
      where id = ${id} and user_id = ${requirePerson(context.actor).userId}`),
    factsOf(context),
  ]);
  const findings = goal
    ? [
        findDangerOfReading(goal.type, goal.target, goal.unit, { ...person, isGoal: true }),
        await findDangerIn([goal.description]),
      ]
    : [];
  return buildNotice(mostUrgent(findings), context.config.CRISIS_HELPLINE_COUNTRIES);
}

/** What the profile of the caller says about limits of values. */
async function factsOf({
  actor,
  now,
  read,
}: Pick<Context, 'actor' | 'now' | 'read'>): Promise<DangerFacts & { heightCm?: number | undefined }> {
  const [row] = await read(sql<{ ageYears: number | null; heightCm: number | null; conditions: string[] }>`
    select extract(year from age(${now().toISOString()}::timestamptz::date, date_of_birth))::int as "ageYears",
      height_cm::float8 as "heightCm", conditions
    from users where id = ${requirePerson(actor).userId}`);
  return {
    ageYears: row?.ageYears ?? undefined,
    heightCm: row?.heightCm ?? undefined,
    conditions: row?.conditions,
  };
}

const rankOf = ({ level }: Finding): number => (level === null ? dangerLevels.length : dangerLevels.indexOf(level));

/** The most urgent of the findings about one write, with the signs of all and the language of the text among them. */
function mostUrgent(findings: readonly Finding[]): Finding {
  const worst = findings.reduce(
    (most, one) => (rankOf(one) < rankOf(most) ? one : most),
    findings.at(-1) ?? nothingFound,
  );
  const told = findings.find(({ language }) => language !== null) ?? worst;
  return {
    ...worst,
    isEmergency: findings.some(({ isEmergency }) => isEmergency),
    signs: findings.flatMap(({ signs }) => signs),
    language: told.language,
    isLanguageRead: told.isLanguageRead,
  };
}

/** The triage level that a finding asks for at least; null where it tells of no illness. */
export function triageLevelOf({ level, isEmergency, signs, isLanguageRead }: Finding): SafetyNotice['triageLevel'] {
  if (level !== 'crisis') return level ?? (isLanguageRead ? null : 'routine');
  // Threats and blows of another person may be long past their worst; everything else in a crisis cannot wait.
  return isEmergency || signs.some(({ kind }) => kind === 'self' || kind === 'other' || kind === 'harm')
    ? 'emergency'
    : 'urgent';
}

/** Puts a finding into words for its writer: in the language of the text, with the helplines of the configured countries. */
export function buildNotice(finding: Finding, countries: Countries): SafetyNotice {
  const { level } = finding;
  const triageLevel = triageLevelOf(finding);
  const language = finding.language ?? undefined;
  if (!finding.isLanguageRead) {
    const resources =
      level === 'crisis' ? crisisResources(countries, false, language) : emergencyResources(countries, language);
    const { title, text } = unreadNoticeIn(language);
    const lines = resources.map(({ name, contact }) => `- ${name}: ${contact}`).join('\n');
    const shown = level === 'crisis' ? 'crisis' : level === null ? 'none' : 'urgent';
    return { level: shown, triageLevel, title, text: `${text}\n${lines}`, resources };
  }
  if (level === 'crisis') {
    const isAbuse = finding.signs.some(({ kind }) => kind === 'abuse');
    const resources = crisisResources(countries, isAbuse, language);
    const title = textsIn(language).crisis;
    return { level: 'crisis', triageLevel, title, text: buildCrisisText(finding, resources), resources };
  }
  if (isMedicalAlarm(level)) {
    const resources = emergencyResources(countries, language);
    const text = buildUrgentText(finding, resources);
    return { level: 'urgent', triageLevel, title: titleOf(text), text, resources };
  }
  return { level: 'none', triageLevel, title: null, text: null, resources: [] };
}

/** What a finding advises, without helplines, in the language of the text; empty where it advises nothing. */
export function adviceIn(finding: Finding): string {
  if (!finding.isLanguageRead) return unreadNoticeIn(finding.language ?? undefined).text;
  if (finding.level === 'crisis') return buildCrisisText(finding, []);
  if (isMedicalAlarm(finding.level)) return buildUrgentText(finding, []).trim();
  return '';
}

/** The words in bold with which an urgent text begins. */
const titleOf = (text: string): string => /^\*\*([^*]+)\*\*/.exec(text)?.[1] ?? '';
