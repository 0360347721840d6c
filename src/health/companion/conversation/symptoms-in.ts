import type { Finding } from 'triage';
import { knowledge } from 'triage/knowledge/knowledge';
import { matchText } from 'triage/knowledge/matcher';

/** Limits of the symptoms of an assessment. */
const maxSymptoms = 5;
const maxSymptomLength = 100;

/** Somebody who has symptoms, as against a question about them. */
const person = /\b(?:i|im|i'm|i’m|ive|i've|i’ve|my|me|he|she|his|her|we|our)\b/i;

/**
 * The symptoms that a message tells of a person, as an assessment takes them: its sentences. Empty for a question about an illness in
 * general.
 */
export function symptomsIn(message: string, { level, language }: Finding): string[] {
  const isEnglish = language === null || language === 'en';
  if (isEnglish) {
    if (!person.test(message)) return [];
    const present = [...matchText(message).present].filter(id => knowledge().symptoms.get(id)?.kind === 'symptom');
    if (present.length === 0) return [];
  } else if (level === null) return [];
  return message
    .split(/(?<=[.!?。！？؟।])\s+|[\n;]+|,\s+/u)
    .map(part => part.trim())
    .filter(part => part !== '' && !/[?？؟]$/.test(part))
    .map(part => (part.length <= maxSymptomLength ? part : part.slice(0, maxSymptomLength).replace(/\s\S*$/, '')))
    .slice(0, maxSymptoms);
}
