export { cardName } from '../../text/card-name.ts';
