import type { TeamLimits } from '../identity/team/invitation.ts';
import type { Setting } from './setting.ts';
import * as Schema from './setting-schemas.ts';

/** The persons of buyers' accounts (docs/teams.md). */
export const teamSettings = {
  TEAM_INVITATION_DAYS: {
    schema: Schema.wholeNumber(1, 90),
    default: '7',
    about: 'Days for which an invitation to an account can be accepted ([teams.md](teams.md)).',
  },
  TEAM_INVITATIONS_PER_HOUR: {
    schema: Schema.wholeNumber(1, 1_000),
    default: '20',
    about: 'Mails with invitations that one account may send in an hour.',
  },
  TEAM_PERSONS_MAX: {
    schema: Schema.wholeNumber(1, 1_000),
    default: '50',
    about: 'Persons and open invitations that one account may have.',
  },
} satisfies Record<string, Setting>;

/** Reads the limits of teams. */
export function readTeamLimits(read: (name: keyof typeof teamSettings) => number): TeamLimits {
  return {
    invitationDays: read('TEAM_INVITATION_DAYS'),
    invitationsPerHour: read('TEAM_INVITATIONS_PER_HOUR'),
    membersMax: read('TEAM_PERSONS_MAX'),
  };
}
