import { type Brand, usualFont } from '../../catalog/brand.ts';

type Rgb = readonly [number, number, number];

/** Contrast of text that everybody can read (WCAG 2.2, 1.4.3). */
const contrastMin = 4.5;
const white: Rgb = [255, 255, 255];
const black: Rgb = [17, 17, 17];
/** The darkest light background and the lightest dark one that the accent colour is written on (`palette`). */
const lightTint: Rgb = [227, 241, 237];
const darkPanel: Rgb = [31, 30, 28];
const steps = 50;

const families = {
  sans: '',
  serif: 'Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif',
  rounded:
    'ui-rounded,"Hiragino Maru Gothic ProN",Quicksand,Comfortaa,"Arial Rounded MT",system-ui,sans-serif',
  mono: 'ui-monospace,"SF Mono",Menlo,Consolas,monospace',
} as const;

/**
 * Returns the styles of a seller's brand, which follow those of the page. Its colour is darkened or lightened until it can be read.
 * @param part a selector of the part of a page that they apply to; by default the whole page
 */
export function brandStyle({ colour, font = usualFont }: Brand = {}, part?: string): string {
  const family = families[font];
  return (
    (colour === undefined ? '' : colours(rgb(colour), part ?? ':root')) +
    (family && `\n${part ?? 'body'}{font-family:${family}}`)
  );
}

function colours(colour: Rgb, part: string): string {
  const lightTintOf = (accent: Rgb) => mix(white, accent, 0.1);
  const darkTintOf = (accent: Rgb) => mix(darkPanel, accent, 0.15);
  const light = readable(colour, (accent) => [lightTint, lightTintOf(accent)], [0, 0, 0]);
  const dark = readable(colour, (accent) => [darkPanel, darkTintOf(accent)], white);
  return `
${part}{${accent(light, white, lightTintOf(light))}}
@media(prefers-color-scheme:dark){${part}{${accent(dark, black, darkTintOf(dark))}}}`;
}

function accent(colour: Rgb, text: Rgb, tint: Rgb): string {
  return `--accent:${hex(colour)};--on-accent:${hex(text)};--tint:${hex(tint)};--one:${hex(colour)}`;
}

/** Returns the colour, mixed with as little of `towards` as makes it readable on its grounds. */
function readable(colour: Rgb, groundsOf: (accent: Rgb) => readonly Rgb[], towards: Rgb): Rgb {
  for (let step = 0; step < steps; step++) {
    const mixed = mix(colour, towards, step / steps);
    if (groundsOf(mixed).every((ground) => contrast(mixed, ground) >= contrastMin)) return mixed;
  }
  return towards;
}

/** The ratio of the relative luminances of two colours (WCAG 2.2). */
export function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  return one.map((value, at) =>
    Math.round(value + ((other[at] as number) - value) * share),
  ) as unknown as Rgb;
}

/** @param colour `#rrggbb` */
export function rgb(colour: string): Rgb {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function hex(colour: Rgb): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
