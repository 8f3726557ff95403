import type { SettingSchema } from './setting-schemas.ts';

/** One row of the settings table: it parses, validates and documents the setting. */
export type Setting = {
  schema: SettingSchema;
  /** The text that applies when the setting is not given. */
  default?: string;
  /** Markdown for the documentation when the default is not a fixed text, or is provided by `sluice start`. */
  defaultText?: string;
  /** `sluice start` provides some of the required ones. */
  required?: 'always' | 'production';
  /** Never printed; `<NAME>_FILE` can name a file that holds it, as containers receive their secrets. */
  secret?: true;
  /** A reload cannot change it. */
  restart?: true;
  /** One or two sentences in Markdown. */
  about: string;
};
