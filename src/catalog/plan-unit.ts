import { covers, type Plan } from './plan.ts';
import type { Service } from './service.ts';

/** The unit that all priced services share, in the singular; `unit` where they count different things. */
export function sharedUnit(services: readonly Service[]): string {
  const [unit, ...others] = new Set(
    services
      .filter(({ price, metering }) => price > 0 && metering === undefined)
      .map((service) => service.unit),
  );
  return unit === undefined || others.length > 0 ? 'unit' : unit;
}

/** Returns true when calls of a priced service are charged by meters, so that no unit describes what is paid for. */
export function isByUsage(services: readonly Service[]): boolean {
  return services.some(({ metering }) => metering !== undefined);
}

/** The unit of the services that a plan covers. */
export function unitOfPlan(plan: Plan, services: readonly Service[]): string {
  return sharedUnit(services.filter((service) => covers(plan, service)));
}
