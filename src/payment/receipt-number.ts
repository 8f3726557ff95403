const idForm = /^[a-z]+_([0-9a-f]{16})[0-9a-f]{16}$/;
const numberForm = /^[0-9a-f]{4}(?:-[0-9a-f]{4}){3}$/i;

/** Returns the number of a receipt, such as `1A2B-3C4D-5E6F-7A8B`: the first 64 bits of the purchase's id. Null for an id of another form. */
export function of(purchase: string): string | null {
  const [, digits] = idForm.exec(purchase) ?? [];
  return digits === undefined ? null : (digits.toUpperCase().match(/.{4}/g) ?? []).join('-');
}

/** Returns the beginnings of the ids that have a number; null for text that is no number. */
export function idsOf(number: string): string[] | null {
  if (!numberForm.test(number)) return null;
  const digits = number.replaceAll('-', '').toLowerCase();
  return [`pur_${digits}`, `in_${digits}`];
}
