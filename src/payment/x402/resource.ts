/** The resource that is paid for, as clients show it and send it back. */
export type Resource = { url: string; description: string; mimeType: string; serviceName: string };

const serviceNameCharsMax = 32;

/** Folds the texts to ASCII, because some clients send them back with an encoder that supports only Latin-1. */
export function describeResource({ url, description, serviceName }: Omit<Resource, 'mimeType'>): Resource {
  return {
    url,
    description: ascii(description),
    mimeType: 'application/json',
    serviceName: ascii(serviceName).slice(0, serviceNameCharsMax),
  };
}

function ascii(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return folded.replace(/[^ -~]/gu, '?');
}
