import type { SocketLimits } from '../proxy/open-sockets.ts';
import type { Setting } from './setting.ts';
import * as Schema from './setting-schemas.ts';

/** The settings of WebSockets (docs/websockets.md). */
export const socketSettings = {
  SOCKETS_MAX: {
    schema: Schema.wholeNumber(0, 1_000_000),
    default: '1000',
    restart: true,
    about:
      'Maximum number of open WebSockets of a process; further ones get 503 `busy` ([websockets.md](websockets.md)).',
  },
  SOCKETS_ACCOUNT_MAX: {
    schema: Schema.wholeNumber(0, 1_000_000),
    default: '50',
    restart: true,
    about:
      'Maximum number of open WebSockets of one account in a process; further ones get 429 `too_many_calls_under_way`.',
  },
  SOCKET_IDLE_SECONDS: {
    schema: Schema.wholeNumber(1, 86_400),
    default: '600',
    restart: true,
    about: 'Time without a message in either direction after which a WebSocket is closed, in seconds.',
  },
  SOCKET_MAX_SECONDS: {
    schema: Schema.wholeNumber(1, 7 * 86_400),
    default: '14400',
    restart: true,
    about: 'Maximum time that a WebSocket is open, in seconds.',
  },
  SOCKET_MESSAGE_KB_MAX: {
    schema: Schema.wholeNumber(1, 65_536),
    default: '1024',
    restart: true,
    about: 'Longest message of a WebSocket in KiB; a longer one closes it with 1009.',
  },
} satisfies Record<string, Setting>;

type Read = (name: keyof typeof socketSettings) => number;

/** Reads the limits of WebSockets. */
export function readSocketLimits(read: Read): SocketLimits {
  return {
    openMax: read('SOCKETS_MAX'),
    accountMax: read('SOCKETS_ACCOUNT_MAX'),
    idleMsMax: read('SOCKET_IDLE_SECONDS') * 1_000,
    openMsMax: read('SOCKET_MAX_SECONDS') * 1_000,
    messageBytesMax: read('SOCKET_MESSAGE_KB_MAX') * 1_024,
  };
}
