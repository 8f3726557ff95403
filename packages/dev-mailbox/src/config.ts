/** The settings of the development mailbox, read from the environment. */
export type Config = {
  host: string;
  /** The ports of the page and of SMTP; 0 asks the system for a free port. */
  port: number;
  smtpPort: number;
};

/** Throws, naming the setting, where a port is none. */
export function read(env: NodeJS.ProcessEnv): Config {
  return {
    host: env.MAILBOX_HOST || '127.0.0.1',
    port: port('MAILBOX_PORT', env.MAILBOX_PORT || '4023'),
    smtpPort: port('MAILBOX_SMTP_PORT', env.MAILBOX_SMTP_PORT || '4024'),
  };
}

function port(name: string, text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 65_536;
  if (number > 65_535) throw new Error(`${name} is no port number`);
  return number;
}
