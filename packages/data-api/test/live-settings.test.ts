import { describe, expect, it } from 'vitest';
import * as LiveSettings from '../src/live/settings.ts';

describe('the settings of a live source', () => {
  const read = (environment: Record<string, string>) => {
    const faults: string[] = [];
    return { settings: LiveSettings.read(environment, faults), faults };
  };

  it('have defaults, and an exact price', () => {
    expect(read({})).toEqual({ settings: null, faults: [] });
    expect(read({ DIRECT_LIVE_URL: 'https://live.example/people', DIRECT_LIVE_COST_USD: '0.0041' })).toEqual({
      settings: { ...LiveSettings.limits, url: 'https://live.example/people', key: null, costMicros: 4_100 },
      faults: [],
    });
  });

  it.each([
    ['DIRECT_LIVE_URL', 'ftp://live.example'],
    ['DIRECT_LIVE_URL', 'https://user:secret@live.example'],
    ['DIRECT_LIVE_KEY', 'two words'],
    ['DIRECT_LIVE_COST_USD', '-1'],
    ['DIRECT_LIVE_COST_USD', '0.0000001'],
    ['DIRECT_LIVE_TIMEOUT_SECONDS', '26'],
    ['DIRECT_LIVE_CACHE_SECONDS', '86401'],
    ['DIRECT_LIVE_REQUESTS', '0'],
    ['DIRECT_LIVE_RESPONSE_MIB', '65'],
  ])('refuse %s=%s by name', (name, value) => {
    const { faults } = read({ DIRECT_LIVE_URL: 'https://live.example', [name]: value });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
  });
});
