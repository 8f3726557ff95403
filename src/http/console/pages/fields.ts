import { html, raw } from 'hono/html';
import type { Html } from '../../pages/frame.ts';

type Field = {
  name: string;
  label: string | Html;
  value: string;
  /** The id of the input; by default its name. */
  id?: string;
  type?: string;
  inputMode?: 'decimal' | 'numeric';
  placeholder?: string;
  /** What is wrong with the value. */
  fault?: string | undefined;
  isRequired?: boolean;
  /** Shows several lines. */
  rows?: number;
};

/** A labelled input, with what is wrong with its value beside it. */
export function field(of: Field): Html {
  const {
    name,
    label,
    value,
    id = name,
    type = 'text',
    inputMode,
    placeholder,
    fault,
    isRequired,
    rows,
  } = of;
  const common = html`id="${id}" name="${name}" autocomplete="off"${isRequired ? raw(' required') : ''}${fault === undefined ? '' : html` aria-invalid="true" aria-describedby="${id}-fault"`}`;
  const input =
    rows !== undefined
      ? html`<textarea ${common} rows="${rows}">${value}</textarea>`
      : html`<input ${common} type="${type}" value="${value}"${inputMode ? html` inputmode="${inputMode}"` : ''}${placeholder ? html` placeholder="${placeholder}"` : ''}>`;
  return html`<label for="${id}">${label}</label>${input}${fault === undefined ? '' : html`<p class="fault" id="${id}-fault">${fault}</p>`}`;
}

/** A drop-down list; `options` are values with their names. */
export function select(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  selected: string,
): Html {
  return html`<label for="${name}">${label}</label><select id="${name}" name="${name}">${options.map(([value, text]) => html`<option value="${value}"${value === selected ? raw(' selected') : ''}>${text}</option>`)}</select>`;
}
