import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { concepts } from '../src/knowledge.ts';
import * as Translation from '../src/translation.ts';

const table = concepts({});
const english = (text: string) => Translation.toEnglish(text, table).text;

describe('a goal in another language', () => {
  test.each([
    ['Wie hoch ist die Wassertemperatur in Kiel', 'water temperature'],
    ['Hat der Flug heute Verspätung?', 'delay'],
    ["je cherche le code de l'aéroport de Figari", ' airport '],
    ['¿hay lluvia mañana en Gijón?', 'rain'],
    ['quali posti sono liberi per il concerto', 'seat'],
    ['quanto custa o bilhete para o jogo de amanhã', 'ticket'],
    ['wat kost een kaartje voor de wedstrijd', 'match'],
  ])('has its nouns in English: %s', (goal, noun) => {
    expect(` ${english(goal)} `).toContain(noun);
  });

  test('names the original words of a part', () => {
    const { text, original } = Translation.toEnglish("la météo à l'aéroport demain", table);
    const at = text.indexOf('airport');
    expect(original(at, at + 'airport'.length)).toBe('aéroport');
  });

  test.each([
    'is there a concert in the hall tonight and how much is a seat',
    'port and gas prices for the next year',
    'rate my essay',
  ])('is not seen in English: %s', (goal) => {
    expect(english(goal)).toBe(goal);
  });
});

test('the dictionary has each English word once, with forms in six languages', () => {
  const lines = readFileSync(new URL('../data/dictionary.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const words = lines.map((line) => line.split('|'));
  expect(words.filter((row) => row.length !== 7 || row.some((forms) => forms.trim() === ''))).toEqual([]);
  expect(new Set(words.map(([english]) => english)).size).toBe(words.length);
});
