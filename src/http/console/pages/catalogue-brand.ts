import { html, raw } from 'hono/html';
import * as Brand from '../../../catalog/brand.ts';
import { brandStyle } from '../../pages/brand-style.ts';
import { type Html, logoPath } from '../../pages/frame.ts';
import { type CatalogueField, embeddedLogo, type FieldGroup } from '../catalogue-field.ts';
import { isColour } from './colour.ts';

const previewCharsMax = 140;
const brandPath = '/admin/console/catalogue/brand';

/** The groups of the branding: the texts beside the look, and the links of the footer below both. `input` renders a field; `chosen` is a new logo. */
export function brandGroups(
  groups: readonly FieldGroup[],
  typed: ReadonlyMap<string, string>,
  input: (one: CatalogueField) => Html,
  chosen: string | null,
): Html {
  const section = ({ title, fields }: FieldGroup, form = '') =>
    html`<section><h2>${title}</h2><div class="${form}">${fields.map((one) => html`<div>${input(one)}</div>`)}</div>${title === 'Look' ? preview(groups, typed, chosen) : ''}</section>`;
  const [shop, look, receipts, ...rest] = groups;
  if (shop === undefined || look === undefined || receipts === undefined) return html``;
  return html`<div class="columns"><div>${section(shop)}${section(receipts)}</div><div class="last">${section(look)}</div></div>${rest.map((one) => section(one, 'grid-fields two'))}`;
}

/** The logo: the present one, a new image, and boxes that remove them. `chosen`: an image that was chosen before, which the form keeps. */
export function logo(
  { name, value }: CatalogueField,
  isRemoved: boolean,
  fault: string | undefined,
  chosen: string | null,
): Html {
  const notes = fault === undefined ? 'upload-hint' : 'upload-hint upload-fault';
  const now =
    value === ''
      ? ''
      : html`<div class="logo-now"><img src="${logoPath}" alt="Present logo"><span class="soft">${value === embeddedLogo ? 'Uploaded here' : html`The file <code>${value}</code>`}</span><label class="check"><input type="checkbox" name="${name}" value="true"${isRemoved ? raw(' checked') : ''}> Remove it</label></div>`;
  const next =
    chosen === null
      ? ''
      : html`<div class="logo-now"><img src="${chosen}" alt="Chosen logo"><span class="soft">Chosen now</span><label class="check"><input type="checkbox" name="drop" value="true"> Do not use it</label></div><input type="hidden" name="kept" value="${chosen.slice(chosen.indexOf(',') + 1)}">`;
  return html`<label for="upload">Logo</label>${now}${next}<input id="upload" name="upload" type="file" accept="image/png" aria-describedby="${notes}"${fault === undefined ? '' : raw(' aria-invalid="true"')}><p class="hint" id="upload-hint">${value === '' && chosen === null ? 'A' : 'Another'} PNG image of at most 64 KiB</p>${fault === undefined ? '' : html`<p class="fault" id="upload-fault">${fault}</p>`}`;
}

/** The logo, name, colour and font of the form as the shop shows them. */
function preview(
  groups: readonly FieldGroup[],
  typed: ReadonlyMap<string, string>,
  chosen: string | null,
): Html {
  const fieldOf = (key: string) =>
    groups.flatMap(({ fields }) => fields).find(({ path }) => path.at(-1) === key);
  const of = (key: string) => {
    const found = fieldOf(key);
    return found === undefined ? '' : (typed.get(found.name) ?? found.value);
  };
  const present = fieldOf('logo');
  const isRemoved = present === undefined || present.value === '' || typed.get(present.name) === 'true';
  const image = chosen ?? (isRemoved ? null : logoPath);
  const colour = of('colour').trim();
  const font = Brand.fonts.find((one) => one === of('font'));
  const brand = { ...(isColour(colour) && { colour }), ...(font && { font }) };
  return html`<h3 id="preview">Preview</h3><div data-preview><style>${raw(brandStyle(brand, '.shop-preview'))}</style>
<div class="shop-preview" role="group" aria-labelledby="preview"><p>${image === null ? '' : html`<img src="${image}" alt="Logo">`}<b>${of('name')}</b></p><p>${of('description').slice(0, previewCharsMax)}</p><p><span class="button">Start free</span> <span class="link">Prices</span> <span class="sign">in use</span></p></div></div>
<button class="plain small" name="act" value="preview" formaction="${brandPath}#preview" formnovalidate>Update the preview</button>`;
}
